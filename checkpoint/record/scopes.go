package record

import (
	"cmp"

	"payonce/cost"
	"payonce/enrich"
)

// The scopes that every attempt counts in follow from its intent alone, whatever
// its ceilings were: a ceiling that is set tomorrow counts what was spent today.
// They are ScopeAll, ScopeAccount, the run's, the job's and the workspace's by
// month and by day, and the one of its kind of lookup.
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

// HistoryScope returns the scope of a kind of lookups, which tells its match rates.
func HistoryScope(c enrich.Catalogue, kind cost.Kind) string {
	return historyScope(c, kind.Fields, kind.Pattern.String())
}

func historyScope(c enrich.Catalogue, fields enrich.Fields, pattern string) string {
	return "history/" + c.Operation(fields) + "/" + pattern
}

// Scopes returns the scopes that the attempt counts in. The catalogue is that of its interface.
func (in Intent) Scopes(c enrich.Catalogue) []string {
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
