// This file writes a review as a list, which a person edits in a spreadsheet program, and reads it again.

package crm

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"payonce/io/table"
)

// The columns of a review.
const (
	recordColumn   = "record_id"
	rowColumn      = "row"
	fieldColumn    = "field"
	targetColumn   = "crm_column"
	inCRMColumn    = "value_in_crm"
	foundColumn    = "value_found"
	stateColumn    = "state"
	decisionColumn = "decision"
	byColumn       = "decided_by"
	modifiedColumn = "record_modified"
	runColumn      = "run"
)

// Header returns the columns of a review.
func Header() []string {
	return []string{
		recordColumn, rowColumn, "name", "company", fieldColumn, targetColumn, inCRMColumn, foundColumn, "speaks_for", "speaks_against",
		stateColumn, decisionColumn, byColumn, modifiedColumn, runColumn,
	}
}

// Cells returns the lines of the review as cells.
func (r *Review) Cells() (lines [][]string) {
	for i := range r.Lines {
		lines = append(lines, r.cells(&r.Lines[i]))
	}
	return lines
}

func (r *Review) cells(l *Line) []string {
	cells := []string{
		l.Record, strconv.FormatInt(l.Row, 10), l.Person, l.Company, l.Field, r.Targets[l.Target].Header, l.InCRM, l.Found,
		strings.Join(l.For, "; "), strings.Join(l.Against, "; "), l.StateText(), string(l.Decision), l.DecidedBy, l.Modified, r.Run,
	}
	for i, cell := range cells {
		cells[i] = oneLine(cell)
	}
	return cells
}

// StateText returns the text of the column state: whether the value is open, or why not, or when it was written or
// exported.
func (l *Line) StateText() string {
	const minute = "2006-01-02 15:04"
	switch {
	case l.State != Open:
		return string(l.State) + ": " + l.Why
	case l.Write.State == Written:
		return "written " + l.Write.At.UTC().Format(minute)
	case l.Write.State == Sent, l.Write.State == Clearing:
		return "in doubt since " + l.Write.At.UTC().Format(minute)
	case l.SentBack() != "":
		return "sent back " + l.Write.At.UTC().Format(minute) + ": " + l.SentBack()
	case !l.Exported.IsZero():
		return "exported " + l.Exported.UTC().Format(minute)
	}
	return string(Open)
}

// oneLine returns a text without line breaks and blanks around it, as a cell of a review has it.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, text))
}

// LineError says what is wrong with a line of a review.
type LineError struct {
	Line   int64
	Column string
	Text   string
}

func (e *LineError) Error() string {
	return fmt.Sprintf("row %d, column %s: %s", e.Line, e.Column, e.Text)
}

// ReadDecisions takes the decisions of a review that somebody edited, in place of those that the review has. The lines
// may be in any order, and lines without a decision may be missing. All cells but the decisions have to be those of the
// review as it is now. After an error the review has the decisions that it had.
func (r *Review) ReadDecisions(ctx context.Context, reader table.Reader) error {
	read := &decisions{review: r, places: map[string]int{}, lines: map[string]int{}, seen: map[int]int64{}, taken: map[int]taken{}}
	for _, name := range Header() {
		named := func(column string) bool { return strings.EqualFold(strings.TrimSpace(column), name) }
		all := reader.Schema().Columns
		place := slices.IndexFunc(all, named)
		if place < 0 {
			return fmt.Errorf("there is no column %q; give a review of this run with its header", name)
		}
		if slices.ContainsFunc(all[place+1:], named) { // they could have different decisions
			return fmt.Errorf("two columns are called %q; leave one of them", name)
		}
		read.places[name] = place
	}
	for i := range r.Lines {
		line := &r.Lines[i]
		read.lines[read.keyOf(oneLine(line.Record), line.Field, strconv.FormatInt(line.Row, 10), line.State == NoRecord)] = i
	}
	var foot table.Foot
	if footed, is := reader.(table.Footed); is {
		footed.WhenFoot(func(found table.Foot) { foot = found })
	}
	if err := table.Each(ctx, reader, read.take); err != nil {
		return err
	}
	if foot.Rows > 0 { // which would not be read
		return &LineError{foot.Line, recordColumn, "totals and notes stand here, below the review; remove them"}
	}
	for i := range r.Lines {
		line := &r.Lines[i]
		line.decide(Undecided, "")
		if taken, is := read.taken[i]; is {
			line.decide(taken.decision, taken.by)
		}
	}
	return nil
}

