package output

import "payonce/pipeline/scan"

// outcome is a scan.Status by its number, to count rows by.
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
	mismatch
	numOutcomes
)

func (o outcome) status() scan.Status {
	return [numOutcomes]scan.Status{
		matched: scan.StatusMatched, partial: scan.StatusPartial, notFound: scan.StatusNotFound, filled: scan.StatusFilled,
		duplicate: scan.StatusDuplicate, unidentifiable: scan.StatusUnidentifiable, rejected: scan.StatusRejected,
		inDoubt: scan.StatusInDoubt, forfeited: scan.StatusForfeited, notAttempted: scan.StatusNotAttempted,
		ambiguous: scan.StatusAmbiguous, mismatch: scan.StatusMismatch,
	}[o]
}
