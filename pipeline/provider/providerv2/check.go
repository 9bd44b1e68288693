package providerv2

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// The checks of the second interface begin with its name.
const (
	v2BaseURL  = "v2 base URL"
	v2Key      = "v2 key"
	v2Modules  = "v2 modules"
	v2Contacts = "v2 contacts"
	v2Rate     = "v2 rate limit"
)

// checks are those of the interface.
type checks struct {
	*provider.Checks
	provider Provider
	at       provider.Endpoint
}

// Check implements provider.Provider.
func (p Provider) Check(ctx context.Context, at provider.Endpoint, c *provider.Checks) error {
	d, config := &checks{c, p, at}, p.Config(at)
	if !d.checkConfig(config) {
		return nil
	}
	client, err := v2.NewStatusClient(config)
	if err != nil {
		d.Problem(problem.Usage, "v2 configuration", "", "%s", d.Explain(err))
		return nil
	}
	usage, err := client.Usage(ctx)
	if err != nil {
		d.checkNoUsage(err)
		return nil
	}
	d.Accept(usage.Account())
	d.OK(v2Key, "the service accepts it")
	d.checkModules(usage)
	d.checkContacts(ctx, client)
	d.CheckRate(v2Rate, "give_rate_v2", "is assumed of the service", at.Embedded)
	return nil
}

// checkConfig checks the address and the key, each on its own. It reports whether a call can be made.
func (d *checks) checkConfig(config v2.Config) bool {
	if _, err := v2.NewStatusClient(v2.Config{BaseURL: config.BaseURL, Key: "key"}); err != nil {
		d.Problem(problem.Usage, v2BaseURL, "give_base_url_v2", "%v", err)
		return false
	}
	base, err := url.Parse(config.BaseURL)
	if err == nil && !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/v2") {
		d.Warn(v2BaseURL, "path_prefix_v2", "%s does not end with /v2", config.BaseURL)
	} else {
		d.OK(v2BaseURL, "%s", config.BaseURL)
	}
	if _, err := v2.NewStatusClient(v2.Config{BaseURL: config.BaseURL, Key: config.Key}); err != nil {
		d.Problem(problem.Usage, v2Key, "give_key_v2", "%s", d.Explain(err))
		return false
	}
	return true
}

// checkNoUsage says why the counters cannot be read.
func (d *checks) checkNoUsage(err error) {
	var refused *v2.Error
	switch {
	case errors.As(err, &refused) && (refused.HTTPStatus == http.StatusUnauthorized || refused.Code == v2.CodeInvalidKey):
		d.Problem(problem.Refused, v2Key, "give_key_v2", "%s", d.Explain(err))
	case errors.As(err, &refused):
		d.Problem(problem.Refused, v2Modules, "ask_service", "%s", d.Explain(err))
	default:
		d.Problem(problem.Refused, "v2 service", "run_again", "%s", d.Explain(err))
	}
}

// checkModules compares the counters with the modules that are assumed.
func (d *checks) checkModules(usage v2.Usage) {
	modules := d.provider.Modules
	var missing, unknown []string
	for _, meter := range v2.Meters() {
		module, shown := usage.Of(meter)
		switch {
		case !shown:
			missing = append(missing, modules.Codename(meter))
		case !module.Used.Known:
			d.Warn(v2Modules, "module_silent", "the service does not show what was used of %s", module.Codename)
		case module.Left().Known && module.Left().Value <= 0:
			d.Warn(v2Modules, "module_used_up", "%s is used up: %d of %d", module.Codename, module.Used.Value, module.Total.Value)
		default:
			d.OK(v2Modules, "%s: %s", module.Codename, describeModule(module))
		}
	}
	for _, module := range usage.Modules {
		if module.Meter == cost.USD {
			unknown = append(unknown, module.Codename)
		}
	}
	if len(missing) > 0 {
		d.Warn(v2Modules, "modules_missing", "the service does not show %s; it shows, beside the others, %s",
			provider.SomeOf(missing), orNothing(provider.SomeOf(unknown)))
	}
}

func orNothing(names string) string {
	if names == "" {
		return "nothing"
	}
	return names
}

func describeModule(m v2.Module) string {
	if left := m.Left(); left.Known {
		return report.Counted(left.Value, "unit") + " left"
	}
	return report.Counted(m.Used.Value, "unit") + " used, total unknown"
}

// checkContacts checks that the returned emails and phones are counted.
func (d *checks) checkContacts(ctx context.Context, client *v2.StatusClient) {
	now := d.at.Now()
	counts, err := client.ContactUsage(ctx, now.AddDate(0, 0, -1), now)
	switch {
	case err != nil:
		d.Warn(v2Contacts, "ask_service", "%s", d.Explain(err))
	case !counts.Emails.Known || !counts.Phones.Known:
		d.Warn(v2Contacts, "module_silent", "%s does not show how many emails and phones were returned", v2.OpContactMetrics)
	default:
		d.OK(v2Contacts, "%s and %s returned in the last day",
			report.Counted(counts.Emails.Value, "email"), report.Counted(counts.Phones.Value, "phone"))
	}
}
