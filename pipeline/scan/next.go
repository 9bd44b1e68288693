package scan

import (
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// Next is a later step of a run, which asks another account for some of the same values. It may have been asked for a
// row first, because a limit of the earlier account was reached. The earlier step then does not ask for what the later
// account has found or may have been charged for.
type Next struct {
	Scope   Scope // as if it were that of a first step
	Account Recorder
	// Fields has for each field of the earlier step the fields of the later one with the same value.
	Fields enrich.ByField[enrich.Fields]
}

// nextReaders find out what later steps have of a row, as one goroutine does.
type nextReaders struct {
	own     Recorder
	readers []nextReader
}

type nextReader struct {
	*RowReader
	*Next
}

// nextReaders returns the readers of the later steps whose accounts know somebody.
func (s Scope) nextReaders(own Recorder) nextReaders {
	n := nextReaders{own: own}
	if own.People() == 0 { // of any account: the journal is empty, or its answers do not count
		return n
	}
	for i := range s.Next {
		next := &s.Next[i]
		n.readers = append(n.readers, nextReader{next.Scope.Reader(next.Account.KeyOf), next})
	}
	return n
}

// without returns the missing fields of a row without those that later steps have and the own step was not asked for.
// The key is that of the row's subject in the own step.
func (n *nextReaders) without(line table.Row, key enrich.Key, missing enrich.Fields) (enrich.Fields, error) {
	var taken enrich.Fields
	for _, r := range n.readers {
		r.At(line)
		theirs, _, reason := r.Key()
		if reason != "" {
			continue
		}
		var fields enrich.Fields
		for f := range missing.Each() {
			fields |= r.Fields[f]
		}
		record, err := r.Account.RecordOf(theirs, fields)
		if err != nil {
			return missing, err
		}
		for f := range missing.Each() {
			if slices.ContainsFunc(slices.Collect(r.Fields[f].Each()), func(g enrich.Field) bool { return has(record.States[g]) }) {
				taken = taken.With(f)
			}
		}
	}
	if taken == 0 {
		return missing, nil
	}
	record, err := n.own.RecordOf(key, taken)
	for f := range taken.Each() {
		if record.States[f] == attempt.Unasked {
			missing = missing.Without(enrich.FieldsOf(f))
		}
	}
	return missing, err
}

// known returns the fields that earlier steps were not asked for, and that the own account was asked for and has not
// found. The row shows what became of that.
func (n *nextReaders) known(row *RowReader) (known enrich.Fields, err error) {
	unasked := row.Unasked()
	if unasked == 0 || n.own.People() == 0 {
		return 0, nil
	}
	key, _, reason := row.Key()
	if reason != "" {
		return 0, nil
	}
	record, err := n.own.RecordOf(key, unasked)
	for f := range unasked.Each() {
		if state := record.States[f]; state == attempt.Missing || state == attempt.Rejected {
			known = known.With(f)
		}
	}
	return known, err
}

// has reports whether an account has found a value, or may have been charged for it.
func has(state attempt.FieldState) bool {
	return state == attempt.Found || state == attempt.OutcomeUnknown || state == attempt.PaidAndGone
}
