package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"payonce/pipeline/report"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// ReconcileOptions say what is settled by the user's word.
type ReconcileOptions struct {
	Assume   string       // "charged" or "not-charged" for what the account does not prove; "" for neither
	Attempts []attempt.ID // that Assume decides; none for all
	Vendor   string       // the file for the service; "" for none
	Reading  List         // how the lists of the runs are read where the runs do not say
}

// Reconcile settles the lookups whose response was lost.
func (w *Work) Reconcile(ctx context.Context, o ReconcileOptions) (*report.Reconciliation, error) {
	return with(w, func(s *session) (*report.Reconciliation, error) {
		if err := s.place.Require(ctx, "reconcile"); err != nil {
			return nil, err
		}
		return s.reconcile(ctx, o)
	})
}

// Doubts shows the calls in doubt and what is known of them. It reads the journal, which another process may own, and
// the lists of their runs, which Reading says how to read where the runs do not. Without a journal there are none.
func (w *Work) Doubts(ctx context.Context, reading List) (*report.Reconciliation, error) {
	return with(w, func(s *session) (*report.Reconciliation, error) {
		view := &report.Reconciliation{Cases: []report.DoubtCase{}}
		exists, err := s.place.ReadExisting(ctx, "reconcile")
		if err != nil || !exists {
			return view, err
		}
		s.viewDoubts(ctx, reading, view, s.journal().DoubtsOfAll(), nil)
		return view, ctx.Err()
	})
}

// AcceptFailover allows calls on a shared journal whose database may lack commits. It first compares every account with
// the journal, and asks whether somebody agrees; an error of agree ends it. It returns nil when nothing has to be
// accepted.
func (w *Work) AcceptFailover(ctx context.Context, agree func(*report.Failover) error) (*report.Failover, error) {
	after := *w
	after.Workspace.Journal.AfterFailover = true
	return with(&after, func(s *session) (*report.Failover, error) {
		if err := s.place.Require(ctx, "reconcile"); err != nil {
			return nil, err
		}
		why := s.journal().FailedOver()
		if why == nil {
			return nil, nil
		}
		view := &report.Failover{Why: why.Error(), Attempts: int64(s.journal().LastAttempt())}
		view.InDoubt, view.Held = s.journal().InDoubt("")
		if err := s.compareAccounts(ctx, view); err != nil {
			return nil, err
		}
		if err := agree(view); err != nil {
			return nil, err
		}
		return view, s.journal().AcceptFailover()
	})
}

// compareAccounts adds what the accounts have lost that the journal does not explain, and which were not read.
func (s *session) compareAccounts(ctx context.Context, view *report.Failover) error {
	for _, of := range s.work.Workspace.Services {
		if !s.work.Workspace.IsConfigured(of) {
			continue
		}
		if err := s.compareAccount(ctx, of, view); err != nil {
			return err
		}
	}
	for number, catalogue := range s.journal().Catalogues() {
		account, err := s.journal().For(attempt.Account(number))
		if err != nil {
			return err
		}
		compared := slices.ContainsFunc(view.Accounts, func(a report.FailoverAccount) bool { return a.Interface == catalogue.Interface })
		if !compared && !account.Base().ReadAt.IsZero() {
			view.Unread = append(view.Unread, catalogue.Interface)
		}
	}
	return nil
}

// compareAccount adds what an account has lost that the journal does not explain.
func (s *session) compareAccount(ctx context.Context, of provider.Service, view *report.Failover) error {
	account := s.account(of)
	if err := account.Open(ctx, provider.UseNothing); err != nil || account.Journal == nil {
		return err
	}
	if err := account.Open(ctx, provider.UseReading); err != nil {
		return err
	}
	shown, err := account.Status.Status(ctx)
	if err != nil {
		return problem.AsRefused(ctx, err)
	}
	drift := provider.DriftSince(account.Journal, shown, account.Tariff)
	view.Accounts = append(view.Accounts, report.FailoverAccount{
		Interface: account.Catalogue.Interface, Lost: report.DriftOf(account.Catalogue, account.Tariff, drift), Since: account.Journal.Base().ReadAt,
	})
	return nil
}

