// This file has the accounts that a run asks: what their calls cost, what they have left, and what
// became of calls whose responses were lost.

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// Use says what for a service is used.
type Use uint8

// The uses of a service.
const (
	UseNothing Use = iota // it is not called
	UseReading            // what is free
	UsePaying             // calls that it charges for, too
)

// Account is one account of a run.
type Account struct {
	Interface
	// Journal is the journal as the account sees it; nil before it is opened, and where there is none.
	Journal *checkpoint.Journal
	// Status reads the account; nil where the service is not called.
	Status dispatch.StatusReader
	// Finder sends paid calls; nil where nothing may be spent.
	Finder dispatch.Finder
	// Connection is how it calls its service, and Of says where that is.
	Connection Connection
	Of         Service
	Workspace  Workspace
	Rate       checkpoint.Rate
	// SettleDelay is what the account gets to settle after a lost response.
	SettleDelay time.Duration
	Exclusive   bool // nobody else spends from it
	// Progress is how its calls ended so far. Its steps share it.
	Progress dispatch.AccountProgress
	Strict   bool // every field counts at its full price
	Now      func() time.Time
	Note     func(text string)

	// Wanted are the fields that the run asks the account for, and Lookups the lookups that a scan found.
	Wanted  enrich.Fields
	Lookups cost.Workload
	// Shown is the account as it was read. Read says that it was: without it the account sets no ceilings.
	Shown  cost.Account
	Read   bool
	Prices PriceChoice // what the wanted fields cost
}

// Open opens what the account needs for a use of its service, which has to be closed. The journal is that of
// the workspace as it is now, nil before it is opened.
//
// An account that may pay needs a key that is known to belong to it.
func (a *Account) Open(ctx context.Context, use Use) (err error) {
	if a.Journal, err = a.Workspace.AccountOf(a.Of); err != nil || use == UseNothing {
		return err
	}
	at, err := a.Workspace.Endpoint(a.Of)
	if err != nil {
		return err
	}
	if a.Status, a.Finder, err = a.Connection.Open(at, use); err != nil || use == UseReading {
		return err
	}
	return a.CheckKey(ctx)
}

// CheckKey refuses a key that is not known to belong to the account, which has to be open.
func (a *Account) CheckKey(ctx context.Context) error {
	return a.Workspace.CheckKey(a.Of, a.accepted(ctx))
}

// accepted returns a function that asks the service, free of charge, whether it accepts the key.
func (a *Account) accepted(ctx context.Context) func() error {
	return func() error {
		if _, err := a.Status.Status(ctx); err != nil {
			return problem.AsRefused(ctx, err)
		}
		return nil
	}
}

// Close closes the clients.
func (a *Account) Close() { a.Connection.Close() }

// Register makes the journal ready for calls of the account, once the service has accepted its key.
func (a *Account) Register(ctx context.Context) (err error) {
	a.Journal, err = a.Workspace.Register(a.Of, a.accepted(ctx))
	return err
}

// Sent returns the lookups as they are sent.
func (a *Account) Sent() cost.Workload { return a.Connection.Sent(a.Lookups) }

// Rates returns what the wanted fields consume.
func (a *Account) Rates() cost.Rates { return a.Connection.Rates(a.Wanted, a.Prices.Quote.Prices) }

// Consumes reports whether the wanted fields can consume a meter. Units of a free allowance need no limit: when
// they are used up, money pays.
func (a *Account) Consumes(m cost.Meter) bool {
	if m == cost.USD && a.TakesMoney() {
		return true
	}
	most, _ := a.Rates().Total(a.Wanted) // a field without a price is paid for with money
	return most[m] > 0
}

// MostOf returns the most that one call can consume of a meter, at least 1.
func (a *Account) MostOf(m cost.Meter) (most int64) {
	rates := a.Rates()
	for _, together := range a.Together {
		total, _ := rates.Total(together & a.Wanted) // they have rates
		most = max(most, total[m])
	}
	return max(most, 1)
}

