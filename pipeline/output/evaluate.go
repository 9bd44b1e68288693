package output

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// evaluator finds out what one step makes of the rows of blocks, as one goroutine does. Its scratch is used again
// for every block and row.
type evaluator struct {
	*scan.RowReader // of the rows' own identities: the index has found out under which others their companies are known
	*StepOutput
	positions
	recallAll func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
	decode    func(answer enrich.Answered, values *enrich.Values) error // a method of Decoder
	fields    []scan.FieldColumn
	hasHeld   bool             // the list has further columns with values of fields
	facts     []scan.RowFacts  // of the block
	records   []attempt.Record // of the subjects of the block that the journal knows, in the order of its rows
	attempts  loadedAttempts   // of those subjects
	at, known int              // of the next row: its position in facts and in records

	// What the step makes of the row that was evaluated last.
	row       *scan.RowFacts
	own       *scan.OwnValues // what the row holds in further columns
	outcome   outcome
	reason    string
	result    rowResult // filled when hasResult is set; otherwise outcome and reason say all
	hasResult bool
	// accepted is the result with the answers that contradict the row. It is filled when result withholds them, and they
	// are to be accepted.
	accepted rowResult

	judge judge
	run   string // of an attempt whose answer was dropped
	same  []byte
	other []byte // the canonical form of the subject of an attempt
}

// newEvaluators returns an evaluator for each step for which of is set, nil for all. With naming, details that have no
// role and describe nobody may be left out.
func (r *reading) newEvaluators(of []bool, naming bool) (evaluators []*evaluator) {
	for i := range r.steps {
		if of != nil && !of[i] {
			continue
		}
		step := &r.steps[i]
		e := &evaluator{
			RowReader: step.Scope.ByOwn().Reader(step.Answers.KeyOf), StepOutput: step, positions: r.layout.steps[i],
			recallAll: r.recall[i], decode: step.Decoder.Values, fields: step.Scope.FieldColumns(),
		}
		if d, ok := step.Decoder.(namingDecoder); ok && naming {
			e.decode = d.Naming
		}
		e.hasHeld = slices.ContainsFunc(e.fields, func(f scan.FieldColumn) bool { return len(f.Held) > 0 })
		e.judge.evaluator = e
		evaluators = append(evaluators, e)
	}
	return evaluators
}

// evaluate finds out what the step makes of the next row of the block.
func (e *evaluator) evaluate(line table.Row) error {
	e.At(line)
	e.row = &e.facts[e.at]
	e.at++
	e.own = e.ownOf()
	e.hasResult = e.row.Record != nil
	if !e.hasResult {
		e.outcome, e.reason = e.plainResult()
		if err := e.explainRefused(); err != nil {
			return err
		}
		e.reason = e.withHeld(e.reason)
		if e.hasResult = e.own.Held != 0 && e.CopyHeld; e.hasResult {
			e.result.reset()
		}
		return nil
	}
	record := &e.records[e.known]
	e.known++
	if err := e.recognise(line, record); err != nil {
		return err
	}
	e.resultOf(&e.result, record, false)
	if len(e.Scope.Selected) > 0 {
		e.showID()
	}
	if e.accepts() {
		e.resultOf(&e.accepted, record, true)
	}
	e.conclude()
	return nil
}

// accepts reports whether values that are withheld from the row can be accepted.
func (e *evaluator) accepts() bool { return e.AcceptMismatch && e.hasResult && e.result.withheld != 0 }

// accept makes the accepted result that of the row. The given fields are those whose values the row takes from it.
func (e *evaluator) accept(fields enrich.Fields) {
	withheld := e.result.withheld.Without(fields)
	e.result, e.accepted = e.accepted, e.result
	e.result.withheld = withheld
	e.conclude()
}

// conclude takes the outcome and the reason from the result.
func (e *evaluator) conclude() {
	e.outcome, e.reason = e.result.outcome, e.withHeld(e.result.reason)
	if e.outcome == matched && e.Scope.Resolves {
		e.reason = reasonResolved
	}
}

