package inspect

import (
	"context"
	"errors"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/conformance"
	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// ConformanceRun is the name of the run that pays for comparing.
const ConformanceRun = "conformance"

// ConformanceOptions say who may be looked up.
type ConformanceOptions struct {
	List     pipeline.List   // without names nobody of a list
	Profiles []string        // URLs
	Budget   pipeline.Budget // without MaxSpend no lookup is sent
	// Why rules are not tested: because nothing may be spent, and because earlier lookups are
	// in doubt.
	NothingToSpend, InDoubt string
	// NoUnits says that no units of v2 may be used.
	NoUnits string
	From    []string // the interfaces that are compared; none for those that are configured
}

// ComparisonEnded says how a comparison ended.
type ComparisonEnded struct {
	Report  *report.Conformance
	Stop    dispatch.Stop // why lookups stopped; nil when they did not
	InDoubt int           // lookups of comparisons
}

// CompareService compares the service with its specification, rule by rule.
func CompareService(ctx context.Context, w *pipeline.Work, o ConformanceOptions) (*ComparisonEnded, error) {
	first, second, err := o.interfaces(w.Workspace)
	if err != nil {
		return nil, err
	}
	if !first && len(o.List.Names)+len(o.Profiles) > 0 {
		return nil, problem.Usagef("lists and profiles are looked up only with v1: compare v1 as well, or leave them out; nothing was sent")
	}
	return pipeline.WithSession(w, func(place *workspace.Session) (*ComparisonEnded, error) {
		if err := o.check(); err != nil {
			return nil, err
		}
		ended := &ComparisonEnded{Report: nothing()}
		if first {
			if ended, err = o.compareV1(ctx, w, place); err != nil {
				return nil, err
			}
		}
		if second {
			if err := o.compareV2(ctx, w, place, ended); err != nil {
				return nil, err
			}
		}
		return ended, nil
	})
}

// interfaces returns which interfaces are compared.
func (o ConformanceOptions) interfaces(options workspace.Options) (first, second bool, err error) {
	one, _, _ := provider.Of[providerv1.Provider](options.Services)
	two, _, _ := provider.Of[providerv2.Provider](options.Services)
	first, second = options.IsConfigured(one), options.IsConfigured(two)
	if len(o.From) == 0 {
		return first, second, nil
	}
	wanted := map[string]bool{}
	for _, name := range o.From {
		configured := map[string]bool{"v1": first, "v2": second}[name]
		switch {
		case name != "v1" && name != "v2":
			return false, false, problem.Usagef("%q is not an interface; the interfaces are v1, v2", name)
		case !configured:
			return false, false, problem.Coded("not_configured_"+name, "the %s interface is not configured", name)
		}
		wanted[name] = true
	}
	return wanted["v1"], wanted["v2"], nil
}

// compareV1 compares the v1 interface with its specification.
func (o ConformanceOptions) compareV1(ctx context.Context, w *pipeline.Work, place *workspace.Session) (*ComparisonEnded, error) {
	of, _, _ := provider.Of[providerv1.Provider](w.Workspace.Services) // the caller has looked
	asking, err := w.Asking(place, ConformanceRun, of, o.List, o.Budget)
	if err != nil {
		return nil, err
	}
	ended, err := o.compare(ctx, &comparing{Asking: asking, work: w, place: place})
	return ended, errors.Join(err, asking.Close())
}

// comparing is a comparison under way.
type comparing struct {
	*pipeline.Asking
	work  *pipeline.Work
	place *workspace.Session
	stop  dispatch.Stop // why lookups stopped
}

// compare compares the service with its specification.
func (o ConformanceOptions) compare(ctx context.Context, c *comparing) (*ComparisonEnded, error) {
	lookups, err := o.lookups(ctx, c)
	if err != nil {
		return nil, err
	}
	defer c.Account.Close()
	live, err := c.openLive()
	if err != nil {
		return nil, err
	}
	c.Account.Journal = c.place.Journal
	live.Lookups, live.Why = lookups, o.NothingToSpend
	if c.place.Journal != nil {
		if live.Why, err = c.openSpending(ctx, o.InDoubt); err != nil {
			return nil, err
		}
		if live.Why == "" {
			live.Sender = c
		}
	}
	found, err := c.onRecord(func() (conformance.Report, error) { return live.Compare(ctx) })
	if err != nil {
		return nil, err
	}
	var totals cost.Totals
	ended := &ComparisonEnded{Stop: c.stop}
	if c.place.Journal != nil {
		totals = c.place.Journal.Totals(checkpoint.RunScope(ConformanceRun))
		ended.InDoubt, _ = c.place.Journal.InDoubt(ConformanceRun)
	}
	ended.Report = report.ConformanceOf(found, totals)
	return ended, nil
}

// check refuses what nobody can want.
func (o ConformanceOptions) check() error {
	switch limit, threshold := o.Budget.MaxSpend, o.Budget.Threshold; {
	case limit == nil && (len(o.List.Names) > 0 || len(o.Profiles) > 0):
		return problem.Coded("max_spend_missing", "looking people up needs the most that it may cost; nothing was sent")
	case limit != nil && threshold != nil && *limit > *threshold:
		return problem.Usagef("the ceiling of $%s is above the approval threshold of $%s; give less; nothing was sent", limit, threshold)
	}
	return nil
}

// lookups returns who is to be looked up, and opens the journal when somebody may be.
func (o ConformanceOptions) lookups(ctx context.Context, c *comparing) ([]enrich.Lookup, error) {
	// For what is wrong in a rate card, before a journal is begun.
	if _, err := c.Account.Connection.Choose(0, cost.Account{}); err != nil {
		return nil, err
	}
	lookups, err := profileLookups(o.Profiles, c.Account.Wanted)
	if err != nil {
		return nil, err
	}
	if o.Budget.MaxSpend != nil {
		if err := c.place.OpenJournal(ctx, ConformanceRun); err != nil {
			return nil, err
		}
		listed, err := c.Lookups(ctx)
		if err != nil {
			return nil, err
		}
		lookups = append(lookups, listed...)
	}
	// The lookup that names nobody asks for an email: that needs a price, too.
	c.Account.Wanted = c.Account.Wanted.With(v1.WorkEmail)
	return lookups, c.Account.ChoosePrices()
}

// profileLookups returns the lookups of the persons of profiles.
func profileLookups(profiles []string, wanted enrich.Fields) ([]enrich.Lookup, error) {
	var lookups []enrich.Lookup
	for _, address := range profiles {
		who, reason := enrich.Contact{ProfileURL: address}.Identify(enrich.ByProfile)
		if reason != "" {
			return nil, problem.Usagef("the profile %s: %s", address, reason)
		}
		lookups = append(lookups, enrich.Lookup{Identity: who, Fields: wanted})
	}
	return lookups, nil
}

// openLive opens the account, and returns the service to be compared, without a way to spend.
func (c *comparing) openLive() (*conformance.LiveV1, error) {
	of, p, _ := provider.Of[providerv1.Provider](c.place.Options.Services) // the caller has looked
	at, err := c.place.Endpoint(of)
	if err != nil {
		return nil, err
	}
	config := p.Config(at)
	if c.Account.Status, c.Account.Finder, err = c.Account.Connection.Open(at, provider.UsePaying); err != nil {
		return nil, err
	}
	client := c.Account.Finder.(*v1.Client) // which the connection has opened
	other, unknown := config, config
	unknown.Key = unknownKey
	if other.Transport = v1.MCP; config.Transport == v1.MCP {
		other.Transport = v1.REST
	}
	card, option, err := c.work.Workspace.Prices.Read()
	if err != nil {
		return nil, err
	}
	live := &conformance.LiveV1{Client: client.StatusClient, Now: c.work.Env.Now, Card: card, Prices: option.Prices, Tools: specifiedTools}
	if c.work.Workspace.Sandbox {
		live.Tools = sandboxTools
	}
	otherClient, err := v1.NewStatusClient(other)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	unknownClient, err := v1.NewStatusClient(unknown)
	live.Other, live.UnknownKey = otherClient, unknownClient
	return live, problem.AsUsage(err)
}

// How many tools the MCP endpoint lists: by the specification, and in the sandbox, which
// has those whose names are known.
const (
	specifiedTools = 12
	sandboxTools   = 4
)
