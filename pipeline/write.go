package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/table"
)

// Answers reads what the journal knows, for the output. It shows durable
// resolutions only.
type Answers interface {
	Recorder
	// Resolution returns how an attempt ended, and false while it has not.
	Resolution(id attempt.ID) (attempt.Resolution, bool, error)
	// Doubt returns why the outcome of an attempt is unknown.
	Doubt(id attempt.ID) string
}

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

// Output says how the output of a run is made: from the list, the configuration
// and the journal alone.
type Output struct {
	Scope   Scope
	Run     string // charges of this run alone are shown
	Stopped string // why rows were not attempted
}

// The columns that are appended to every list, behind those of fields without a
// column of their own.
var resultColumns = []string{
	"full_name", "phone_type", "enrich_status", "enrich_reason",
	"enrich_charge_usd", "enrich_request_id", "enrich_retrieved_at", "enrich_provenance",
}

// Columns returns the names of the appended columns. A name that the list has
// already gets a number, so that every column can be told from the others.
func (o Output) Columns(schema table.Schema) []string {
	var columns []string
	for f := range o.Scope.Wanted.Each() {
		if o.Scope.Mapping.columnOf(f) == none {
			columns = append(columns, f.String())
		}
	}
	columns = append(columns, resultColumns...)
	taken := func(name string) bool {
		return slices.ContainsFunc(schema.Columns, func(c string) bool { return strings.EqualFold(c, name) })
	}
	for i, name := range columns {
		for n := 2; taken(columns[i]); n++ {
			columns[i] = fmt.Sprintf("%s_%d", name, n)
		}
	}
	return columns
}

// Write writes every row of the list, and to rejects those that could not be
// looked up; rejects may be nil. It returns the rows by outcome.
func (o Output) Write(list List, survey *Survey, answers Answers, out, rejects table.Writer) (map[Status]int64, error) {
	rows := map[Status]int64{}
	err := o.Scope.eachRow(list, func(seen surveyed) error {
		result, err := o.result(seen, survey, answers)
		if err != nil {
			return err
		}
		rows[result.status]++
		if rejects != nil && (result.status == StatusUnidentifiable || result.status == StatusRejected) {
			if err := rejects.WriteRow(seen.row, nil, []string{result.reason}); err != nil {
				return err
			}
		}
		fills, appended := o.cells(seen.missing, result)
		return out.WriteRow(seen.row, fills, appended)
	})
	return rows, err
}

// rowResult is what one row gets.
type rowResult struct {
	status  Status
	reason  string
	values  [enrich.NumFields]string
	answer  enrich.Answer // the parts that do not belong to one field
	ids     []string      // request IDs
	charge  cost.Money
	charged bool // the row leads and was asked for: its charge is shown, be it zero
}

// cells turns a result into the fills of the row's own cells and the appended ones.
func (o Output) cells(missing enrich.Fields, r rowResult) (fills []table.Fill, appended []string) {
	for f := range o.Scope.Wanted.Each() {
		column := o.Scope.Mapping.columnOf(f)
		switch {
		case column == none:
			appended = append(appended, r.values[f])
		case missing.Has(f) && r.values[f] != "":
			fills = append(fills, table.Fill{Column: column, Value: r.values[f]})
		}
	}
	slices.SortFunc(fills, func(a, b table.Fill) int { return a.Column - b.Column })
	charge, retrieved := "", ""
	if r.charged {
		charge = r.charge.String()
	}
	if !r.answer.RetrievedAt.IsZero() {
		retrieved = r.answer.RetrievedAt.UTC().Format(time.RFC3339)
	}
	return fills, append(appended, r.answer.FullName, r.answer.PhoneType, string(r.status), r.reason,
		charge, strings.Join(r.ids, " "), retrieved, r.answer.Provenance)
}

// result finds out what a row gets.
func (o Output) result(seen surveyed, survey *Survey, answers Answers) (rowResult, error) {
	switch {
	case seen.missing == 0:
		return rowResult{status: StatusFilled}, nil
	case seen.reason != "":
		return rowResult{status: StatusUnidentifiable, reason: string(seen.reason)}, nil
	}
	p := survey.persons[answers.Key(seen.identity)]
	if p == nil {
		return rowResult{}, ErrListChanged
	}
	record, err := answers.Record(seen.identity)
	if err != nil {
		return rowResult{}, err
	}
	if p.lead == seen.row.Number() {
		// The charges for what only duplicates miss stand here too.
		return o.recall(p.wants, seen.missing, record, answers)
	}
	result, err := o.recall(seen.missing, seen.missing, record, answers)
	result.follow(p.lead)
	return result, err
}

