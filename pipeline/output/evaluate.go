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
	*scan.RowReader
	*StepOutput
	positions
	recallAll func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
	fields    []scan.FieldColumn
	hasHeld   bool             // the list has further columns with values of fields
	facts     []scan.RowFacts  // of the block
	records   []attempt.Record // of the subjects of the block that the journal knows, in the order of its rows
	attempts  loadedAttempts   // of those subjects
	at, known int              // of the next row: its place in facts and in records

	// What the step makes of the row that was evaluated last.
	row       *scan.RowFacts
	own       *scan.OwnValues // what the row holds in further columns
	outcome   outcome
	reason    string
	result    rowResult // says more than outcome and reason when hasResult is set
	hasResult bool

	same  []byte
	other []byte // the canonical form of the subject of an attempt
}

// newEvaluators returns an evaluator for each step.
func (r *reading) newEvaluators() (evaluators []*evaluator) {
	for i := range r.steps {
		step := &r.steps[i]
		j := &evaluator{
			RowReader: step.Scope.Reader(step.Answers.KeyOf), StepOutput: step, positions: r.layout.steps[i],
			recallAll: r.recall[i], fields: step.Scope.FieldColumns(),
		}
		j.hasHeld = slices.ContainsFunc(j.fields, func(f scan.FieldColumn) bool { return len(f.Held) > 0 })
		evaluators = append(evaluators, j)
	}
	return evaluators
}

// evaluate finds out what the step makes of the next row of the block.
func (j *evaluator) evaluate(line table.Row) error {
	j.At(line)
	j.row = &j.facts[j.at]
	j.at++
	j.own = j.ownOf()
	j.hasResult = j.row.Record != nil
	if !j.hasResult {
		j.outcome, j.reason = j.plainResult()
		j.reason = j.withHeld(j.reason)
		if j.hasResult = j.own.Held != 0 && j.CopyHeld; j.hasResult {
			j.result.reset()
		}
		return nil
	}
	record := &j.records[j.known]
	j.known++
	if err := j.recognise(line, record); err != nil {
		return err
	}
	j.resultOf(record)
	if len(j.Scope.Selected) > 0 {
		j.showID()
	}
	j.outcome, j.reason = j.result.outcome, j.withHeld(j.result.reason)
	if j.outcome == matched && j.Scope.Resolves {
		j.reason = reasonResolved
	}
	return nil
}

// plainResult returns the outcome and the reason of a row whose subject the journal does
// not know.
func (j *evaluator) plainResult() (outcome, string) {
	switch {
	case j.row.Reason != "":
		return unidentifiable, string(j.row.Reason)
	case j.row.First != 0:
		return duplicate, j.sameAs(j.row.First)
	case j.row.Missing == 0:
		return filled, ""
	default:
		return notAttempted, j.Stopped
	}
}

// ownOf returns what the row holds in further columns. A list without such columns is not read for it.
func (j *evaluator) ownOf() *scan.OwnValues {
	if j.hasHeld {
		j.Missing()
	}
	return j.Own()
}

// withHeld adds to a reason which columns hold values that were not asked for.
func (j *evaluator) withHeld(reason string) string {
	if j.own.Held == 0 {
		return reason
	}
	for f := range j.own.Held.Each() {
		text := fmt.Sprintf("%s is in column %q", j.Scope.Catalogue.Name(f), j.Names[j.own.Column(f)])
		reason = strings.TrimPrefix(reason+"; "+text, "; ")
	}
	return reason
}

// resultOf finds out what a row gets whose subject the journal knows.
func (j *evaluator) resultOf(record *attempt.Record) {
	isFirst := j.row.First == 0
	j.result.reset()
	j.StepOutput.recall(&j.result, j.row.Missing, isFirst, record, &j.attempts)
	if !isFirst {
		j.result.follow(j.sameAs(j.row.First))
	}
}

// sameAs is the reason of a duplicate.
func (j *evaluator) sameAs(first int64) string {
	j.same = append(j.same[:0], "same "...)
	j.same = append(j.same, j.Scope.Subject.String()...)
	j.same = strconv.AppendInt(append(j.same, " as row "...), first, 10)
	return string(j.same)
}

// valueOf returns the value that the step has for a field of the row, "" for none.
func (j *evaluator) valueOf(line table.Row, f scan.FieldColumn) string {
	isHeld := j.CopyHeld && j.own.Held.Has(f.Field)
	switch {
	case isHeld:
		return string(table.UnescapeFormula(line.Cell(j.own.Column(f.Field))))
	case f.Column == columns.None || j.row.Missing.Has(f.Field):
		return j.result.values[f.Field]
	default:
		return ""
	}
}

// showID shows the id of the company by which the step asked, beside an answer that does not have it.
func (j *evaluator) showID() {
	id, details := j.Identity().Company.ID, j.result.answer.Details
	for i, d := range j.Scope.Catalogue.Details[:len(details)] {
		if d.Role != "" && details[i] == "" && j.Scope.Catalogue.About(enrich.Companies, d.Of) != 0 {
			details[i] = id
		}
	}
}

// isUnresolved reports whether the step searched for the company of the row, or would have to, and cannot decide
// which one is meant.
func (j *evaluator) isUnresolved() bool {
	return j.row.Reason == enrich.NoCountryOfName || j.hasResult && j.result.answer.Status == enrich.Ambiguous
}

// waiting returns the fields of the row that the step may still find.
func (j *evaluator) waiting() enrich.Fields {
	switch {
	case j.row.Reason != "":
		return 0
	case j.row.Record == nil:
		return j.row.Missing
	default:
		return j.result.waiting
	}
}