// reconcile settles what the account proves, then what the user assumes.
func (s *session) reconcile(ctx context.Context, o ReconcileOptions) (*report.Reconciliation, error) {
	doubts := s.journal().DoubtsOfAll()
	for _, id := range o.Attempts {
		if !s.stillInDoubt(id) {
			return nil, problem.Coded("not_in_doubt", "attempt %d is not in doubt", id)
		}
	}
	view := &report.Reconciliation{Cases: []report.DoubtCase{}}
	results := map[attempt.ID]string{}
	if err := s.lookAtAccounts(ctx, view, results); err != nil {
		return nil, err
	}
	if err := s.assume(o.Assume, o.Attempts, results); err != nil {
		return nil, err
	}
	s.viewDoubts(ctx, o.Reading, view, doubts, results)
	if view.Vendor = o.Vendor; o.Vendor != "" {
		if err := s.writeVendorFile(o.Vendor); err != nil {
			return nil, err
		}
	}
	return view, nil
}

// viewDoubts adds doubts with what was found about each of them, and what those that are still in doubt hold.
func (s *session) viewDoubts(ctx context.Context, reading List, view *report.Reconciliation, doubts []attempt.Doubt, results map[attempt.ID]string) {
	rows, catalogues := s.rowsOf(ctx, reading, doubts), s.journal().Catalogues()
	freeOf := func(account attempt.Account, amounts cost.Amounts) enrich.ByField[int64] {
		return s.usage().Interface(account).Tariff.AllowanceUnits(amounts)
	}
	for _, d := range doubts {
		view.Cases = append(view.Cases, report.DoubtCase{
			Free:    report.AddFree(nil, catalogues[d.Account], freeOf(d.Account, d.Hold.Amounts()), false),
			Units:   s.usage().Interface(d.Account).UnitsByName(d.Hold.Amounts()),
			Attempt: d.ID, Run: d.Run, Row: rows[d.ID], Person: d.Identity.String(), Fields: catalogues[d.Account].Names(d.Hold.Fields), Words: catalogues[d.Account].Words(d.Hold.Fields),
			Sent: d.Begun.UTC(), Cause: cmp.Or(s.journal().Doubt(d.ID), d.Cause), Held: d.Hold.Money(),
			Result: cmp.Or(results[d.ID], undecidedText), Decided: !s.stillInDoubt(d.ID), Undecidable: !d.Decidable,
		})
	}
	view.InDoubt, view.Held = s.journal().InDoubt("")
	for account, amounts := range s.journal().OpenCalls().Held(func(call checkpoint.OpenCall) bool { return call.InDoubt }) {
		view.HoldUnits(s.usage().Interface(attempt.Account(account)).UnitsByName(amounts))
		view.HeldFree = report.AddFree(view.HeldFree, catalogues[account], freeOf(attempt.Account(account), amounts), false)
	}
}

// writeVendorFile writes what is in doubt to a file for the service. Lists and outputs of runs are
// never overwritten.
func (s *session) writeVendorFile(path string) error {
	lists, err := RecordedLists(s.journal())
	if err != nil {
		return err
	}
	outputs, err := RecordedOutputs(s.journal())
	if err != nil {
		return err
	}
	if err := output.CheckTarget(path, slices.Concat(lists, outputs)); err != nil {
		return err
	}
	return createVendorFile(path, s.work.Env.FileMode, s.work.Env.Raw, s.journal(), s.usage().Interface, s.journal().DoubtsOfAll())
}

// lookAtAccounts lets the journal decide by each account that can show more.
func (s *session) lookAtAccounts(ctx context.Context, view *report.Reconciliation, results map[attempt.ID]string) error {
	tell := func(found attempt.ReconcileResult) {
		view.AddWhy(found.Why)
		for _, c := range found.Cases {
			if c.Decidable {
				results[c.ID] = s.resultText(c)
			}
		}
	}
	for i, of := range s.work.Workspace.Services {
		first := i == 0
		if first && !s.journal().AwaitsAccount() || !first && !s.work.Workspace.IsConfigured(of) {
			continue
		}
		account := s.account(of)
		found, err := account.Settle(ctx)
		if err != nil {
			return err
		}
		if first {
			view.Evidence = &report.DoubtEvidence{Free: report.FreeUnits(account.Catalogue, account.Tariff, found.Unexplained), Money: found.Unexplained.Money()}
		}
		for meter, units := range account.UnitsByName(found.Unexplained) {
			if view.Units == nil {
				view.Units = map[string]int64{}
			}
			view.Units[meter] += units
		}
		tell(found)
	}
	return nil
}

