package output

import (
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/enrich/fit"
)

// judge compares answers with what a row says of its subject.
type judge struct {
	*evaluator
	asked     enrich.Pattern
	described bool // row is that of the row that was evaluated last
	row       enrich.Described
	answer    enrich.Described
	last      attempt.ID // that was compared last
	isOther   bool       // whether its answer contradicts the row
	blank     enrich.Values
	judged    judgement
}

// judgement is how the answers for a row compare with it. The weakest of them counts.
type judgement struct {
	exists bool
	result fit.Result
}

// reset forgets what was compared.
func (j *judge) reset() { j.last, j.described, j.judged = 0, false, judgement{} }

// contradicts reports whether an answer is about another subject than the row.
func (j *judge) contradicts(id attempt.ID, known *attempt.Outcome, values *enrich.Values) bool {
	if id == j.last {
		return j.isOther
	}
	j.last, j.isOther = id, false
	if !known.Ended.Answered() || known.Ended.Erased || !j.Scope.Catalogue.Describe(values, &j.answer) {
		return false
	}
	if !j.described {
		j.Describe(&j.row)
		j.described = true
	}
	result := fit.Compare(j.asked, &j.row, &j.answer)
	if result.Verdict == fit.Contradicts && j.IsSelected() {
		result.Verdict = fit.Unclear // somebody knows that it is the company
	}
	j.judged = j.judged.and(judgement{true, result})
	j.isOther = result.Verdict == fit.Contradicts
	return j.isOther
}

// withheld returns the values of an answer without what it says.
func (j *judge) withheld(values *enrich.Values) *enrich.Values {
	details := j.blank.Details[:0]
	for range values.Details {
		details = append(details, "")
	}
	j.blank = enrich.Values{
		Status: values.Status, Details: details, RetrievedAt: values.RetrievedAt, Provenance: values.Provenance,
	}
	return &j.blank
}

// and returns the weaker of two judgements. One for which nothing could be compared counts only where there is no other.
func (j judgement) and(other judgement) judgement {
	switch {
	case !other.exists, j.exists && other.result.Verdict == fit.Unknown:
		return j
	case !j.exists, j.result.Verdict == fit.Unknown, rank(other) < rank(j):
		return other
	}
	return j
}

// rank orders judgements by their confidence.
func rank(j judgement) int {
	return map[string]int{"none": 0, "low": 1, "medium": 2, "high": 3}[j.result.Confidence()]
}

// text says what differs; "" for nothing.
func (j judgement) text(accepted bool) string {
	if accepted && j.result.Verdict == fit.Contradicts {
		return "accepted: " + j.result.Differences
	}
	return j.result.Differences
}

// confidence is that of the row; "" without an answer that describes its subject.
func (j judgement) confidence() string {
	if !j.exists {
		return ""
	}
	return j.result.Confidence()
}
