package output

import "payonce/pipeline/row"

// outcome is a row.Status by its number, to count rows by.
type outcome uint8

const (
	matched outcome = iota
	partial
	notFound
	filled
	duplicate
	unidentifiable
	rejected
	inDoubt
	forfeited
	notAttempted
	ambiguous
	numOutcomes
)

func (o outcome) status() row.Status {
	return [numOutcomes]row.Status{
		matched: row.StatusMatched, partial: row.StatusPartial, notFound: row.StatusNotFound, filled: row.StatusFilled,
		duplicate: row.StatusDuplicate, unidentifiable: row.StatusUnidentifiable, rejected: row.StatusRejected,
		inDoubt: row.StatusInDoubt, forfeited: row.StatusForfeited, notAttempted: row.StatusNotAttempted,
		ambiguous: row.StatusAmbiguous,
	}[o]
}