// InDoubt returns what calls in doubt hold of the account.
func (a *Account) InDoubt() (held cost.Amounts) {
	if a.Journal.Number() == 0 {
		_, money := a.Journal.InDoubt("")
		return cost.OfMoney(money)
	}
	for _, doubt := range a.Journal.Doubts() {
		held = held.Plus(doubt.Hold.Amounts())
	}
	return held
}

// Number returns the number of the account in the journal, 0 where the journal does not know it.
func (a *Account) Number() int {
	if a.Journal == nil {
		return 0
	}
	return int(a.Journal.Number())
}

// FreeLeft returns the free allowance that a plan counts on.
func (a *Account) FreeLeft() cost.Allowances {
	if a.Strict {
		return cost.Allowances{}
	}
	return a.Shown.FreeLeft()
}

// History returns the sums of the lookups of a kind, which show its match rates.
func (a *Account) History(kind cost.Kind) cost.Totals {
	if a.Journal == nil {
		return cost.Totals{}
	}
	return a.Journal.Totals(a.Journal.HistoryScope(kind))
}

// Duration returns the least time that some lookups take.
func (a *Account) Duration(lookups int64) time.Duration {
	return cost.Duration(lookups, a.Rate.Slots, a.Rate.Window)
}

// Foreseen says why the service would refuse the lookups now, as far as the account and what is published
// tell; nil when nothing is known against them.
func (a *Account) Foreseen(expendable enrich.Fields) dispatch.Stop {
	service := dispatch.Service{Catalogue: a.Catalogue, WantsMoney: a.WantsMoney}
	if stop := dispatch.Precheck(a.Shown, a.Lookups, expendable, service); stop != nil {
		return stop
	}
	return a.Connection.Unavailable(a.Shown, a.Sent())
}

// ReadStatus reads the account, and what the service publishes, and chooses the prices. When nothing is to
// be looked up, it does not fail because the service cannot be reached.
func (a *Account) ReadStatus(ctx context.Context) error {
	shown, err := a.Status.Status(ctx)
	switch {
	case err != nil && a.Lookups.Lookups() == 0 && ctx.Err() == nil:
		return a.ChoosePrices()
	case err != nil:
		return problem.AsRefused(ctx, err)
	}
	return a.Use(ctx, shown)
}

// Use takes the status of the account, reads what the service publishes and chooses the prices.
func (a *Account) Use(ctx context.Context, shown cost.Account) error {
	a.Shown, a.Read = shown, true
	if err := a.Connection.Look(ctx, a.Sent()); err != nil {
		return err
	}
	return a.ChoosePrices()
}

// ChoosePrices takes the price of every wanted field from the first source that has it, and refuses where
// another one shows that holds would be too small.
func (a *Account) ChoosePrices() (err error) {
	a.Prices, err = a.Connection.Choose(a.Wanted, a.Shown)
	if err != nil || !a.Read {
		return err
	}
	return a.Prices.Check(a.Catalogue, a.Shown, a.Wanted)
}

// Begin reads the account before a run. Nothing is in flight, so the snapshot is the new base of what the
// journal knows of the account. SettleLeftovers comes first.
func (a *Account) Begin(ctx context.Context) error {
	if a.Journal != nil {
		a.Journal.BeginReading()
	}
	if err := a.ReadStatus(ctx); err != nil || !a.Read || a.Journal == nil {
		return err
	}
	if err := a.Workspace.RecordKey(a.Of); err != nil {
		return err
	}
	if a.Journal.AwaitsAccount() {
		// The base that could decide is still needed. Free units that have gone
		// since are not counted on.
		_, err := a.Drift(ctx)
		return err
	}
	return a.Rebase()
}