// stillInDoubt reports whether the outcome of an attempt is unknown.
func (s *session) stillInDoubt(id attempt.ID) bool {
	return slices.ContainsFunc(s.journal().DoubtsOfAll(), func(d attempt.Doubt) bool { return d.ID == id })
}

// assume decides what is still in doubt by the user's word.
func (s *session) assume(assume string, ids []attempt.ID, results map[attempt.ID]string) error {
	if assume == "" {
		return nil
	}
	var open []attempt.ID // the account has decided the others
	senders := map[attempt.ID]string{}
	for _, d := range s.journal().DoubtsOfAll() {
		if len(ids) == 0 || slices.Contains(ids, d.ID) {
			open, senders[d.ID] = append(open, d.ID), d.Sender
		}
	}
	for _, id := range open {
		if assume == "not-charged" && senders[id] != "" {
			s.note(fmt.Sprintf("%s is not known to be dead. If it still sends attempt %d, that is paid twice: end it first, and run batch reconcile on its machine", senders[id], id))
		}
	}
	if err := s.journal().Assume(assume == "charged", open...); err != nil {
		return problem.AsUsage(err)
	}
	for _, id := range open {
		results[id] = "assumed " + assume
	}
	return nil
}

// undecidedText says that neither this look at the account nor an earlier one
// decided a lookup.
const undecidedText = "undecided: the account does not prove it"

func (s *session) resultText(c attempt.Case) string {
	switch c.Result {
	case cost.Charged:
		return "charged: " + s.journal().Catalogues()[c.Account].Names(c.Fields) + ", the answer is lost"
	case cost.NotCharged:
		return "not charged: may be asked again"
	}
	if c.Sender != "" {
		return "undecided: its process may still send it"
	}
	return undecidedText
}

// rowsOf finds the rows of doubts in the lists of their runs. Those of a list that
// cannot be read any more, or does not hold the person, are left out.
func (s *session) rowsOf(ctx context.Context, reading List, doubts []attempt.Doubt) map[attempt.ID]int64 {
	byRun := map[string][]attempt.Doubt{}
	for _, d := range doubts {
		byRun[d.Run] = append(byRun[d.Run], d)
	}
	rows := map[attempt.ID]int64{}
	for run, doubts := range byRun {
		found, err := s.rowsInRun(ctx, run, reading, doubts)
		if err != nil {
			continue // the list is gone, or is another one by now
		}
		for i, row := range found {
			rows[doubts[i].ID] = row
		}
	}
	return rows
}

// rowsInRun returns the rows of doubts in the list of their run, 0 for none. Each step sees the rows with the answers
// of earlier steps and with the selected candidates.
func (s *session) rowsInRun(ctx context.Context, name string, reading List, doubts []attempt.Doubt) ([]int64, error) {
	run, err := FindRun(s.journal(), name)
	if err != nil {
		return nil, err
	}
	if run.People != "" {
		return make([]int64, len(doubts)), nil // its rows are not those of its list
	}
	j, err := s.recall(ctx, run, reading, Output{})
	if err != nil {
		return nil, err
	}
	if err := j.choose(ctx); err != nil {
		s.note(fmt.Sprintf("run %s: %s; the rows of companies that were selected there are not shown", name, s.work.Explain(err)))
	}
	rows := make([]int64, len(doubts))
	for i, step := range j.Steps {
		var subjects []enrich.Identity
		var of []int // the indexes of their doubts
		for at, d := range doubts {
			if int(d.Account) == step.Account.Number() && rows[at] == 0 {
				subjects, of = append(subjects, d.Identity), append(of, at)
			}
		}
		if len(subjects) == 0 {
			continue
		}
		found, err := j.run().RowsOf(ctx, j.list, i, subjects)
		if err != nil {
			return nil, err
		}
		for k, at := range of {
			rows[at] = found[k]
		}
	}
	return rows, nil
}
