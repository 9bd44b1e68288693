package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"payonce/pipeline"
	"payonce/pipeline/report"
)

// agreedFlags are the flags, and the keys of the section of assumptions, that decide what is bought, for which persons, how the list is
// read, and which ceilings hold. A run of a plan takes them from the plan and may not set them.
var agreedFlags = slices.Concat(readingFlags, []string{
	"fields", "from", "resolve", "selected", "fallback", "figures", "years", "accept-mismatch", "prefer", "reask-missing", "limit", "priority", "complete-first", "profile", "name", "job",
	"max-spend", "max-lookups", "monthly", "daily", "workspace-monthly", "max-units", "daily-units", "monthly-units", "unit-prices", "modules", "module-codenames",
	"short-budget", "approval-threshold", "strict", "held", "preset", "copy-held", "rate-option", "workspace", "sandbox",
})

// offeredFlags are those that a run of a plan takes from it where it says nothing
// itself: how it goes, and where the prices stand, which are compared. What is taken
// is told, and a rate faster than the default is not: the file may come from anybody.
var offeredFlags = []string{"transport", "rate", "headroom", "pace", "concurrency", "rate-card"}

// keep writes a plan with the flags of its run to the file that was asked for.
func (o *options) keep(flags *pflag.FlagSet, planned *pipeline.Planned) (err error) {
	plan := *planned.Plan
	plan.Sample = nil // a run of the plan is not a sample
	kept := &pipeline.PlanFile{
		Version: pipeline.PlanFileVersion, Kept: planned.Plan.At, List: pipeline.PlannedList{Paths: planned.Paths, SHA256: planned.SHA256},
		Service: o.serviceName(), Options: map[string]string{}, Map: o.list.List.Mapping, Columns: planned.Columns, Header: planned.Header,
		Plan: &plan,
	}
	for _, name := range append(agreedFlags, offeredFlags...) {
		if name == "rate" && o.service.Sandbox && !o.service.Addresses[0].Rate.given {
			continue // that of the sandbox is none of the service
		}
		if value := o.service.assumed.lookup(flags, name).Value.String(); value != "" {
			kept.Options[name] = value
		}
	}
	for _, a := range o.service.Addresses[1:] {
		if !o.service.Sandbox && planned.Plan.Steps.Ask(a.of) {
			kept.SetAddress(a.of, trimBaseURL(a.BaseURL))
		}
	}
	kept.Options["name"], kept.Options["job"] = planned.Plan.Run, planned.Plan.Job
	for name, path := range map[string]string{"rate-card": o.prices.card, "selected": o.list.List.Selected} {
		if path == "" {
			continue
		}
		if kept.Options[name], err = filepath.Abs(path); err != nil {
			return err
		}
	}
	return kept.Write(o.output.keepAs, o.env.fileMode)
}

// serviceName returns the service as a kept plan names it.
func (o *options) serviceName() string {
	if o.service.Sandbox {
		return pipeline.PlannedSandbox
	}
	return trimBaseURL(o.service.Addresses[0].BaseURL)
}

// followPlan reads the plan that the run is to follow and takes its options over,
// where the command line and the configuration do not say the same. What they say
// otherwise is an error.
func (o *options) followPlan(flags *pflag.FlagSet) error {
	kept, err := pipeline.ReadPlanFile(o.planFile)
	if err != nil {
		return err
	}
	if o.list.List.Reask.Forfeited {
		return errors.New("--rebuy is not in a plan; run without --plan to buy lost answers again")
	}
	if o.list.List.MapFile != "" {
		return errors.New("a kept plan already says how the columns are read; leave out --map-file or the plan")
	}
	found, taken := &pipeline.PlanDifferences{File: o.planFile}, []string{o.planFile, "sets"}
	for _, name := range append(agreedFlags, offeredFlags...) {
		flag, written := o.service.assumed.lookup(flags, name), o.service.assumed.written(name)
		planned, own := kept.Options[name], flag.Value.String()
		switch {
		case !flag.Changed && planned != "":
			if err := o.setPlanned(flag, planned); err != nil {
				return fmt.Errorf("%s: %s: %w", o.planFile, name, err)
			}
			if planned != own {
				taken = append(taken, written+"="+report.ShellWord(report.Printable(planned)))
			}
		case flag.Changed && slices.Contains(agreedFlags, name):
			found.Add(written, planned, own)
		}
	}
	if flags.Lookup("map").Changed {
		found.Add("--map", strings.Join(kept.Map, " "), strings.Join(o.list.List.Mapping, " "))
	}
	for _, mapping := range kept.Map {
		taken = append(taken, "--map="+report.ShellWord(report.Printable(mapping)))
	}
	o.list.List.Mapping, o.list.List.Recorded, o.kept = kept.Map, pipeline.RecordedColumns{Columns: kept.Columns, Header: kept.Header, Fixed: true}, kept
	if err := o.checkService(kept, found); err != nil {
		return err
	}
	if err := found.Err(); err != nil {
		return err
	}
	o.log().Note(strings.Join(taken, " "))
	return nil
}

// setPlanned sets a flag to what the plan says. A rate faster than the default has to come
// from whoever runs the plan: too fast a rate costs refusals, and the file may come
// from anybody.
func (o *options) setPlanned(flag *pflag.Flag, planned string) error {
	rate := &o.service.Addresses[0].Rate
	usual := *rate
	if err := flag.Value.Set(planned); err != nil {
		return err
	}
	if !rate.Within(usual.RateFlag) {
		return fmt.Errorf("%s is faster than %s: give it yourself with --rate when the service allows it", rate.String(), usual.String())
	}
	return nil
}

// checkService compares the service with the planned one. Its address is not taken
// from the file: the API key goes to it, and the file may come from anybody.
func (o *options) checkService(kept *pipeline.PlanFile, found *pipeline.PlanDifferences) error {
	if o.service.Sandbox && o.service.Addresses[0].BaseURL == o.env.getenv(baseURLVariable) {
		found.Add("the service", kept.Service, pipeline.PlannedSandbox)
		return nil
	}
	for _, a := range o.service.Addresses {
		name, planned := "the service", kept.Service
		if a.of != "" {
			name, planned = "the service of "+a.of, kept.Address(a.of)
		}
		switch {
		case planned == "": // it is not asked
		case a.BaseURL == "":
			return fmt.Errorf("%s plans for the service %s: give its address yourself with --%s or %s, because your key goes to it",
				o.planFile, report.Printable(planned), a.flag("base-url"), a.variable(baseURLVariable))
		default:
			found.Add(name, planned, trimBaseURL(a.BaseURL))
		}
	}
	return nil
}

// trimBaseURL returns an address as it is compared.
func trimBaseURL(address string) string {
	address = strings.TrimRight(address, "/")
	if base, err := url.Parse(address); err == nil {
		base.Scheme, base.Host = strings.ToLower(base.Scheme), strings.ToLower(base.Host)
		base.User, base.RawQuery, base.Fragment = nil, "", "" // somebody may have put a secret there
		return base.String()
	}
	return address
}