// decisions are those of a review that is being read.
type decisions struct {
	review *Review
	places map[string]int
	lines  map[string]int // of the review
	seen   map[int]int64  // the lines of the file by those of the review
	taken  map[int]taken
}

// taken is a decision, and who took it.
type taken struct {
	decision Decision
	by       string
}

// keyOf names a line. That of a row whose record is not certain has its number.
func (d *decisions) keyOf(record, field, row string, unclear bool) string {
	if !unclear {
		row = ""
	}
	return strings.Join([]string{record, field, row}, "\x1f")
}

// lineOf returns the line about a field of a record.
func (d *decisions) lineOf(record, field, row string) (at int, found bool) {
	if at, found = d.lines[d.keyOf(record, field, "", false)]; !found {
		at, found = d.lines[d.keyOf(record, field, row, true)]
	}
	return at, found
}

// isAt reports whether a line of the review is about a row.
func (d *decisions) isAt(line int, row string) bool {
	return strconv.FormatInt(d.review.Lines[line].Row, 10) == row
}

// take reads one line.
func (d *decisions) take(row table.Row) error {
	blank := true
	plain := func(name string) string { return oneLine(string(row.Cell(d.places[name]))) }
	// In delimited text an apostrophe stands before what a spreadsheet takes for a formula.
	cell := func(name string) string { return oneLine(string(table.UnescapeFormula(row.Cell(d.places[name])))) }
	wrong := func(column, format string, args ...any) error {
		return &LineError{row.Line(), column, fmt.Sprintf(format, args...)}
	}
	for _, name := range Header() {
		blank = blank && cell(name) == ""
	}
	if blank {
		return nil
	}
	if run := cell(runColumn); run != d.review.Run && plain(runColumn) != d.review.Run {
		return wrong(runColumn, "the line is of the run %q, and not of %q", run, d.review.Run)
	}
	decision := Decision(strings.ToLower(cell(decisionColumn)))
	if decision != Undecided && decision != Approve && decision != Reject {
		return wrong(decisionColumn, "%q is not a decision; write %s, %s or nothing", cell(decisionColumn), Approve, Reject)
	}
	at, found := d.lineOf(cell(recordColumn), cell(fieldColumn), cell(rowColumn))
	literal, both := d.lineOf(plain(recordColumn), cell(fieldColumn), cell(rowColumn))
	switch {
	case both && (!found || d.isAt(literal, cell(rowColumn))): // the id itself begins with an apostrophe
		at, found = literal, true
	case both && literal != at && !d.isAt(at, cell(rowColumn)):
		return wrong(recordColumn, "%q can name two records of the run; write the review again", plain(recordColumn))
	}
	if !found {
		return wrong(recordColumn, "the run has no value of %s for the record %q; write the review again", cell(fieldColumn), cell(recordColumn))
	}
	if before, twice := d.seen[at]; twice {
		return wrong(recordColumn, "the row %d is about the same value; remove one of them", before)
	}
	d.seen[at] = row.Line()
	line := &d.review.Lines[at]
	is := d.review.cells(line)
	for _, name := range []string{targetColumn, inCRMColumn, foundColumn, modifiedColumn} {
		if now := is[slices.Index(Header(), name)]; cell(name) != now && plain(name) != now {
			return wrong(name, "the review has %q here now, and the file has %q; change only the decisions, and write the review again if the list has changed",
				now, cell(name))
		}
	}
	// A decision that was made before the value was sent back does not count.
	if line.SentBack() != "" && cell(stateColumn) != oneLine(line.StateText()) {
		return nil
	}
	if err := line.check(decision); err != nil {
		return wrong(decisionColumn, "%v; leave it empty", err)
	}
	d.taken[at] = taken{decision, d.decidedBy(line, cell(byColumn))}
	return nil
}

// decidedBy returns who decided: the rule that the file names, when that approves the value, and a person otherwise.
func (d *decisions) decidedBy(l *Line, by string) string {
	if rule, err := RuleOf(by); err == nil && rule.holds(d.review, l) {
		return rule.Name
	}
	return ByPerson
}
