package checkpoint

import (
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