// follow makes the result that of a duplicate of another row. An outcome that is
// not what was asked for is still shown.
func (r *rowResult) follow(lead int64) {
	same := fmt.Sprintf("same person as row %d", lead)
	r.charged = false
	if r.status == StatusInDoubt || r.status == StatusForfeited {
		r.reason = same + ": " + r.reason
		return
	}
	r.status, r.reason = StatusDuplicate, same
}

// recall collects what the journal holds on the fields that were asked for because
// of a row, and judges the row by those that it misses itself.
func (o Output) recall(asked, missing enrich.Fields, record attempt.Record, answers Answers) (rowResult, error) {
	var r rowResult
	var reasons [enrich.NumFields]string
	var seen []attempt.ID
	for f := range asked.Each() {
		id := record.Attempts[f]
		if id == 0 {
			continue
		}
		resolution, _, err := answers.Resolution(id)
		if err != nil {
			return r, err
		}
		reasons[f] = cmp.Or(answers.Doubt(id), resolution.Reason)
		if resolution.Answer != nil {
			r.values[f] = resolution.Answer.Value(f)
		}
		if resolution.Erased && record.States[f] == attempt.Found {
			record.States[f], reasons[f] = attempt.Forgotten, reasonExpired
		}
		if !slices.Contains(seen, id) {
			seen = append(seen, id)
			r.add(resolution, resolution.Run == o.Run)
		}
	}
	if err := o.addForfeited(&r, asked, record, answers); err != nil {
		return r, err
	}
	if r.values[enrich.BusinessPhone] == "" || !missing.Has(enrich.BusinessPhone) {
		r.answer.PhoneType = "" // it would speak of the row's own number
	}
	r.status, r.reason = o.judge(missing, record, reasons, r.answer.Status)
	return r, nil
}

// addForfeited adds what was charged for fields before they were bought again.
func (o Output) addForfeited(r *rowResult, asked enrich.Fields, record attempt.Record, answers Answers) error {
	var ids []attempt.ID
	for f := range asked.Each() {
		ids = append(ids, record.Earlier[f]...)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		resolution, _, err := answers.Resolution(id)
		if err != nil {
			return err
		}
		if resolution.Run == o.Run && !slices.Contains(record.Attempts[:], id) {
			r.charge += resolution.Charge.Amount
		}
	}
	return nil
}

// add adds what one attempt brought. The run that shows the row shows only what
// it paid itself.
func (r *rowResult) add(res attempt.Resolution, own bool) {
	if res.RequestID != "" {
		r.ids = append(r.ids, res.RequestID)
	}
	if res.State == attempt.Settled || res.State == attempt.Forfeited {
		r.charged = true
	}
	if own {
		r.charge += res.Charge.Amount
	}
	if res.Answer == nil {
		return
	}
	latest, other := *res.Answer, r.answer
	if other.RetrievedAt.After(latest.RetrievedAt) {
		latest, other = other, latest
	}
	latest.FullName = cmp.Or(latest.FullName, other.FullName)
	latest.PhoneType = cmp.Or(latest.PhoneType, other.PhoneType)
	r.answer = latest
}

// The reasons of rows whose values are not in the journal any more; neither is
// bought again.
const (
	reasonForgotten = "forgotten on request"
	reasonExpired   = "the answer was erased after its retention time"
)

// judge gives the row its status and the reason: what may still change comes first.
func (o Output) judge(missing enrich.Fields, record attempt.Record, reasons [enrich.NumFields]string, answer enrich.Status) (Status, string) {
	var in [attempt.Forgotten + 1]enrich.Fields
	for f := range missing.Each() {
		in[record.States[f]] = in[record.States[f]].With(f)
	}
	first := func(fields enrich.Fields) string {
		for f := range fields.Each() {
			return reasons[f]
		}
		return ""
	}
	switch {
	case in[attempt.OutcomeUnknown] != 0:
		return StatusInDoubt, first(in[attempt.OutcomeUnknown])
	case in[attempt.PaidAndGone] != 0:
		return StatusForfeited, first(in[attempt.PaidAndGone])
	case in[attempt.Rejected] != 0:
		return StatusRejected, first(in[attempt.Rejected])
	case in[attempt.Unasked] != 0:
		return StatusNotAttempted, o.Stopped
	case in[attempt.Forgotten] != 0:
		return StatusNotAttempted, cmp.Or(first(in[attempt.Forgotten]), reasonForgotten)
	case in[attempt.Missing] == 0:
		return StatusMatched, ""
	case in[attempt.Found] == 0 && answer == enrich.NotFound:
		return StatusNotFound, "person unknown"
	default:
		return StatusPartial, in[attempt.Missing].String() + " not found"
	}
}
