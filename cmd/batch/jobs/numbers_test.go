package jobs

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline"
	reports "payonce/pipeline/inspect"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// TestEveryCommandShowsTheSameNumbers makes journals of random calls: answered, refused, not sent, lost, forfeited and
// in doubt, of several runs, jobs and months, on accounts that others use, with prices, free allowances and units. Then
// it compares every quantity in all commands that show it.
func TestEveryCommandShowsTheSameNumbers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			r := newRandomJournal(t, seed)
			for range 6 + r.draw.IntN(6) {
				r.period()
			}
			r.close()
			shown := r.read()
			shown.compare()
			r.reconcile()
		})
	}
}

// TestHoldsInDoubtAreOneAmountEverywhere: 24 calls hold $10.60, and the account lost $5.70. So they hold $5.70 together.
func TestHoldsInDoubtAreOneAmountEverywhere(t *testing.T) {
	t.Parallel()
	r := newRandomJournal(t, 0)
	r.free[0] = enrich.ByField[int64]{}
	r.check(r.on[0].Rebase(r.snapshot(0)))
	run := r.runs[0]
	for n := range 24 {
		fields := enrich.FieldsOf(v1.WorkEmail)
		if n < 14 {
			fields = fields.With(v1.BusinessPhone)
		}
		r.lose(0, r.begin(0, run, fields), 0)
	}
	r.balance[0] -= 570 * cost.Cent
	r.settleDoubts(0)
	r.close()
	shown := r.read()
	shown.compare()
	if got := shown.reports["run "+run.Name].Held; got != 570*cost.Cent {
		t.Errorf("the report has $%s as held, want $5.70", got)
	}
	r.reconcile()
}

// randomJournal is a journal with three accounts, and what their services know.
type randomJournal struct {
	*nights
	draw    *rand.Rand
	journal *checkpoint.Journal
	on      []*checkpoint.Journal // by account
	of      []provider.Interface  // the same
	rates   []cost.Rates          // the same
	runs    []checkpoint.Run
	balance [3]cost.Money
	free    [3]enrich.ByField[int64]
	used    [3]cost.Amounts // of units
	persons int
}

func newRandomJournal(t *testing.T, seed uint64) *randomJournal {
	r := &randomJournal{nights: newNights(t), draw: rand.New(rand.NewPCG(seed, 28))}
	r.now = time.Date(2026, 10, 28, 21, 0, 0, 0, time.UTC)
	one, two := providerv1.Provider{}.Interface(), providerv2.Provider{}.Interface()
	r.of = []provider.Interface{one, two, one}
	for n, of := range r.of {
		prices := cost.Prices{}
		for f := range of.Catalogue.All().Each() {
			if prices[f] = 0; n != 1 {
				prices[f] = []cost.Money{15 * cost.Cent, 50 * cost.Cent}[f]
			}
		}
		r.rates = append(r.rates, of.Tariff.At(prices))
		r.balance[n] = 900 * cost.Dollar
		if n != 1 {
			r.free[n] = enrich.ByField[int64]{r.draw.Int64N(4), r.draw.Int64N(3)}
		}
	}
	opening, err := r.Workspace.Opening(r.Env, "test", nil)
	r.check(err)
	dir, err := r.Workspace.Dir()
	r.check(err)
	r.journal, err = workspace.OpenJournal(t.Context(), dir, opening)
	r.check(err)
	for n, service := range []string{"", "https://two.example", "https://three.example"} {
		number := attempt.Account(0)
		if n > 0 {
			id := checkpoint.AccountID{Interface: r.of[n].Catalogue.Interface, Service: service, Key: "key"}
			number, err = r.journal.Account(id, checkpoint.AccountOptions{
				Rate: checkpoint.Rate{Slots: 1000, Window: time.Second}, Catalogue: r.of[n].Catalogue, Tariff: r.of[n].Tariff,
			})
			r.check(err)
		}
		on, err := r.journal.For(number)
		r.check(err)
		r.on = append(r.on, on)
		r.check(on.Rebase(r.snapshot(n)))
	}
	for i, job := range []string{"night", "night", "week", ""} {
		r.runs = append(r.runs, checkpoint.Run{Name: fmt.Sprintf("run-%d", i), Job: job, Fields: "email", Started: r.now})
		r.save(i)
	}
	return r
}

