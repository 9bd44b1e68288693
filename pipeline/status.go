package pipeline

// Status is a row's outcome, as the output shows it.
type Status string

// The outcomes of a row.
const (
	StatusMatched        Status = "matched"
	StatusPartial        Status = "partial"
	StatusNotFound       Status = "not_found"
	StatusFilled         Status = "filled"
	StatusDuplicate      Status = "duplicate"
	StatusUnidentifiable Status = "unidentifiable"
	StatusRejected       Status = "rejected"
	StatusInDoubt        Status = "in_doubt"
	StatusForfeited      Status = "forfeited"
	StatusNotAttempted   Status = "not_attempted"
)

// outcome is a Status by its number, to count rows by.
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
	numOutcomes
)

func (o outcome) status() Status {
	return [numOutcomes]Status{
		matched: StatusMatched, partial: StatusPartial, notFound: StatusNotFound, filled: StatusFilled,
		duplicate: StatusDuplicate, unidentifiable: StatusUnidentifiable, rejected: StatusRejected,
		inDoubt: StatusInDoubt, forfeited: StatusForfeited, notAttempted: StatusNotAttempted,
	}[o]
}
