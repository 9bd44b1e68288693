package output

import (
	"slices"
	"strings"
	"time"

	"payonce/cost"
	"payonce/pipeline/scan"
)

// merged is what a row gets from all steps.
type merged struct {
	outcome outcome
	reason  string
	// hasResult says that there is more than the outcome and the reason.
	hasResult   bool
	charge      cost.Money
	charged     bool
	ids         []string
	retrievedAt time.Time
	provenance  string
	judged      judgement // the weakest of the steps that found something
}

// merge puts the results of the steps for one row together. What it returns is valid until the next row.
func (t *through) merge() *merged {
	m := &t.result
	if m.hasResult {
		*m = merged{}
	}
	m.outcome, m.reason = t.mergedOutcome()
	for _, e := range t.evaluators {
		if !e.hasResult {
			continue
		}
		r := &e.result
		m.hasResult = true
		m.charge += r.charge.Money()
		m.charged = m.charged || r.charged
		if r.outcome != mismatch || m.outcome == mismatch && t.found.lacks(e) != 0 { // else others found what it withholds
			m.judged = m.judged.and(r.judged)
		}
		if m.ids == nil {
			m.ids = r.ids
		} else {
			m.ids = slices.Concat(m.ids, r.ids)
		}
		if r.answered && !r.answer.RetrievedAt.Before(m.retrievedAt) {
			m.retrievedAt, m.provenance = r.answer.RetrievedAt, r.answer.Provenance
		}
	}
	return m
}

// mergedOutcome returns the outcome of the row and its reason. A doubt decides, then the values, where there
// are some. Otherwise what may still change decides, then what an answer said, then what kept a step from
// asking.
func (t *through) mergedOutcome() (outcome, string) {
	if len(t.evaluators) == 1 {
		return t.evaluators[0].outcome, t.evaluators[0].reason
	}
	var has [numOutcomes]bool
	for _, e := range t.evaluators {
		has[e.outcome] = true
	}
	asked := has
	asked[filled], asked[duplicate] = false, false
	switch {
	case has[inDoubt]:
		return inDoubt, t.reasons(0)
	case has[forfeited]:
		return forfeited, t.reasons(0)
	case asked == [numOutcomes]bool{} && has[duplicate]:
		return duplicate, t.reasons(0)
	case asked == [numOutcomes]bool{}:
		return filled, t.reasons(0)
	}
	found, missing := t.valuesFound()
	switch {
	case found && !missing:
		return matched, t.reasons(^uint(1<<matched | 1<<filled | 1<<mismatch))
	case t.withholds():
		return mismatch, t.reasons(1 << unidentifiable) // the id that a later step would need is withheld
	case found:
		return partial, t.reasons(0)
	}
	for _, o := range []outcome{ambiguous, notAttempted, notFound, partial, rejected, duplicate, unidentifiable} {
		switch {
		case !has[o]:
		case o == notAttempted: // the missing answer may still name the subject of a later step
			return o, t.reasons(1 << unidentifiable)
		default:
			return o, t.reasons(0)
		}
	}
	return matched, t.reasons(0)
}

// withholds reports whether values are withheld from the row, for which no step found another one.
func (t *through) withholds() bool {
	return slices.ContainsFunc(t.evaluators, func(e *evaluator) bool {
		return e.hasResult && e.outcome == mismatch && t.found.lacks(e) != 0
	})
}

// valuesFound reports whether a step found a value for the row, and whether a wanted one is still missing. What a
// search found is not wanted for itself.
func (t *through) valuesFound() (found, missing bool) {
	for _, e := range t.evaluators {
		for _, f := range e.fields {
			position := e.positions.fields[f.Field]
			found = found || t.found.values[position] != ""
			missing = missing || e.Scope.Search.Patterns == 0 && t.found.values[position] == "" &&
				(e.row.Missing.Has(f.Field) || e.row.Reason != "" || t.found.waits[position] != notWaiting)
		}
	}
	return found, missing
}

// hasAll reports whether the row has all values that a step asks for: another step has found them.
func (t *through) hasAll(e *evaluator) bool {
	return !slices.ContainsFunc(e.fields, func(f scan.FieldColumn) bool {
		return t.found.values[e.positions.fields[f.Field]] == ""
	})
}

// reasons returns the reasons of the steps, without those of outcomes that the row no longer has, unless they name what
// differs from the row. Each reason follows the names of the steps that gave it.
func (t *through) reasons(without uint) string {
	var names, reasons []string
	for _, e := range t.evaluators {
		isLeftOut := without&(1<<e.outcome) != 0 && !(e.outcome == duplicate && e.result.judged.result.Differences != "")
		if e.reason == "" || isLeftOut || e.outcome == notFound && t.hasAll(e) {
			continue
		}
		if i := slices.Index(reasons, e.reason); i >= 0 {
			names[i] += ", " + e.Name
			continue
		}
		names, reasons = append(names, e.Name), append(reasons, e.reason)
	}
	for i, name := range names {
		reasons[i] = name + ": " + reasons[i]
	}
	return strings.Join(reasons, "; ")
}