func (r *randomJournal) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// save records a start of a run with its ceilings.
func (r *randomJournal) save(i int) {
	run := &r.runs[i]
	run.Restarted, run.MaxSpend = r.now, 500*cost.Dollar
	budget := pipeline.Budget{
		MaxSpend: &run.MaxSpend, Daily: new(90 * cost.Dollar), Monthly: new(300 * cost.Dollar), WorkspaceMonthly: new(700 * cost.Dollar), MaxLookups: new(int64(5000)),
		Units: map[string]int64{"companies": 4000}, DailyUnits: map[string]int64{"contacts": 900}, MonthlyUnits: map[string]int64{"companies": 3000},
	}
	run.Ceilings = budget.Ceilings(run.Name, cmp.Or(run.Job, run.Name))
	run.Accounts = []checkpoint.AskedAccount{
		{Account: 0}, {Account: 1, Ceilings: budget.UnitCeilings(run.Name, cmp.Or(run.Job, run.Name), r.of[1].Tariff)}, {Account: 2},
	}
	r.check(r.journal.SaveRun(*run))
}

// snapshot is what the service of an account shows.
func (r *randomJournal) snapshot(n int) cost.Account {
	a := cost.Account{ReadAt: r.now}
	if n == 1 {
		for m := range r.of[n].Tariff.Meters {
			if m != int(cost.USD) {
				a.Used[m], a.Reserved[m] = cost.Known(1000+r.used[n][m]), cost.Known[int64](0)
			}
		}
		return a
	}
	for f := range r.of[n].Catalogue.All().Each() {
		a.Free[f], a.FreeReserved[f] = cost.Known(r.free[n][f]), cost.Known[int64](0)
	}
	zero := cost.Known[cost.Money](0)
	a.Balance = cost.Balance{Available: cost.Known(r.balance[n]), Included: zero, Reserved: zero}
	return a
}

// charge charges an account for fields, as its service does.
func (r *randomJournal) charge(n int, fields enrich.Fields) {
	for f := range fields.Each() {
		switch rate := r.rates[n][f]; {
		case r.free[n][f] > 0:
			r.free[n][f]--
		default:
			r.balance[n] -= rate.Price()
			r.used[n] = r.used[n].Plus(rate.Uses)
		}
	}
	hold := cost.Hold{Fields: fields, Rates: r.rates[n]}.Amounts()
	if n == 1 && fields != 0 {
		r.used[n] = hold.Plus(r.used[n])
	}
}

// begin begins a call of a run about somebody new.
func (r *randomJournal) begin(n int, run checkpoint.Run, fields enrich.Fields) attempt.Ticket {
	r.persons++
	who := enrich.Identity{ProfileURL: fmt.Sprintf("https://pro.example/in/p%d", r.persons)}
	if n == 1 {
		who = enrich.Identity{Company: enrich.Company{Website: fmt.Sprintf("firm%d.example", r.persons)}}
	}
	decision, err := r.on[n].Begin(attempt.Request{
		Lookup: enrich.Lookup{Identity: who, Fields: fields}, Run: run.Name, Job: run.Job, Rates: r.rates[n], Account: attempt.Account(n),
	})
	r.check(err)
	granted, is := decision.(attempt.Granted)
	if !is {
		return attempt.Ticket{} // a free unit is in flight, or the window is full
	}
	ticket, err := granted.Ticket()
	r.check(err)
	return ticket
}

