package providerv2

import (
	"context"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// Show implements provider.Provider. It adds the counters of the modules, and compares them with the journal where that
// knows the account.
func (p Provider) Show(ctx context.Context, at provider.Endpoint, known provider.AccountReader, account *report.Account) error {
	client, err := v2.NewStatusClient(p.Config(at))
	if err != nil {
		return problem.AsUsage(err)
	}
	usage, err := client.Usage(ctx)
	if err != nil {
		return err
	}
	span := account.Counted.Within(at.Now())
	last := span.To
	if !account.Counted.To.IsZero() {
		last = last.Add(-time.Second) // both ends belong to what the service counts
	}
	contacts, err := client.ContactUsage(ctx, span.From, last)
	if err != nil {
		return err
	}
	view := &report.UnitAccount{
		ReadAt: usage.ReadAt, Modules: []report.Module{}, Since: contacts.From,
		Emails: report.Known(contacts.Emails), Phones: report.Known(contacts.Phones),
	}
	if !account.Counted.To.IsZero() {
		view.Until = &span.To
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
	account.Second = view
	journal, err := known(ctx)
	if err != nil || journal == nil {
		return err
	}
	p.compare(journal, usage, view)
	return nil
}

// compare adds what the journal and others used of each module since the journal's base.
func (p Provider) compare(journal *checkpoint.Journal, usage v2.Usage, view *report.UnitAccount) {
	view.Limits = report.LimitsOf(journal.Limits())
	base, totals := journal.Base(), journal.Totals(checkpoint.ScopeAccount)
	if base.ReadAt.IsZero() {
		return
	}
	drift := provider.DriftSince(journal, usage.Account(), p.Modules.Tariff())
	view.BaseAt = &base.ReadAt
	if drift.Misplaced.On != "" {
		view.Misplaced = drift.Misplaced.Describe(p.Modules.Tariff())
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
}