// plainResult returns the outcome and the reason of a row whose subject the journal does
// not know.
func (e *evaluator) plainResult() (outcome, string) {
	switch {
	case e.row.Reason != "":
		return unidentifiable, string(e.row.Reason)
	case e.row.First != 0:
		return duplicate, e.sameAs(e.row.First)
	case e.row.Missing == 0:
		return filled, ""
	default:
		return notAttempted, e.Stopped
	}
}

// explainRefused gives a row that was not attempted a reason when the journal refuses its call.
func (e *evaluator) explainRefused() error {
	if e.outcome != notAttempted || e.reason != "" || e.Scope.Known == nil {
		return nil
	}
	key, _, reason := e.Key()
	if reason != "" {
		return nil
	}
	refuses, err := e.Scope.Known.Refuses(e.Identity(), key)
	if refuses {
		e.reason = reasonElsewhere
	}
	return err
}

// ownOf returns what the row holds in further columns. A list without such columns is not read for it.
func (e *evaluator) ownOf() *scan.OwnValues {
	if e.hasHeld {
		e.Missing()
	}
	return e.Own()
}

// withHeld adds to a reason which columns hold values that were not asked for.
func (e *evaluator) withHeld(reason string) string {
	if e.own.Held == 0 {
		return reason
	}
	for f := range e.own.Held.Each() {
		text := fmt.Sprintf("%s is in column %q", e.Scope.Catalogue.Name(f), e.Names[e.own.Column(f)])
		reason = strings.TrimPrefix(reason+"; "+text, "; ")
	}
	return reason
}

// resultOf finds out what a row gets whose subject the journal knows, with answers that contradict it or without.
func (e *evaluator) resultOf(r *rowResult, record *attempt.Record, accept bool) {
	isFirst := e.row.First == 0
	r.reset()
	e.StepOutput.recall(r, e.row.Missing, isFirst, record, &e.attempts, &e.judge, accept)
	if !isFirst {
		r.follow(e.sameAs(e.row.First), r.judged.text(accept))
	}
}

// sameAs is the reason of a duplicate.
func (e *evaluator) sameAs(first int64) string {
	e.same = append(e.same[:0], "same "...)
	e.same = append(e.same, e.Scope.Subject.String()...)
	e.same = strconv.AppendInt(append(e.same, " as row "...), first, 10)
	return string(e.same)
}

// valueOf returns the value that the step has for a field of the row, "" for none.
func (e *evaluator) valueOf(line table.Row, f scan.FieldColumn) string {
	isHeld := e.CopyHeld && e.own.Held.Has(f.Field)
	switch {
	case isHeld:
		return string(table.UnescapeFormula(line.Cell(e.own.Column(f.Field))))
	case f.Column == columns.None || e.row.Missing.Has(f.Field):
		return e.result.values[f.Field]
	default:
		return ""
	}
}

// showID shows the id of the company by which the step asked, beside an answer that does not have it.
func (e *evaluator) showID() {
	id, details := e.Identity().Company.ID, e.result.answer.Details
	for i, d := range e.Scope.Catalogue.Details[:len(details)] {
		if d.Role != "" && details[i] == "" && e.Scope.Catalogue.About(enrich.Companies, d.Of) != 0 {
			details[i] = id
		}
	}
}

// isUnresolved reports whether the step searched for the company of the row, or would have to, and cannot decide
// which one is meant.
func (e *evaluator) isUnresolved() bool {
	return e.row.Reason == enrich.NoCountryOfName || e.hasResult && e.result.answer.Status == enrich.Ambiguous
}

// waiting returns the fields of the row that the step may still find, and those of them that it was not asked for. What
// it does not ask for because of a limit of its account alone goes to the next step.
func (e *evaluator) waiting() (waiting, unasked enrich.Fields) {
	waiting, unasked = e.row.Missing, e.row.Missing
	switch {
	case e.row.Reason != "":
		return 0, 0
	case e.row.Record != nil:
		waiting, unasked = e.result.waiting, e.result.unasked
	}
	if unasked != 0 && e.Refuses != nil && e.Refuses(unasked) {
		return waiting.Without(unasked), 0
	}
	return waiting, unasked
}
