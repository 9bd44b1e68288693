package inspect

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"payonce/configs"
	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// The checks of the second interface begin with its name.
const (
	v2BaseURL  = "v2 base URL"
	v2Key      = "v2 key"
	v2Modules  = "v2 modules"
	v2Contacts = "v2 contacts"
	v2Rate     = "v2 rate limit"
)

// checkV2 makes the free calls of the second interface and checks what comes back.
func (d *checks) checkV2(ctx context.Context) error {
	config, err := d.place.V2Config()
	if err != nil {
		return err
	}
	if !d.checkV2Config(config) {
		return nil
	}
	client, err := v2.NewStatusClient(config)
	if err != nil {
		d.problem(problem.Usage, "v2 configuration", "", "%s", d.explain(err))
		return nil
	}
	usage, err := client.Usage(ctx)
	if err != nil {
		d.checkNoUsage(err)
		return nil
	}
	d.acceptedV2, d.usage = true, usage
	d.ok(v2Key, "the service accepts it")
	d.checkModules(usage)
	d.checkContacts(ctx, client)
	d.checkV2Rate()
	return nil
}

// checkV2Config checks the address and the key, each on its own. It reports whether a call can be made.
func (d *checks) checkV2Config(config v2.Config) bool {
	if _, err := v2.NewStatusClient(v2.Config{BaseURL: config.BaseURL, Key: "key"}); err != nil {
		d.problem(problem.Usage, v2BaseURL, "give_base_url_v2", "%v", err)
		return false
	}
	base, err := url.Parse(config.BaseURL)
	if err == nil && !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/v2") {
		d.warn(v2BaseURL, "path_prefix_v2", "%s does not end with /v2", config.BaseURL)
	} else {
		d.ok(v2BaseURL, "%s", config.BaseURL)
	}
	if _, err := v2.NewStatusClient(v2.Config{BaseURL: config.BaseURL, Key: config.Key}); err != nil {
		d.problem(problem.Usage, v2Key, "give_key_v2", "%s", d.explain(err))
		return false
	}
	return true
}

// checkNoUsage says why the counters cannot be read.
func (d *checks) checkNoUsage(err error) {
	var refused *v2.Error
	switch {
	case errors.As(err, &refused) && (refused.HTTPStatus == http.StatusUnauthorized || refused.Code == v2.CodeInvalidKey):
		d.problem(problem.Refused, v2Key, "give_key_v2", "%s", d.explain(err))
	case errors.As(err, &refused):
		d.problem(problem.Refused, v2Modules, "ask_service", "%s", d.explain(err))
	default:
		d.problem(problem.Refused, "v2 service", "run_again", "%s", d.explain(err))
	}
}

// checkModules compares the counters with the modules that are assumed.
func (d *checks) checkModules(usage v2.Usage) {
	modules := d.place.Options.V2.Modules
	var missing, unknown []string
	for _, meter := range v2.Meters() {
		module, shown := usage.Of(meter)
		switch {
		case !shown:
			missing = append(missing, modules.Codename(meter))
		case !module.Used.Known:
			d.warn(v2Modules, "module_silent", "the service does not show what was used of %s", module.Codename)
		case module.Left().Known && module.Left().Value <= 0:
			d.warn(v2Modules, "module_used_up", "%s is used up: %d of %d", module.Codename, module.Used.Value, module.Total.Value)
		default:
			d.ok(v2Modules, "%s: %s", module.Codename, describeModule(module))
		}
	}
	for _, module := range usage.Modules {
		if module.Meter == cost.USD {
			unknown = append(unknown, module.Codename)
		}
	}
	if len(missing) > 0 {
		d.warn(v2Modules, "modules_missing", "the service does not show %s; it shows, beside the others, %s",
			someOf(missing), orNothing(someOf(unknown)))
	}
}

// checkBooked compares the counters with what the journal booked on its modules.
func (d *checks) checkBooked() {
	if !d.acceptedV2 || d.place.Journal == nil {
		return
	}
	journal, found, err := d.place.ReadV2()
	if err != nil {
		d.failed(v2Modules, err)
		return
	}
	if !found || journal.Base().ReadAt.IsZero() {
		return
	}
	if misplaced := d.place.DriftV2(journal, d.usage.Account()).Misplaced; misplaced.On != "" {
		d.warn(v2Modules, "module_differs", "%s", misplaced.Describe(d.place.Options.V2.Modules.Tariff()))
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
	now := d.place.Env.Now()
	counts, err := client.ContactUsage(ctx, now.AddDate(0, 0, -1), now)
	switch {
	case err != nil:
		d.warn(v2Contacts, "ask_service", "%s", d.explain(err))
	case !counts.Emails.Known || !counts.Phones.Known:
		d.warn(v2Contacts, "module_silent", "%s does not show how many emails and phones were returned", v2.OpContactMetrics)
	default:
		d.ok(v2Contacts, "%s and %s returned in the last day",
			report.Counted(counts.Emails.Value, "email"), report.Counted(counts.Phones.Value, "phone"))
	}
}

func (d *checks) checkV2Rate() {
	rate, assumed := configs.RateFlag(d.place.Options.V2.Rate), configs.RateFlag(workspace.DefaultRateV2())
	if !rate.Within(assumed) && !d.service.Sandbox {
		d.warn(v2Rate, "give_rate_v2", "%s is more than the %s that is assumed of the service", rate.String(), assumed.String())
		return
	}
	d.ok(v2Rate, "%s is kept to", rate.String())
}