// answer settles a call with some of the fields that it asked for.
func (r *randomJournal) answer(n int, ticket attempt.Ticket) {
	var returned enrich.Fields
	for f := range ticket.Lookup.Fields.Each() {
		if r.draw.IntN(3) > 0 {
			returned = returned.With(f)
		}
	}
	answer := enrich.Answered{Status: enrich.Matched, Returned: returned, RequestID: "request"}
	if n != 1 {
		of := v1.Answer{Status: enrich.Matched}
		if returned.Has(v1.WorkEmail) {
			of.WorkEmail = "somebody@firm.example"
		}
		if returned.Has(v1.BusinessPhone) {
			of.BusinessPhone = "+49301234567"
		}
		answer = v1.EncodeAnswer(of)
	}
	_, err := r.on[n].Settle(ticket.ID, answer)
	r.check(err)
	r.charge(n, answer.Returned)
}

// lose puts a call in doubt that the service charged for some fields.
func (r *randomJournal) lose(n int, ticket attempt.Ticket, charged enrich.Fields) {
	r.check(r.on[n].MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"}))
	r.charge(n, charged)
}

// settleDoubts reads the account of a service, which others may have used.
func (r *randomJournal) settleDoubts(n int) {
	_, err := r.on[n].Reconcile(r.snapshot(n), r.draw.IntN(4) == 0)
	r.check(err)
}

// period plays a start of a run: calls, then a look at the accounts, and time that passes.
func (r *randomJournal) period() {
	i := r.draw.IntN(len(r.runs))
	r.save(i)
	for range 5 + r.draw.IntN(20) {
		n := r.draw.IntN(len(r.on))
		r.now = r.now.Add(time.Duration(r.draw.IntN(90)) * time.Minute)
		fields := enrich.FieldsOf(enrich.Field(r.draw.IntN(min(2, len(r.of[n].Catalogue.Fields)))))
		if n != 1 && r.draw.IntN(2) == 0 {
			fields = enrich.FieldsOf(v1.WorkEmail, v1.BusinessPhone)
		}
		ticket := r.begin(n, r.runs[i], fields)
		if ticket.ID == 0 {
			continue
		}
		r.now = r.now.Add(time.Duration(r.draw.IntN(100)) * time.Second)
		switch r.draw.IntN(8) {
		case 0:
			r.check(r.on[n].Release(ticket.ID, attempt.Release{Reason: "rate_limited", Sent: true}))
		case 1:
			r.check(r.on[n].Release(ticket.ID, attempt.Release{Reason: "not_sent"}))
		case 2, 3:
			var charged enrich.Fields
			if r.draw.IntN(3) > 0 {
				charged = ticket.Lookup.Fields
			}
			r.lose(n, ticket, charged)
		default:
			r.answer(n, ticket)
		}
	}
	for n := range r.on {
		if r.draw.IntN(3) == 0 { // others use the account
			r.charge(n, enrich.FieldsOf(0))
		}
		if r.draw.IntN(2) == 0 {
			r.settleDoubts(n)
		}
		if doubts := r.on[n].Doubts(); len(doubts) > 0 && r.draw.IntN(3) == 0 {
			r.now = r.now.Add(time.Duration(r.draw.IntN(40)) * time.Hour) // decided on another day
			r.check(r.on[n].Assume(r.draw.IntN(2) == 0, doubts[r.draw.IntN(len(doubts))].ID))
		}
	}
	r.now = r.now.Add(time.Duration(r.draw.IntN(200)) * time.Hour)
	r.runs[i].Ended = r.now
	r.check(r.journal.SaveRun(r.runs[i]))
}

// close leaves some calls in flight, which are in doubt when the journal is opened again.
func (r *randomJournal) close() {
	for range r.draw.IntN(3) {
		r.begin(r.draw.IntN(len(r.on)), r.runs[r.draw.IntN(len(r.runs))], enrich.FieldsOf(0))
	}
	r.check(r.journal.Close())
}

// shownNumbers are what all commands show of a journal.
type shownNumbers struct {
	*randomJournal
	runs     map[string]*report.Run
	listed   *report.Runs
	budget   *report.Budget
	status   *report.Status
	ledger   *report.Ledger
	journal  *report.JournalCheck
	reports  map[string]*report.RunReport // "run NAME", "job NAME", "month MONTH", "job NAME MONTH"
	measured map[string]JobMetrics
}

// jobOf is the job of a run.
func jobOf(run checkpoint.Run) string { return cmp.Or(run.Job, run.Name) }

func (r *randomJournal) read() *shownNumbers {
	s := &shownNumbers{randomJournal: r, runs: map[string]*report.Run{}, reports: map[string]*report.RunReport{}, measured: map[string]JobMetrics{}}
	ctx := r.t.Context()
	read := func(name string, scope report.ReportScope) {
		if s.reports[name] != nil {
			return
		}
		view, err := reports.ReadReport(ctx, r.Work, reports.ReportOptions{Scope: scope})
		r.check(err)
		s.reports[name] = view
	}
	var err error
	for _, run := range r.runs {
		s.runs[run.Name], err = reports.Show(ctx, r.Work, run.Name)
		r.check(err)
		job := jobOf(run)
		read("run "+run.Name, report.ReportScope{Run: run.Name})
		read("job "+job, report.ReportScope{Job: job})
		for _, month := range r.months() {
			read("job "+job+" "+month, report.ReportScope{Job: job, Month: month})
			read("month "+month, report.ReportScope{Month: month})
		}
		if _, known := s.measured[job]; known {
			continue
		}
		s.measured[job], err = readMetrics(ctx, &Job{Name: job, Run: RunLine{
			Workspace: func() (workspace.Options, workspace.Environment, error) { return r.Workspace, r.Env, nil },
		}})
		r.check(err)
	}
	s.listed, err = reports.Runs(ctx, r.Work, reports.RunsOptions{})
	r.check(err)
	s.budget, err = reports.Budget(ctx, r.Work, reports.BudgetOptions{Offline: "a test"})
	r.check(err)
	s.status, err = reports.Status(ctx, r.Work)
	r.check(err)
	s.ledger, err = reports.Ledger(ctx, r.Work, reports.Period{}, &bytes.Buffer{})
	r.check(err)
	s.journal, err = reports.Check(ctx, r.Work)
	r.check(err)
	r.check(reports.Damage(s.journal))
	return s
}

// months are those in which calls began.
func (r *randomJournal) months() (months []string) {
	for at := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC); at.Before(r.now); at = at.AddDate(0, 1, 0) {
		months = append(months, cost.Month.Of(at))
	}
	return months
}

