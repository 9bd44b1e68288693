package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/flagvalue"
	"payonce/internal/report"
	"payonce/service/v1"
)

// checkConfig checks what can be checked of a configuration without a call, each part
// on its own. It reports whether a call can be made.
func (d *doctor) checkConfig(config v1.Config) bool {
	alone := v1.Config{BaseURL: config.BaseURL, Key: "key"}
	if _, err := v1.NewStatusClient(alone); err != nil {
		d.problem(exitUsage, "base URL", "Give --base-url or set SERVICE_BASE_URL", "%v", err)
		return false
	}
	d.checkBaseURL(config.BaseURL)
	usable := true
	for _, part := range []struct {
		check  string
		config v1.Config
	}{
		{"MCP URL", v1.Config{BaseURL: config.BaseURL, Key: "key", MCPURL: config.MCPURL}},
		{"names", v1.Config{BaseURL: config.BaseURL, Key: "key", Names: config.Names}},
		{"key", v1.Config{BaseURL: config.BaseURL, Key: config.Key}},
	} {
		if _, err := v1.NewStatusClient(part.config); err != nil {
			d.problem(exitUsage, part.check, "", "%s", explain(err))
			usable = false
		}
	}
	return usable
}

// checkBaseURL says what is unusual about an address that can be used.
func (d *doctor) checkBaseURL(address string) {
	const check = "base URL"
	base, err := url.Parse(address)
	switch {
	case err != nil:
	case !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/api/v1"):
		d.warn(check, "Give the address with its path prefix, such as https://host/api/v1, unless your service has another one",
			"%s does not end with /api/v1", address)
	case base.Scheme == "http" && !d.sandbox:
		d.ok(check, "%s, in the clear on this machine", address)
	default:
		d.ok(check, "%s", address)
	}
}

// checkService makes every free call and checks what comes back.
func (d *doctor) checkService(ctx context.Context, config v1.Config) {
	client, err := v1.NewStatusClient(config)
	if err != nil {
		d.problem(exitUsage, "configuration", "", "%s", explain(err))
		return
	}
	found, err := client.Inspect(ctx)
	if err != nil {
		d.checkNoStatus(err)
		return
	}
	d.checkKey(found.Account)
	d.checkMembers(found.Members)
	d.checkClock(found)
	d.checkRate(found.RateLimit)
	d.checkOperations(found.Account)
	d.checkConditions(found.Conditions)
	d.checkPublished(ctx, client, found.Account)
}

// checkNoStatus says why there is no account status.
func (d *doctor) checkNoStatus(err error) {
	var refused *v1.StatusError
	switch {
	case errors.As(err, &refused) && refused.HTTPStatus == http.StatusUnauthorized:
		d.problem(exitRefused, "key", "", "%s", explain(err))
	case errors.As(err, &refused):
		d.problem(exitRefused, "account status", "When it stays so, ask the service about it", "%s", explain(err))
	default:
		d.problem(exitRefused, "service", "Run this again when that is mended", "%s", explain(err))
	}
}

func (d *doctor) checkKey(account cost.Account) {
	switch {
	case !account.KeyValid.Known:
		d.warn("key", "Look at the account with batch account", "the service answers, but does not say whether the key is valid")
	case !account.KeyValid.Value:
		d.problem(exitRefused, "key", remedy("invalid_api_key"), "the service calls the key invalid")
	default:
		d.accepted = true
		d.ok("key", "the service accepts it")
	}
}

// checkMembers compares the account status with what is read of it.
func (d *doctor) checkMembers(members []v1.Assumption) {
	missing := notFound(members)
	if len(missing) == 0 {
		d.ok("account status", "all %d members that are read are there", len(members))
		return
	}
	d.warn("account status", "A key without a workspace shows no balance. What cannot be read counts as unknown: its ceilings cannot be kept, "+
		"and a free allowance that is not told is not counted on",
		"%d of %d members that are read are not there, or not as they should be: %s", len(missing), len(members), someOf(missing))
}

// notFound returns the names that were not found.
func notFound(assumptions []v1.Assumption) []string {
	var missing []string
	for _, a := range assumptions {
		if !a.Found {
			missing = append(missing, a.Name)
		}
	}
	return missing
}

