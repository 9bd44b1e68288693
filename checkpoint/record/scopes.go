package record

import (
	"cmp"
	"strings"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// The scopes that every attempt counts in follow from its intent alone, whatever
// its ceilings were: a ceiling that is set tomorrow counts what was spent today.
// They are ScopeAll, ScopeAccount, the run's, the job's and the workspace's by
// month and by day, and the one of its kind of lookup. An attempt of another account than the account
// 0 counts whole in its account's part of each of them (attempt.Account.Scope). In those that span
// accounts it counts with its money and as a call.
const (
	ScopeAll     = "all"     // since the journal began
	ScopeAccount = "account" // since the account's last snapshot

	// WorkspaceScope is the base of the scopes of a month or a day: a ceiling on it
	// has one of the two periods.
	WorkspaceScope = "workspace"
)

// RunScope returns the scope of a run.
func RunScope(name string) string { return "run/" + name }

// JobScope returns the base of a job's scopes of a month or a day: a ceiling on it
// has one of the two periods. A run without a job is a job of its own name.
func JobScope(job string) string { return "job/" + job }

// HistoryScope returns the scope of a kind of lookups, which shows its match rates.
func HistoryScope(c enrich.Catalogue, kind cost.Kind) string {
	return historyScope(c, kind.Fields, kind.Pattern.String())
}

const historyPrefix = "history/"

func historyScope(c enrich.Catalogue, fields enrich.Fields, pattern string) string {
	return historyPrefix + c.Operation(fields) + "/" + pattern
}

// Scope is a scope that an attempt counts in.
type Scope struct {
	Name string
	// SinceBase says that attempts from before the base of the account do not count in it.
	SinceBase bool
	// Shared says that the scope is one of several accounts and the attempt is not of the account 0.
	// Then only its money and the call count. Its fields and other meters are those of another
	// interface, or of another allowance.
	Shared bool
}

// Of returns the part of amounts that counts in the scope.
func (s Scope) Of(amounts cost.Amounts) cost.Amounts {
	if s.Shared {
		return cost.OfMoney(amounts.Money())
	}
	return amounts
}

// Release removes the hold of an attempt, which has the amounts held, and adds its charge and its outcome.
func (s Scope) Release(t *cost.Totals, hold cost.Hold, held cost.Amounts, res *attempt.Resolution) {
	if !s.Shared {
		t.Release(held, res.Charge)
		countOutcome(t, hold, res)
		return
	}
	t.Release(s.Of(held), cost.Charge{Amounts: s.Of(res.Charge.Amounts)})
	whole := res.Answered() && hold.Fields.Without(res.Returned) == 0
	countOutcome(t, cost.Hold{}, res)
	if res.Answered() && !whole {
		t.Whole-- // which countOutcome counts when no field is missing
	}
}

// Scopes returns the names of the scopes that the attempt counts in. The catalogue is that of its
// account.
func (in Intent) Scopes(c enrich.Catalogue) (names []string) {
	for _, scope := range in.Counts(c) {
		names = append(names, scope.Name)
	}
	return names
}

// Counts returns the scopes that the attempt counts in. The catalogue is that of its account.
func (in Intent) Counts(c enrich.Catalogue) (scopes []Scope) {
	for _, name := range in.accountScopes(c) {
		scopes = append(scopes, Scope{Name: in.Account.Scope(name), SinceBase: name == ScopeAccount})
	}
	if in.Account == 0 {
		return scopes
	}
	for _, name := range in.accountScopes(enrich.Catalogue{}) {
		if name != ScopeAccount && !strings.HasPrefix(name, historyPrefix) {
			scopes = append(scopes, Scope{Name: name, Shared: true})
		}
	}
	return scopes
}

// accountScopes returns the scopes that an attempt of the account 0 counts in.
func (in Intent) accountScopes(c enrich.Catalogue) []string {
	scopes := []string{ScopeAll, ScopeAccount, RunScope(in.Run)}
	for _, base := range []string{JobScope(in.JobName()), WorkspaceScope} {
		for _, period := range []cost.Period{cost.Month, cost.Day} {
			scopes = append(scopes, cost.Ceiling{Scope: base, Period: period}.At(in.At).Scope)
		}
	}
	if pattern := in.Pattern; pattern != "" {
		scopes = append(scopes, historyScope(c, in.Hold.Fields, pattern))
	}
	return scopes
}

// JobName returns the job that the attempt counts for.
func (in Intent) JobName() string { return cmp.Or(in.Job, in.Run) }