// same compares one quantity as several commands show it.
func (s *shownNumbers) same(what string, shown map[string]any) {
	s.t.Helper()
	names := slices.Sorted(maps.Keys(shown))
	for _, name := range names[1:] {
		if fmt.Sprint(shown[name]) != fmt.Sprint(shown[names[0]]) {
			s.t.Errorf("%s: %v by %s, and %v by %s", what, shown[names[0]], names[0], shown[name], name)
		}
	}
}

// text writes an amount that may be missing.
func text(amount *cost.Money) string {
	if amount == nil {
		return "none"
	}
	return amount.String()
}

// freeText writes the free units that were used.
func freeText(free report.Values[int64]) string {
	counts := free.Map()
	maps.DeleteFunc(counts, func(_ string, n int64) bool { return n == 0 })
	return fmt.Sprint(counts)
}

func (s *shownNumbers) compare() {
	s.t.Helper()
	for _, run := range s.randomJournal.runs {
		s.compareRun(run)
	}
	for job, measured := range s.measured {
		s.compareJob(job, measured)
	}
	s.compareAll()
}

// unitsOfReport are the units that a report has as used and as held.
func unitsOfReport(units report.AllUnits) (used, held map[string]int64) {
	used, held = map[string]int64{}, map[string]int64{}
	for _, one := range units {
		used[one.Meter] += one.Used
		held[one.Meter] += one.Held
	}
	maps.DeleteFunc(used, func(_ string, n int64) bool { return n == 0 })
	maps.DeleteFunc(held, func(_ string, n int64) bool { return n == 0 })
	return used, held
}