// Rebase makes the status that was read the new base of what the journal knows of the account.
func (a *Account) Rebase() error {
	if a.Journal.Quiet() {
		a.tellUnknownUse(a.Journal.Base(), a.Shown, a.Journal.Totals(checkpoint.ScopeAccount))
	}
	return a.Journal.Rebase(a.Shown)
}

// tellUnknownUse says what the account has lost between two snapshots that the journal,
// with its totals of the time between, knows nothing of. A journal that is older than what
// was bought with it cannot know it by itself: it would buy that again. An earlier start may
// have been a strict one.
func (a *Account) tellUnknownUse(base, now cost.Account, totals cost.Totals) {
	drift := cost.DriftOf(base, now, totals, totals, a.Tariff, true)
	if drift.Misplaced.On != "" {
		a.Note(drift.Misplaced.Describe(a.Tariff))
	}
	if drift.Lost == (cost.Amounts{}) && drift.Prices == (enrich.ByField[cost.Money]{}) {
		return
	}
	a.Note(fmt.Sprintf("since the last start the account lost %s that this journal does not explain: others use the workspace, "+
		"an included balance has expired, or the journal was restored from an older copy and will buy again what was bought since",
		a.amounts(drift.Lost)))
}

// amounts writes amounts that an account lost.
func (a *Account) amounts(lost cost.Amounts) string {
	if a.TakesMoney() {
		return fmt.Sprintf("$%s and %s", lost.Money(), report.Counts(report.FreeUnits(a.Catalogue, a.Tariff, lost)))
	}
	var parts []string
	for m, info := range a.Tariff.Meters {
		if lost[m] > 0 && m != int(cost.USD) {
			parts = append(parts, fmt.Sprintf("%s of %s", report.Counted(lost[m], "unit"), info.Name))
		}
	}
	return strings.Join(parts, " and ")
}

// DriftSince compares a reading of an account with what its journal booked since the base.
func DriftSince(journal *checkpoint.Journal, now cost.Account, tariff cost.Tariff) cost.Drift {
	totals := journal.Totals(checkpoint.ScopeAccount)
	return cost.DriftOf(journal.Base(), now, totals, totals, tariff, false)
}

// DescribeDrift says what the account lost that the journal cannot explain.
func (a *Account) DescribeDrift(drift cost.Drift) string {
	return report.DriftOf(a.Catalogue, a.Tariff, drift).String()
}

// Drifts returns the drift of the account 0 of the journal, and those of the modules of other accounts. The drifts
// are those of the accounts, in their order.
func Drifts(accounts []*Account, drifts []cost.Drift) (first cost.Drift, modules []checkpoint.ModuleDrift) {
	for i, a := range accounts {
		switch {
		case a.Journal == nil:
		case a.Journal.Number() == 0:
			first = drifts[i]
		default:
			for m, info := range a.Tariff.Meters {
				found := checkpoint.ModuleDrift{Account: a.Journal.Number(), Module: info.Name, Units: drifts[i].Lost[m]}
				if found.Units > 0 && m != int(cost.USD) {
					modules = append(modules, found)
				}
				found.Units, found.CountedOn = drifts[i].Misplaced.Units[m], drifts[i].Misplaced.On
				if found.Units > 0 {
					modules = append(modules, found)
				}
			}
		}
	}
	return first, modules
}

// ReachedLimits returns the limits of modules that accounts have reached and that last.
func ReachedLimits(accounts []*Account) (limits []report.ReachedLimit) {
	for _, a := range accounts {
		if a.Journal != nil {
			limits = append(limits, report.LimitsOf(a.Journal.Limits())...)
		}
	}
	return limits
}

// Drift compares the account with the journal before anything is sent. An error is the journal's or the
// service's.
func (a *Account) Drift(ctx context.Context) (cost.Drift, error) {
	drift, err := a.Monitor().Read(ctx)
	if err == nil || errors.Is(err, checkpoint.ErrFailed) {
		return drift, err
	}
	return drift, problem.AsRefused(ctx, err)
}

