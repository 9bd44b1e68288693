package providerv1

import (
	"context"
	"errors"
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

// checks are those of the interface.
type checks struct {
	*provider.Checks
	provider Provider
	at       provider.Endpoint
}

// Check implements provider.Provider.
func (p Provider) Check(ctx context.Context, at provider.Endpoint, c *provider.Checks) error {
	d := &checks{c, p, at}
	if config := p.Config(at); d.checkConfig(config) {
		d.checkService(ctx, config)
	}
	return nil
}

// checkConfig checks what can be checked of a configuration without a call, each part
// on its own. It reports whether a call can be made.
func (d *checks) checkConfig(config v1.Config) bool {
	alone := v1.Config{BaseURL: config.BaseURL, Key: "key"}
	if _, err := v1.NewStatusClient(alone); err != nil {
		d.Problem(problem.Usage, "base URL", "give_base_url", "%v", err)
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
			d.Problem(problem.Usage, part.check, "", "%s", d.Explain(err))
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
		d.Warn(check, "path_prefix",
			"%s does not end with /api/v1", address)
	case base.Scheme == "http" && !d.at.Embedded:
		d.OK(check, "%s, in the clear on this machine", address)
	default:
		d.OK(check, "%s", address)
	}
}

// checkService makes every free call and checks what comes back.
func (d *checks) checkService(ctx context.Context, config v1.Config) {
	client, err := v1.NewStatusClient(config)
	if err != nil {
		d.Problem(problem.Usage, "configuration", "", "%s", d.Explain(err))
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
		d.Problem(problem.Refused, "key", "", "%s", d.Explain(err))
	case errors.As(err, &refused):
		d.Problem(problem.Refused, "account status", "ask_service", "%s", d.Explain(err))
	default:
		d.Problem(problem.Refused, "service", "run_again", "%s", d.Explain(err))
	}
}

func (d *checks) checkKey(account cost.Account) {
	switch {
	case !account.KeyValid.Known:
		d.Warn("key", "look_at_account", "the service answers, but does not say whether the key is valid")
	case !account.KeyValid.Value:
		d.Problem(problem.Refused, "key", "invalid_api_key", "the service calls the key invalid")
	default:
		d.Accept(account)
		d.OK("key", "the service accepts it")
	}
}

// checkMembers compares the account status with what is read of it.
func (d *checks) checkMembers(members []v1.Assumption) {
	missing := notFound(members)
	if len(missing) == 0 {
		d.OK("account status", "all %d members that are read are there", len(members))
		return
	}
	d.Warn("account status", "members_missing",
		"%d of %d members that are read are not there, or not as they should be: %s", len(missing), len(members), provider.SomeOf(missing))
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
		d.Warn("clock", "compare_clock", "the service does not show its time, so that the clocks cannot be compared")
	case skew > tolerableSkew:
		d.Warn("clock", "set_clock",
			"this machine's clock is %s %s the service's", skew.Round(time.Second), direction)
	default:
		d.OK("clock", "it agrees with the service's")
	}
}

func (d *checks) checkRate(shown map[string]string) {
	const check = "rate limit"
	rate := configs.RateFlag(d.Of.Rate)
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		limit, err := strconv.Atoi(strings.TrimSpace(shown[name]))
		if err == nil && strings.HasSuffix(strings.ToLower(name), "-limit") && limit < rate.Slots {
			d.Advise(check, d.Hints("rate_shown", limit), "the service shows %s: %d, and the limit here is %s", name, limit, rate.String())
			return
		}
	}
	d.CheckRate(check, "give_rate", "the service documents", d.at.Embedded)
}

// checkOperations checks which lookups could be sent now. Without any, nothing can.
func (d *checks) checkOperations(account cost.Account) {
	callable := 0
	type refused struct{ operation, found, code string }
	var refusals []refused
	lookups := Provider{}.Interface()
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
			d.Warn(operation, "try_one", "the account status does not show whether it can be called")
			continue
		default:
			callable++
			d.OK(operation, "can be called now, for at most %s", report.Dollars(report.Known(ready.MaximumCharge)))
			continue
		}
		refusals = append(refusals, refusal)
	}
	for _, refusal := range refusals {
		if callable == 0 {
			d.Problem(problem.Refused, refusal.operation, refusal.code, "%s", refusal.found)
		} else {
			d.Warn(refusal.operation, refusal.code, "%s", refusal.found)
		}
	}
}

func (d *checks) checkConditions(conditions []v1.Condition) {
	const check = "input condition"
	if len(conditions) == 0 {
		d.OK(check, "the account has none")
	}
	for _, condition := range conditions {
		if condition.Err != nil {
			d.Warn(check, "condition_unusable", "that of %s cannot be applied: %v", condition.Operation, condition.Err)
			continue
		}
		if condition.Unmet != nil {
			d.Warn(check, "condition_unmet",
				"that of %s %v", condition.Operation, condition.Unmet)
			continue
		}
		d.OK(check, "that of %s is applied: a lookup that does not fulfil it is not sent", condition.Operation)
	}
}
