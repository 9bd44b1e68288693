package checkpoint

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// The scopes of the journal's sums, and the bases of those of a month or a day.
const (
	ScopeAll       = record.ScopeAll
	ScopeAccount   = record.ScopeAccount
	WorkspaceScope = record.WorkspaceScope
)

// RunScope returns the scope of a run.
func RunScope(name string) string { return record.RunScope(name) }

// JobScope returns the base of a job's scopes of a month or a day.
func JobScope(job string) string { return record.JobScope(job) }

// HistoryScope returns the scope of a kind of lookups of the account, which shows its match rates.
func (j *Journal) HistoryScope(kind cost.Kind) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.number.Scope(record.HistoryScope(j.own().Catalogue, kind))
}

// CeilingScope returns the scope of the sums that a ceiling limits at a time. Money and lookups of all accounts count,
// and the units of one account.
func CeilingScope(c cost.Ceiling, account attempt.Account, at time.Time) string {
	scope := c.At(at).Scope
	if c.Meter == cost.USD || c.Meter == cost.Lookups {
		return scope
	}
	return account.Scope(scope)
}

// AccountTotals returns the sums of each account, by its number, in scopes that span accounts and have no attempt in
// common.
func (j *Journal) AccountTotals(scopes ...string) []cost.Totals {
	j.look()
	defer j.mu.Unlock()
	totals := make([]cost.Totals, len(j.state.accounts))
	for number := range totals {
		for _, scope := range scopes {
			totals[number] = totals[number].Plus(j.state.sums.Totals(attempt.Account(number).Scope(scope)))
		}
		if number > 0 { // the sums of the account 0 have the money and the calls of the others: see record.Scope
			totals[0] = totals[0].MinusShared(totals[number])
		}
	}
	return totals
}