// ceiling is what the budget shows of a scope, under one of its ceilings.
func (s *shownNumbers) ceiling(of, name string) report.Used {
	i := slices.IndexFunc(s.budget.Ceilings, func(c report.Used) bool { return c.Of == of && c.Name == name })
	if i < 0 {
		s.t.Fatalf("the budget has no %s of %s", name, of)
	}
	return s.budget.Ceilings[i]
}

func (s *shownNumbers) compareRun(run checkpoint.Run) {
	s.t.Helper()
	show, view, of := s.runs[run.Name], s.reports["run "+run.Name], "run "+run.Name
	listed := s.listed.Runs[slices.IndexFunc(s.listed.Runs, func(v *report.Run) bool { return v.Run == run.Name })]
	limit := s.ceiling(of, provider.CeilingMaxSpend)
	var spent, held, byOutcome cost.Money
	var attempts, forfeited, answered int64
	found, units, heldUnits := int64(0), map[string]int64{}, map[string]int64{}
	for _, account := range show.Accounts {
		if account.Spent != nil {
			spent, held = spent+*account.Spent, held+*account.Held
		}
		for _, one := range account.Found {
			found += one.Value.Found
		}
		answered += account.Lookups
		for _, one := range account.Units {
			units[one.Meter] += one.Used
			heldUnits[one.Meter] += one.Held
		}
	}
	maps.DeleteFunc(units, func(_ string, n int64) bool { return n == 0 })
	maps.DeleteFunc(heldUnits, func(_ string, n int64) bool { return n == 0 })
	for name, part := range show.Spend.ByOutcome {
		byOutcome, attempts = byOutcome+part.Charged, attempts+part.Attempts
		if name == attempt.Forfeited.String() {
			forfeited = part.Attempts
		}
	}
	var byDay cost.Money
	for _, day := range view.Days {
		byDay += day.Charged
	}
	s.same("spent by "+of, map[string]any{
		"show": show.Spent, "runs": listed.Spent, "the accounts of show": spent, "the outcomes of show": byOutcome, "the report": view.Spent,
		"the days of the report": byDay, "the budget": limit.Settled,
	})
	s.same("spent at least by "+of, map[string]any{
		"show": text(show.SpentLeast), "runs": text(listed.SpentLeast), "the report": text(view.SpentLeast), "the budget": text(limit.SettledLeast),
	})
	s.same("held by "+of, map[string]any{
		"show": show.Held, "runs": listed.Held, "the accounts of show": held, "the report": view.Held, "the budget": limit.Held,
	})
	s.same("in doubt of "+of, map[string]any{"show": show.InDoubt, "runs": listed.InDoubt, "the report": int64(len(view.Doubts)) + view.MoreDoubts})
	s.same("forfeited of "+of, map[string]any{"show": show.Forfeited, "runs": listed.Forfeited, "the outcomes of show": forfeited})
	s.same("answered of "+of, map[string]any{"show": show.Lookups, "runs": listed.Lookups, "the accounts of show": answered, "the report": view.Answered})
	var calls, notSent int64
	for _, day := range view.Days {
		calls += day.Calls
	}
	for _, e := range view.Errors {
		if e.Reason == "not_sent" {
			notSent += e.Calls
		}
	}
	s.same("calls of "+of, map[string]any{
		"the report": view.Calls, "its days": calls, "the outcomes of show": attempts - notSent, "the budget": s.ceiling(of, provider.CeilingMaxLookups).Lookups,
	})
	s.same("found by "+of, map[string]any{"show": found, "the report": view.Found})
	s.same("price of a value of "+of, map[string]any{
		"show": text(show.Accounts.PerValue()), "the summary": text(report.FoundBy(listed.Accounts).PerValue), "the report": text(view.PerValue),
	})
	free := map[string]int64{}
	for _, part := range show.Spend.ByOperation {
		for name, n := range part.FreeUsed.Map() {
			free[name] += n
		}
	}
	maps.DeleteFunc(free, func(_ string, n int64) bool { return n == 0 })
	s.same("free units of "+of, map[string]any{"show": freeText(show.FreeUsed), "runs": freeText(listed.FreeUsed), "the operations of show": fmt.Sprint(free)})
	usedByReport, heldByReport := unitsOfReport(view.Units)
	s.same("units of "+of, map[string]any{"show": units, "the report": usedByReport})
	s.same("held units of "+of, map[string]any{"show": heldUnits, "the report": heldByReport})
	for _, account := range show.Accounts {
		for _, one := range account.Units {
			for _, limit := range one.Limits {
				scope := of
				if !strings.HasPrefix(limit.Name, "max") {
					scope = "job " + jobOf(run)
				}
				if scope == of { // another run of the job may have other limits
					s.same("left of "+limit.Name+" "+one.Meter+" of "+of, map[string]any{"show": limit.Left, "the budget": *s.ceiling(scope, limit.Name+" "+one.Meter).Left})
				}
			}
		}
	}
	if s.status.Last.Run == run.Name {
		s.same("last run", map[string]any{"status": s.status.Last.Spent, "show": show.Spent})
		s.same("held by the last run", map[string]any{"status": s.status.Last.Held, "show": show.Held})
	}
}

