package records

import (
	"encoding/json"
	"errors"
	"time"

	"payonce/cost"
	"payonce/enrich/tabular"
	"payonce/service/jsonobject"
)

// Watched is a company that the account watches.
type Watched struct {
	ID, Name, CountryCode, RegistrationNumber cost.Optional[string]
	Date                                      cost.Optional[time.Time]
	Fields                                    []string
}

func watched(m *members, w *Watched) {
	m.text("id", &w.ID)
	m.text("name", &w.Name)
	m.text("country_code", &w.CountryCode)
	m.text("registration_number", &w.RegistrationNumber)
	m.timestamp("date", &w.Date)
	m.texts("fields", &w.Fields)
}

// Event is a change of a watched company.
type Event struct {
	Status, Message, Type cost.Optional[string]
	Created               cost.Optional[time.Time]
}

func event(m *members, e *Event) {
	m.text("status", &e.Status)
	m.text("message", &e.Message)
	m.timestamp("date_created", &e.Created)
	m.text("event_type", &e.Type)
}

// DecodeWatched reads a page of watched companies.
func DecodeWatched(body []byte) (Page[Watched], error) { return decodePage(body, watched) }

// DecodeEvents reads a page of changes.
func DecodeEvents(body []byte) (Page[Event], error) { return decodePage(body, event) }

// DecodeFieldNames reads an array of names of watched fields.
func DecodeFieldNames(body []byte) ([]string, tabular.Problems, error) {
	var raw json.RawMessage
	var problems tabular.Problems
	if json.Unmarshal(body, &raw) != nil || !isArray(raw) && string(raw) != "null" {
		return nil, problems, errors.New("the body is not a JSON array")
	}
	var names []string
	reader(jsonobject.Object{"fields": raw}, &problems).texts("fields", &names)
	return names, problems, nil
}

// DecodeCallback reads the callback address; it is not known when none is set.
func DecodeCallback(body []byte) (cost.Optional[string], error) {
	var problems tabular.Problems
	describe := func(m *members, url *cost.Optional[string]) { m.text("callback", url) }
	callback, err := decode(body, "a callback", &problems, describe)
	if err == nil && problems.Count > 0 {
		err = errors.New("the callback is not a text")
	}
	return callback, err
}

// UsageGroup is a group of counters of the account (specification v2, "Usage metric").
type UsageGroup struct {
	Name, Codename cost.Optional[string]
	Metrics        []UsageMetric
}

// UsageMetric is a counter of the account.
type UsageMetric struct {
	Name, Codename cost.Optional[string]
	Used, Total    cost.Optional[int64]
}

func usageGroup(m *members, g *UsageGroup) {
	m.text("name", &g.Name)
	m.text("codename", &g.Codename)
	records(m, "metrics", &g.Metrics, func(m *members, u *UsageMetric) {
		m.text("name", &u.Name)
		m.text("codename", &u.Codename)
		m.integer("used", &u.Used)
		m.integer("total", &u.Total)
	})
}

// DecodeUsage reads the counters of the account.
func DecodeUsage(body []byte) ([]UsageGroup, tabular.Problems, error) {
	return decodeArray(body, usageGroup)
}

// ContactCounts are the emails and phones that the account was given in a time span.
type ContactCounts struct{ Emails, Phones cost.Optional[int64] }

// DecodeContactCounts reads the counts of emails and phones.
func DecodeContactCounts(body []byte) (ContactCounts, tabular.Problems, error) {
	var problems tabular.Problems
	counts, err := decode(body, "counts of contact data", &problems, func(m *members, c *ContactCounts) {
		m.integer("email_count", &c.Emails)
		m.integer("phone_count", &c.Phones)
	})
	return counts, problems, err
}
