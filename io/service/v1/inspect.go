package v1

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"payonce/cost"
	"payonce/io/service"
)

// Inspection is what one free status call shows about the service, for finding out
// whether it is as it is assumed to be.
type Inspection struct {
	Account cost.Account
	// Members are those of the account status that are read, as dotted names. They are
	// found when they are there and can be read.
	Members []Assumption
	// Conditions are the input conditions of the account.
	Conditions []Condition
	// ServerTime is the response's date, in UTC and whole seconds; zero when it has
	// none. Asked and Answered are this machine's times around it.
	ServerTime, Asked, Answered time.Time
	// RateLimit holds the response's headers about a rate limit.
	RateLimit map[string]string
}

// Condition is an account's condition on the input of a lookup.
type Condition struct {
	Operation Operation
	// Err says why it cannot be applied; nil when it is.
	Err error
	// Unmet says why no lookup of ours can fulfil it; nil when nothing speaks against
	// that.
	Unmet error
}

// Skew returns how far this machine's clock is ahead of the service's, and false
// when that is not known. What the call itself or the second can explain is none.
func (i Inspection) Skew() (time.Duration, bool) {
	if i.ServerTime.IsZero() {
		return 0, false
	}
	switch earliest, latest := i.ServerTime, i.ServerTime.Add(time.Second); {
	case i.Asked.After(latest):
		return i.Asked.Sub(latest), true
	case i.Answered.Before(earliest):
		return -earliest.Sub(i.Answered), true
	}
	return 0, true
}

// Inspect reads the account status once and says what it found there. It is free.
// An error is one of Status.
func (c *StatusClient) Inspect(ctx context.Context) (Inspection, error) {
	asked := c.settings.Now()
	account, status, said, err := c.readStatus(ctx)
	if err != nil {
		return Inspection{}, err
	}
	inspection := Inspection{
		Account: account, Members: statusMembers(status), Conditions: c.settings.conditionsIn(status),
		Asked: asked, Answered: c.settings.Now(), RateLimit: c.settings.rateLimit(said.Header),
	}
	if date, err := http.ParseTime(said.Header.Get("Date")); err == nil {
		inspection.ServerTime = date.UTC()
	}
	return inspection, nil
}

func (s settings) rateLimit(header http.Header) map[string]string {
	found := map[string]string{}
	for name := range header {
		if strings.Contains(strings.ToLower(name), "ratelimit") || name == "Retry-After" {
			found[name] = s.Plain(header.Get(name), maxMessage)
		}
	}
	return found
}

func (s settings) conditionsIn(status service.Object) []Condition {
	var conditions []Condition
	for _, operation := range Operations() {
		if text := conditionOf(status, operation); text != nil {
			compiled, err := service.CompileSchema(text, nil)
			condition := Condition{Operation: operation, Err: err}
			if unmet := s.names.misfit(operation, compiled); unmet != nil {
				condition.Unmet = errors.New(s.Plain(unmet.Error(), maxMessage))
			}
			conditions = append(conditions, condition)
		}
	}
	return conditions
}