func (s *shownNumbers) compareJob(job string, measured JobMetrics) {
	s.t.Helper()
	view, of := s.reports["job "+job], "job "+job
	var spent, held, mayBeFree cost.Money
	var doubts, answered, found, calls int64
	units, heldUnits := map[string]int64{}, map[string]int64{}
	for n, account := range measured.Accounts {
		spent, held, mayBeFree = spent+account.Totals.Settled.Money(), held+account.Totals.Held.Money(), mayBeFree+account.MayBeFree
		doubts, answered, calls = doubts+account.InDoubt, answered+account.Totals.Lookups, calls+account.Totals.Calls()
		for _, count := range account.Totals.Returned {
			found += count
		}
		for m, info := range account.Tariff.Meters {
			if m != int(cost.USD) && !s.of[n].Tariff.IsAllowance(cost.Meter(m)) {
				units[info.Name] += account.Totals.Settled[m]
				heldUnits[info.Name] += account.Totals.Held[m]
			}
		}
	}
	maps.DeleteFunc(units, func(_ string, n int64) bool { return n == 0 })
	maps.DeleteFunc(heldUnits, func(_ string, n int64) bool { return n == 0 })
	s.same("spent by "+of, map[string]any{"the metrics": spent, "the report": view.Spent})
	s.same("spent at least by "+of, map[string]any{"the metrics": text(report.Least(spent, mayBeFree)), "the report": text(view.SpentLeast)})
	s.same("held by "+of, map[string]any{"the metrics": held, "the report": view.Held})
	s.same("in doubt of "+of, map[string]any{"the metrics": doubts, "the report": int64(len(view.Doubts)) + view.MoreDoubts})
	s.same("answered of "+of, map[string]any{"the metrics": answered, "the report": view.Answered})
	s.same("found by "+of, map[string]any{"the metrics": found, "the report": view.Found})
	s.same("calls of "+of, map[string]any{"the metrics": calls, "the report": view.Calls})
	used, holds := unitsOfReport(view.Units)
	s.same("units of "+of, map[string]any{"the metrics": units, "the report": used})
	s.same("held units of "+of, map[string]any{"the metrics": heldUnits, "the report": holds})
	for _, c := range measured.Ceilings {
		scope, name := of, c.Name
		switch {
		case c.Name == provider.CeilingWorkspaceMonthly:
			scope = "workspace"
		case strings.HasPrefix(c.Name, "max"):
			continue // of the last run, which shows them above
		}
		if c.Meter != "usd" && c.Meter != "lookups" {
			name += " " + c.Meter
		}
		left := fmt.Sprint(c.Left)
		if c.Meter == "usd" {
			left = cost.Money(c.Left).String()
		}
		s.same("left of "+name+" of "+scope, map[string]any{"the metrics": left, "the budget": *s.ceiling(scope, name).Left})
	}
	month := cost.Month.Of(s.now)
	s.compareMonth(of, month, s.reports[of+" "+month], s.ceiling(of, provider.CeilingMonthly))
}

