package scan

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
	StatusAmbiguous      Status = "ambiguous"
	StatusMismatch       Status = "mismatch"
	StatusRejected       Status = "rejected"
	StatusInDoubt        Status = "in_doubt"
	StatusForfeited      Status = "forfeited"
	StatusNotAttempted   Status = "not_attempted"
)