// someOf lists names, the first of them when there are many.
func someOf(names []string) string {
	const most = 6
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// tolerableSkew is how far two clocks may be apart without anybody having to care.
const tolerableSkew = 5 * time.Second

func (d *doctor) checkClock(found v1.Inspection) {
	skew, known := found.Skew()
	direction := "ahead of"
	if skew < 0 {
		skew, direction = -skew, "behind"
	}
	switch {
	case !known:
		d.warn("clock", "Compare this machine's clock with a time server", "the service does not tell its time, so that the clocks cannot be compared")
	case skew > tolerableSkew:
		d.warn("clock", "Set it: days and months of ceilings, and waits that the service gives as a time, are reckoned by it",
			"this machine's clock is %s %s the service's", skew.Round(time.Second), direction)
	default:
		d.ok("clock", "it agrees with the service's")
	}
}

// limitOfService is the rate limit of specification v1, "Limits".
var limitOfService = flagvalue.Rate{Slots: 30, Window: time.Minute}

func (d *doctor) checkRate(told map[string]string) {
	const check = "rate limit"
	for _, name := range slices.Sorted(maps.Keys(told)) {
		limit, err := strconv.Atoi(strings.TrimSpace(told[name]))
		if err == nil && strings.HasSuffix(strings.ToLower(name), "-limit") && limit < d.rate.Slots {
			d.warn(check, fmt.Sprintf("Give the limit with --rate, such as --rate %d/60s", limit), "the service tells %s: %d, and --rate is %s", name, limit, d.rate.String())
			return
		}
	}
	if !d.rate.Within(limitOfService) && !d.sandbox {
		d.warn(check, "Lookups beyond the limit are refused and waited for; give the workspace's own limit", "--rate %s is more than the %s that the service documents",
			d.rate.String(), limitOfService.String())
		return
	}
	d.ok(check, "%s is kept to", d.rate.String())
}

// checkOperations checks which lookups could be sent now. Without any, nothing can.
func (d *doctor) checkOperations(account cost.Account) {
	callable := 0
	var refusals []report.Finding
	for _, operation := range enrich.Operations() {
		offered, ready := account.Offers(operation), account.ReadinessOf(operation)
		refusal := report.Finding{Check: operation.String(), Result: report.CheckWarning}
		switch {
		case offered.Known && !offered.Value:
			refusal.Found, refusal.Advice = "the workspace's plan does not offer it", remedy(v1.CodePricingUnavailable)
		case ready.CanCall.Known && !ready.CanCall.Value:
			refusal.Found, refusal.Advice = "the service does not allow it now: "+ready.Reason, remedy(ready.Reason)
		case !ready.CanCall.Known:
			callable++
			d.warn(operation.String(), "Begin with one lookup, --limit 1, to find out", "the account status does not tell whether it can be called")
			continue
		default:
			callable++
			d.ok(operation.String(), "can be called now, for at most %s", report.Dollars(report.Known(ready.MaximumCharge)))
			continue
		}
		refusals = append(refusals, refusal)
	}
	for _, refusal := range refusals {
		if callable == 0 {
			d.problem(exitRefused, refusal.Check, refusal.Advice, "%s", refusal.Found)
		} else {
			d.warn(refusal.Check, refusal.Advice, "%s", refusal.Found)
		}
	}
}

func (d *doctor) checkConditions(conditions []v1.Condition) {
	const check = "input condition"
	if len(conditions) == 0 {
		d.ok(check, "the account has none")
	}
	for _, condition := range conditions {
		if condition.Err != nil {
			d.warn(check, "It is not applied here: the service itself refuses what does not fulfil it", "that of %s cannot be applied: %v", condition.Operation, condition.Err)
			continue
		}
		if condition.Unmet != nil {
			d.warn(check, "No such lookup is sent. Give the service's names with --request-name, or ask the workspace's owner what the condition is for",
				"that of %s %v", condition.Operation, condition.Unmet)
			continue
		}
		d.ok(check, "that of %s is applied: a lookup that does not fulfil it is not sent", condition.Operation)
	}
}