// compareMonth compares the report on a month with what the budget shows of a monthly ceiling.
func (s *shownNumbers) compareMonth(of, month string, view *report.RunReport, limit report.Used) {
	s.t.Helper()
	s.same("spent by "+of+" in "+month, map[string]any{"the report": view.Spent, "the budget": limit.Settled})
	s.same("spent at least by "+of+" in "+month, map[string]any{"the report": text(view.SpentLeast), "the budget": text(limit.SettledLeast)})
	s.same("held by "+of+" in "+month, map[string]any{"the report": view.Held, "the budget": limit.Held})
	if view.Forecast != nil {
		s.same("spent so far by "+of+" in "+month, map[string]any{"the forecast": view.Forecast.Spent, "the budget": limit.Settled})
	}
}

// compareAll compares the sums of the whole journal.
func (s *shownNumbers) compareAll() {
	s.t.Helper()
	var spent, byMonth, byJob cost.Money
	var attempts, doubts int64
	for _, run := range s.runs {
		spent += run.Spent
		doubts += run.InDoubt
	}
	for _, month := range s.months() {
		byMonth += s.reports["month "+month].Spent
	}
	for job := range s.measured {
		byJob += s.reports["job "+job].Spent
	}
	for _, n := range s.journal.Attempts {
		attempts += n
	}
	s.same("spent", map[string]any{
		"the runs": spent, "the months": byMonth, "the jobs": byJob, "the ledger": s.ledger.Charged, "the check": s.journal.Totals.Settled,
	})
	s.same("attempts", map[string]any{"the ledger": s.ledger.Attempts, "the check": attempts})
	s.same("in doubt", map[string]any{"the runs": doubts, "the ledger": s.ledger.Open, "the check": s.journal.Totals.Open})
	bySum, sums := cost.Money(0), map[string]report.BudgetSum{}
	for _, sum := range s.budget.Sums {
		sums[cmp.Or(sum.Job, s.randomJournal.runs[3].Name)+" "+sum.Month] = sum
		bySum += sum.Settled
	}
	s.same("spent", map[string]any{"the runs": spent, "the sums of the budget": bySum})
	for job := range s.measured {
		for _, month := range s.months() {
			sum, view := sums[job+" "+month], s.reports["job "+job+" "+month]
			used, held := unitsOfReport(view.Units)
			s.same("job "+job+" in "+month, map[string]any{
				"the budget": fmt.Sprint(sum.Settled, text(sum.SettledLeast), sum.Held, sum.Lookups, sum.Units, sum.HeldUnits),
				"the report": fmt.Sprint(view.Spent, text(view.SpentLeast), view.Held, view.Calls, used, held),
			})
		}
	}
	month := cost.Month.Of(s.now)
	s.compareMonth("workspace", month, s.reports["month "+month], s.ceiling("workspace", provider.CeilingWorkspaceMonthly))
}

// reconcile compares what batch reconcile shows with what the other commands show then.
func (r *randomJournal) reconcile() {
	r.t.Helper()
	settled, err := r.Reconcile(r.t.Context(), pipeline.ReconcileOptions{})
	r.check(err)
	s := r.read()
	s.compare()
	s.same("held", map[string]any{"reconcile": settled.Held, "the check": s.journal.Totals.Held})
	var doubts int64
	for _, run := range s.runs {
		doubts += run.InDoubt
	}
	s.same("in doubt", map[string]any{"reconcile": int64(settled.InDoubt), "the runs": doubts})
}
