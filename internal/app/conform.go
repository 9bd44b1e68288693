package app

import (
	"context"
	"errors"
	"io"

	"payonce/checkpoint"
	"payonce/conformance"
	"payonce/enrich"
	"payonce/internal/interfaces"
	"payonce/internal/pricing"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/row"
	v1 "payonce/service/v1"
	"payonce/service/v1/v1fields"
)

// ConformanceRun is the name of the run that pays for comparing.
const ConformanceRun = "conformance"

// ConformOptions say who may be looked up.
type ConformOptions struct {
	List     List     // without names nobody of a list
	Profiles []string // URLs
	Budget   Budget   // without MaxSpend no lookup is sent
	// Why rules are not tested: because nothing may be spent, and because earlier lookups are
	// in doubt.
	NothingToSpend, InDoubt string
}

// Conformed says how a comparison ended.
type Conformed struct {
	Report  *report.Conformance
	Stop    dispatch.Stop // why lookups stopped; nil when they did not
	InDoubt int           // lookups of comparisons
}

// Conform compares the service with its specification, rule by rule.
func (w *Work) Conform(ctx context.Context, o ConformOptions) (*Conformed, error) {
	return with(w, func(s *session) (*Conformed, error) {
		if err := o.check(); err != nil {
			return nil, err
		}
		j, lookups, err := s.prepareConform(ctx, o)
		if err != nil {
			return nil, err
		}
		account := j.accounts[0]
		live, client, err := j.openLive()
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, client.Close)
		seller := s.seller()
		seller.Client = client.StatusClient
		account.Journal, account.Status, account.Finder, account.Seller = s.journal(), client, client, seller
		live.Lookups, live.Why = lookups, o.NothingToSpend
		sender := &journalSender{job: j, account: account}
		if s.journal() != nil {
			if live.Why, err = j.openSpending(ctx, account, o.InDoubt); err != nil {
				return nil, err
			}
			if live.Why == "" {
				live.Sender = sender
			}
		}
		found, err := sender.onRecord(func() (conformance.Report, error) { return live.Compare(ctx) })
		if err != nil {
			return nil, err
		}
		ended := &Conformed{Report: report.ConformanceOf(found, s.totals(checkpoint.RunScope(ConformanceRun))), Stop: sender.stop}
		if s.journal() != nil {
			ended.InDoubt, _ = s.journal().InDoubt(ConformanceRun)
		}
		return ended, nil
	})
}

// check refuses what nobody can want.
func (o ConformOptions) check() error {
	switch limit, threshold := o.Budget.MaxSpend, o.Budget.Threshold; {
	case limit == nil && (len(o.List.Names) > 0 || len(o.Profiles) > 0):
		return problem.Coded("max_spend_missing", "looking people up needs the most that it may cost; nothing was sent")
	case limit != nil && threshold != nil && *limit > *threshold:
		return problem.Usagef("the ceiling of $%s is above the approval threshold of $%s; give less; nothing was sent", limit, threshold)
	}
	return nil
}

// prepareConform reads who is to be looked up, and opens the journal when somebody may
// be.
func (s *session) prepareConform(ctx context.Context, o ConformOptions) (*job, []enrich.Lookup, error) {
	j := &job{session: s, order: o.List, name: ConformanceRun, profile: s.work.Workspace.Service.Profile}
	var err error
	if len(o.List.Names) > 0 {
		if j, err = s.prepare(o.List); err != nil {
			return nil, nil, err
		}
	} else {
		j.addStep(s.account(interfaces.V1()), row.Scope{Wanted: o.List.Fields})
	}
	account := j.accounts[0]
	account.Strict, j.budget = o.Budget.Strict, o.Budget
	// For what is wrong in a rate card, before a journal is begun.
	if _, err := pricing.Choose(s.work.Workspace.Prices, 0, nil, account.Shown); err != nil {
		return nil, nil, err
	}
	lookups, err := profileLookups(o.Profiles, o.List.Fields)
	if err != nil {
		return nil, nil, err
	}
	if o.Budget.MaxSpend != nil {
		if err := s.place.OpenJournal(ctx, ConformanceRun); err != nil {
			return nil, nil, err
		}
		listed, err := j.listLookups(ctx)
		if err != nil {
			return nil, nil, err
		}
		lookups = append(lookups, listed...)
	}
	// The lookup that names nobody asks for an email: that needs a price, too.
	account.Wanted = account.Wanted.With(v1fields.WorkEmail)
	return j, lookups, j.choosePrices()
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

// listLookups returns the lookups of the first persons of the list, if there is one,
// that the journal has no answer for.
func (j *job) listLookups(ctx context.Context) ([]enrich.Lookup, error) {
	if j.list == nil {
		return nil, nil
	}
	j.accounts[0].Journal = j.session.journal()
	if err := j.take(ctx); err != nil {
		return nil, err
	}
	next, done := j.steps[0].survey.Lookups(ctx, j.list)
	defer done()
	var lookups []enrich.Lookup
	for {
		lookup, err := next()
		if errors.Is(err, io.EOF) {
			return lookups, nil
		}
		if err != nil {
			return nil, err
		}
		lookups = append(lookups, lookup)
	}
}

// openLive returns the service to be compared, without a way to spend, and the client
// that has one.
func (j *job) openLive() (*conformance.Live, *v1.Client, error) {
	config, err := j.session.place.Config()
	if err != nil {
		return nil, nil, err
	}
	client, err := v1.NewClient(config)
	if err != nil {
		return nil, nil, problem.AsUsage(err)
	}
	other, stranger := config, config
	stranger.Key = "no-key-of-any-workspace"
	if other.Transport = v1.MCP; config.Transport == v1.MCP {
		other.Transport = v1.REST
	}
	card, option, err := j.session.work.Workspace.Prices.Read()
	if err != nil {
		return nil, nil, err
	}
	live := &conformance.Live{Client: client.StatusClient, Now: j.session.work.Env.Now, Card: card, Prices: option.Prices, Tools: specifiedTools}
	if j.session.work.Workspace.Service.Sandbox {
		live.Tools = sandboxTools
	}
	otherClient, err := v1.NewStatusClient(other)
	if err != nil {
		return nil, nil, problem.AsUsage(err)
	}
	strangerClient, err := v1.NewStatusClient(stranger)
	live.Other, live.Stranger = otherClient, strangerClient
	return live, client, problem.AsUsage(err)
}

// How many tools the MCP endpoint lists: by the specification, and in the sandbox, which
// has those whose names are known.
const (
	specifiedTools = 12
	sandboxTools   = 4
)
