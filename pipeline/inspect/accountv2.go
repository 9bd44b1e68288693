package inspect

import (
	"context"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// accountV2Of reads the counters of the second interface, and compares them with the journal where that
// knows the account.
func accountV2Of(ctx context.Context, s *workspace.Session) (*report.UnitAccount, error) {
	client, err := s.OpenV2Status()
	if err != nil {
		return nil, err
	}
	usage, err := client.Usage(ctx)
	if err != nil {
		return nil, err
	}
	now := s.Env.Now().UTC()
	contacts, err := client.ContactUsage(ctx, time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), now)
	if err != nil {
		return nil, err
	}
	view := &report.UnitAccount{
		ReadAt: usage.ReadAt, Modules: []report.Module{}, Since: contacts.From,
		Emails: report.Known(contacts.Emails), Phones: report.Known(contacts.Phones),
	}
	for _, module := range usage.Modules {
		shown := report.Module{
			Name: module.Name, Codename: module.Codename,
			Used: report.Known(module.Used), Total: report.Known(module.Total), Left: report.Known(module.Left()),
		}
		if module.Meter != cost.USD {
			shown.Meter = v2.MeterName(module.Meter)
		}
		view.Modules = append(view.Modules, shown)
	}
	return view, compareV2(ctx, s, usage, view)
}

// compareV2 adds what the journal and others used of each module since the journal's base. A journal that
// cannot be read now is left out: the account itself needs none.
func compareV2(ctx context.Context, s *workspace.Session, usage v2.Usage, view *report.UnitAccount) error {
	if s.Journal == nil {
		if exists, err := s.ReadExisting(ctx, "account"); err != nil || !exists {
			return ctx.Err()
		}
	}
	journal, found, err := s.ReadV2()
	if err != nil || !found {
		return err
	}
	view.Limits = report.LimitsOf(journal.Limits())
	base, totals := journal.Base(), journal.Totals(checkpoint.ScopeAccount)
	if base.ReadAt.IsZero() {
		return nil
	}
	drift := s.DriftV2(journal, usage.Account())
	view.BaseAt = &base.ReadAt
	if drift.Misplaced.On != "" {
		view.Misplaced = drift.Misplaced.Describe(s.Options.V2.Modules.Tariff())
	}
	for i, module := range usage.Modules {
		if module.Meter == cost.USD {
			continue
		}
		used := totals.Settled[module.Meter]
		view.Modules[i].Journal = &used
		if base.Used[module.Meter].Known && module.Used.Known && module.Used.Value >= base.Used[module.Meter].Value {
			others := drift.Lost[module.Meter]
			view.Modules[i].Others = &others
		}
	}
	return nil
}