// SettleLeftovers settles the lookups that an earlier start left in doubt, and charges that may have been
// free, before anything new is sent. It reports whether there were some: what is known may have changed.
func (a *Account) SettleLeftovers(ctx context.Context) (settled bool, err error) {
	switch err := a.Register(ctx); {
	case err != nil && a.Lookups.Lookups() == 0 && ctx.Err() == nil:
		return false, nil // nothing is asked for
	case err != nil:
		return false, err
	}
	if !a.Journal.AwaitsAccount() {
		return false, nil
	}
	if pending := a.Reconciler().Pending(); pending > 0 {
		a.Note(fmt.Sprintf("an earlier start left %s in doubt: waiting for the account to settle, to see what was charged", report.Counted(pending, "lookup")))
	}
	return true, a.SettleDoubts(ctx)
}

// SettleDoubts lets the account decide about the lookups in doubt, and says what came of
// it. The snapshot becomes the new base, so what else the account has lost is shown as well.
func (a *Account) SettleDoubts(ctx context.Context) error {
	base, totals := a.Journal.Base(), a.Journal.Totals(checkpoint.ScopeAccount)
	reconciled, err := a.Reconciler().Reconcile(ctx)
	if err != nil {
		return problem.IfRefused(ctx, err)
	}
	if len(reconciled.Cases) > 0 || reconciled.Why != "" {
		a.Note(describeResult(reconciled))
	}
	a.tellUnknownUse(base, a.Journal.Base(), totals)
	return nil
}

// Settle decides about the calls of the account that are in doubt, by what the account shows; it sends nothing that is
// paid for. It finds nothing where the journal does not wait for the account.
func (a *Account) Settle(ctx context.Context) (found attempt.ReconcileResult, err error) {
	if err := a.Open(ctx, UseNothing); err != nil || a.Journal == nil || !a.Journal.AwaitsAccount() {
		return found, err
	}
	if err := a.Open(ctx, UseReading); err != nil {
		return found, err
	}
	if err := a.CheckKey(ctx); err != nil {
		return found, err
	}
	if err := a.Register(ctx); err != nil {
		return found, err
	}
	of := ""
	if a.Journal.Number() != 0 {
		of = " of " + a.Catalogue.Interface
	}
	a.Note("waiting for the account" + of + " to settle")
	if found, err = a.Reconciler().Reconcile(ctx); err != nil {
		return found, problem.IfRefused(ctx, err)
	}
	if len(found.Cases) > 0 || found.Why == "" { // the account was read
		err = a.Workspace.RecordKey(a.Of)
	}
	return found, err
}

// Monitor compares the account with the journal.
func (a *Account) Monitor() *dispatch.Monitor {
	monitor := &dispatch.Monitor{
		Status: a.Status, Accountant: a.Journal, Scope: checkpoint.ScopeAccount, Tariff: a.Tariff,
		Prices: a.Prices.Quote.Prices,
	}
	if !a.Strict {
		monitor.Free = a.Wanted
	}
	return monitor
}

// Reconciler settles lost lookups by what the account shows.
func (a *Account) Reconciler() *dispatch.Reconciler {
	return &dispatch.Reconciler{
		Arbiter: a.Journal, Status: a.Status, SettleDelay: a.SettleDelay, Exclusive: a.Exclusive, Now: a.Now,
	}
}

// describeResult sums up what became of lookups in doubt.
func describeResult(reconciled attempt.ReconcileResult) string {
	counts := map[cost.Result]int{}
	for _, c := range reconciled.Cases {
		counts[c.Result]++
	}
	text := fmt.Sprintf("lookups in doubt: %d not charged, may be asked again; %d charged, answers lost; %d still in doubt",
		counts[cost.NotCharged], counts[cost.Charged], counts[cost.Undecided])
	if reconciled.Why != "" {
		text += ": " + reconciled.Why
	}
	return text
}
