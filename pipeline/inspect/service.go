package inspect

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

	"payonce/configs"
	"payonce/cost"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// checkConfig checks what can be checked of a configuration without a call, each part
// on its own. It reports whether a call can be made.
func (d *checks) checkConfig(config v1.Config) bool {
	alone := v1.Config{BaseURL: config.BaseURL, Key: "key"}
	if _, err := v1.NewStatusClient(alone); err != nil {
		d.problem(problem.Usage, "base URL", "give_base_url", "%v", err)
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
			d.problem(problem.Usage, part.check, "", "%s", d.explain(err))
			usable = false
		}
	}
	return usable
}

// checkBaseURL says what is unusual about an address that can be used.
func (d *checks) checkBaseURL(address string) {
	const check = "base URL"
	base, err := url.Parse(address)
	switch {
	case err != nil:
	case !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/api/v1"):
		d.warn(check, "path_prefix",
			"%s does not end with /api/v1", address)
	case base.Scheme == "http" && !d.service.Sandbox:
		d.ok(check, "%s, in the clear on this machine", address)
	default:
		d.ok(check, "%s", address)
	}
}

// checkService makes every free call and checks what comes back.
func (d *checks) checkService(ctx context.Context, config v1.Config) {
	client, err := v1.NewStatusClient(config)
	if err != nil {
		d.problem(problem.Usage, "configuration", "", "%s", d.explain(err))
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
func (d *checks) checkNoStatus(err error) {
	var refused *v1.StatusError
	switch {
	case errors.As(err, &refused) && refused.HTTPStatus == http.StatusUnauthorized:
		d.problem(problem.Refused, "key", "", "%s", d.explain(err))
	case errors.As(err, &refused):
		d.problem(problem.Refused, "account status", "ask_service", "%s", d.explain(err))
	default:
		d.problem(problem.Refused, "service", "run_again", "%s", d.explain(err))
	}
}

func (d *checks) checkKey(account cost.Account) {
	switch {
	case !account.KeyValid.Known:
		d.warn("key", "look_at_account", "the service answers, but does not say whether the key is valid")
	case !account.KeyValid.Value:
		d.problem(problem.Refused, "key", "invalid_api_key", "the service calls the key invalid")
	default:
		d.accepted = true
		d.ok("key", "the service accepts it")
	}
}

// checkMembers compares the account status with what is read of it.
func (d *checks) checkMembers(members []v1.Assumption) {
	missing := notFound(members)
	if len(missing) == 0 {
		d.ok("account status", "all %d members that are read are there", len(members))
		return
	}
	d.warn("account status", "members_missing",
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

func (d *checks) checkClock(found v1.Inspection) {
	skew, known := found.Skew()
	direction := "ahead of"
	if skew < 0 {
		skew, direction = -skew, "behind"
	}
	switch {
	case !known:
		d.warn("clock", "compare_clock", "the service does not show its time, so that the clocks cannot be compared")
	case skew > tolerableSkew:
		d.warn("clock", "set_clock",
			"this machine's clock is %s %s the service's", skew.Round(time.Second), direction)
	default:
		d.ok("clock", "it agrees with the service's")
	}
}

// limitOfService is the rate limit of specification v1, "Limits".
var limitOfService = configs.RateFlag{Slots: 30, Window: time.Minute}

func (d *checks) checkRate(shown map[string]string) {
	const check = "rate limit"
	rate := configs.RateFlag(d.service.Rate)
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		limit, err := strconv.Atoi(strings.TrimSpace(shown[name]))
		if err == nil && strings.HasSuffix(strings.ToLower(name), "-limit") && limit < rate.Slots {
			d.findings = append(d.findings, report.CheckFinding{
				Check: check, Result: report.CheckWarning, Advice: d.hints("rate_shown", limit),
				Found: fmt.Sprintf("the service shows %s: %d, and the limit here is %s", name, limit, rate.String()),
			})
			return
		}
	}
	if !rate.Within(limitOfService) && !d.service.Sandbox {
		d.warn(check, "give_rate", "%s is more than the %s that the service documents",
			rate.String(), limitOfService.String())
		return
	}
	d.ok(check, "%s is kept to", rate.String())
}

// checkOperations checks which lookups could be sent now. Without any, nothing can.
func (d *checks) checkOperations(account cost.Account) {
	callable := 0
	type refused struct{ operation, found, code string }
	var refusals []refused
	lookups := provider.V1Interface()
	for _, fields := range lookups.Operations {
		operation := lookups.Catalogue.Operation(fields)
		offered, ready := account.Offers(operation), account.Readiness[operation]
		refusal := refused{operation: operation}
		switch {
		case offered.Known && !offered.Value:
			refusal.found, refusal.code = "the workspace's plan does not offer it", v1.CodePricingUnavailable
		case ready.CanCall.Known && !ready.CanCall.Value:
			refusal.found, refusal.code = "the service does not allow it now: "+ready.Reason, ready.Reason
		case !ready.CanCall.Known:
			callable++
			d.warn(operation, "try_one", "the account status does not show whether it can be called")
			continue
		default:
			callable++
			d.ok(operation, "can be called now, for at most %s", report.Dollars(report.Known(ready.MaximumCharge)))
			continue
		}
		refusals = append(refusals, refusal)
	}
	for _, refusal := range refusals {
		if callable == 0 {
			d.problem(problem.Refused, refusal.operation, refusal.code, "%s", refusal.found)
		} else {
			d.warn(refusal.operation, refusal.code, "%s", refusal.found)
		}
	}
}

func (d *checks) checkConditions(conditions []v1.Condition) {
	const check = "input condition"
	if len(conditions) == 0 {
		d.ok(check, "the account has none")
	}
	for _, condition := range conditions {
		if condition.Err != nil {
			d.warn(check, "condition_unusable", "that of %s cannot be applied: %v", condition.Operation, condition.Err)
			continue
		}
		if condition.Unmet != nil {
			d.warn(check, "condition_unmet",
				"that of %s %v", condition.Operation, condition.Unmet)
			continue
		}
		d.ok(check, "that of %s is applied: a lookup that does not fulfil it is not sent", condition.Operation)
	}
}
