package output

import (
	"fmt"
	"slices"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/scan"
)

// through takes rows through the steps of a sequence, as one goroutine does: each step sees what the steps
// before it found.
type through struct {
	*reading
	evaluators []*evaluator
	next       bool         // a step reads the rows with what was found
	found      answered     // what the steps found for the row that is under way
	result     merged       // of merge
	accepting  []*evaluator // scratch
}

// newThrough returns a through of the steps for which of is set, nil for all. Its rows are read, when naming is set or
// there are several steps. With naming, only the names of subjects and the values of fields are read.
func (r *reading) newThrough(of []bool, naming bool) *through {
	t := &through{reading: r, evaluators: r.newEvaluators(of, naming), next: naming || len(r.steps) > 1}
	t.found = answered{columns: r.layout.columns, values: make([]string, len(r.layout.columns))}
	t.found.waits = make([]wait, len(t.found.values))
	return t
}

// load reads what the journal knows of the rows of a block.
func (t *through) load(block table.Block) (err error) {
	for i, e := range t.evaluators {
		if e.facts, err = e.Index.Facts(block.First(), block.Len(), e.facts[:0]); err != nil {
			return err
		}
		each := func(visit func(table.Row) error) error { return t.each(block, i, visit) }
		if err := e.load(each); err != nil {
			if len(t.evaluators) > 1 {
				err = fmt.Errorf("step %s: %w", e.Name, err)
			}
			return err
		}
	}
	return nil
}

// each calls visit for each row of a loaded block as a step sees it.
func (t *through) each(block table.Block, step int, visit func(table.Row) error) error {
	t.rewind()
	return block.Each(func(line table.Row) error {
		seen, err := t.take(line, step)
		if err != nil {
			return err
		}
		return visit(seen)
	})
}

// rewind goes back to the first row of the block.
func (t *through) rewind() {
	for _, e := range t.evaluators {
		e.at, e.known = 0, 0
	}
}

// evaluate takes the next row of the block through all steps. Then values of accepted answers fill the positions for
// which no step found another value. Of several answers the one counts that contradicts the row least.
func (t *through) evaluate(line table.Row) error {
	if _, err := t.take(line, len(t.evaluators)); err != nil {
		return err
	}
	t.accepting = t.accepting[:0]
	for _, e := range t.evaluators {
		if e.accepts() {
			t.accepting = append(t.accepting, e)
		}
	}
	slices.SortStableFunc(t.accepting, byAgainst)
	for _, e := range t.accepting {
		t.found.accept(e)
	}
	return nil
}

// byAgainst orders steps by how much their answers contradict the row.
func byAgainst(a, b *evaluator) int {
	return a.result.judged.result.Against - b.result.judged.result.Against
}

// take takes the next row of the block through the first steps, and returns it as the step after them sees
// it.
func (t *through) take(line table.Row, steps int) (table.Row, error) {
	t.found.reset(line)
	seen := line
	for _, e := range t.evaluators[:steps] {
		if err := e.evaluate(seen); err != nil {
			return nil, err
		}
		if e.hasResult || t.next { // most rows of a run of one step need nothing else
			t.found.add(line, e)
		}
		if t.next {
			seen = &t.found
		}
	}
	if t.next && steps == len(t.evaluators) { // also where there are none
		seen = &t.found
	}
	return seen, nil
}

// fillsOf appends the values that belong into cells of the list.
func (t *through) fillsOf(fills []table.Fill) []table.Fill {
	for _, position := range t.layout.values {
		if column := t.layout.columns[position]; column < scan.FirstAnswer && t.found.values[position] != "" {
			fills = append(fills, table.Fill{Column: column, Value: t.found.values[position]})
		}
	}
	return fills
}

// appendPositions appends the values at positions.
func (t *through) appendPositions(cells []enrich.Cell, positions []int) []enrich.Cell {
	for _, position := range positions {
		cells = append(cells, enrich.CellFrom(t.layout.cells[position], t.found.values[position]))
	}
	return cells
}

// answered is a row with what the steps found for it. It is scan.answeredRow.
type answered struct {
	table.Row
	columns []int    // of each position
	values  []string // "" for none
	waits   []wait
	used    bool // there may be values or waits
	// unresolved says that a search could not decide which company is meant.
	unresolved bool
	ids        []acceptedID
	persons    []foundPerson
	// contradicted are the identities that answers name which contradict the row.
	contradicted []enrich.Identity
}

// foundPerson says what a step of an interface knows of the person of the row.
type foundPerson struct {
	of           string // the interface
	found, waits bool
}

// acceptedID is an id of an answer that contradicts the row and is accepted. Steps that have no other id ask by it, in a
// column of its own.
type acceptedID struct {
	column int
	id     string
	of     *evaluator
}

// wait says whether a step may still find a value.
type wait uint8

const (
	notWaiting wait = iota
	forCall         // it was not asked
	forAnswer       // it may have been charged
	forNothing      // it is erased, and never asked again
)

// reset makes it a row for which nothing was found.
func (a *answered) reset(line table.Row) {
	a.Row = line
	if a.used {
		clear(a.values)
		clear(a.waits)
		a.used, a.unresolved, a.ids = false, false, a.ids[:0]
		a.persons, a.contradicted = a.persons[:0], a.contradicted[:0]
	}
}

// add adds what a step found. The first value at a position stays. Values that are withheld or accepted are not added:
// later steps ask for them.
func (a *answered) add(line table.Row, e *evaluator) {
	a.used = true
	a.unresolved = a.unresolved || e.isUnresolved()
	waiting, unasked := e.waiting()
	for _, f := range e.fields {
		position := e.positions.fields[f.Field]
		if e.hasResult && a.values[position] == "" {
			a.values[position] = e.valueOf(line, f)
		}
		switch {
		case unasked.Has(f.Field):
			a.waits[position] = max(a.waits[position], forCall)
		case waiting.Has(f.Field) && e.result.gone.Has(f.Field):
			a.waits[position] = forNothing
		case waiting.Has(f.Field):
			a.waits[position] = max(a.waits[position], forAnswer)
		}
	}
	if e.Scope.Subject == enrich.Persons { // companies have one field in a step, whose column shows it
		found := e.hasResult && e.result.found
		a.persons = append(a.persons, foundPerson{e.Scope.Catalogue.Interface, found, waiting != 0})
	}
	if !e.hasResult {
		return
	}
	a.contradicted = append(a.contradicted, e.result.contradicted...)
	for i, position := range e.details {
		if i < len(e.result.answer.Details) && a.values[position] == "" {
			a.values[position] = e.result.answer.Details[i]
		}
	}
	if e.accepts() {
		for i, position := range e.acceptedIDs {
			if i < len(e.accepted.answer.Details) && position != 0 && e.accepted.answer.Details[i] != "" {
				a.ids = append(a.ids, acceptedID{a.columns[position], e.accepted.answer.Details[i], e})
			}
		}
	}
}

// lacks returns the fields that a step withholds from the row, and for which no step found a value. It returns none when
// another step of the interface found the person: a row does not get values of two persons.
func (a *answered) lacks(e *evaluator) (fields enrich.Fields) {
	if found, _ := a.HasPerson(e.Scope.Catalogue.Interface); found {
		return 0
	}
	for f := range e.result.withheld.Each() {
		if a.values[e.positions.fields[f]] == "" {
			fields = fields.With(f)
		}
	}
	return fields
}

// accept fills positions that are empty with the values of a step that contradict the row. Details are about them.
func (a *answered) accept(e *evaluator) {
	fields := a.lacks(e)
	if fields == 0 {
		return
	}
	for f := range fields.Each() {
		a.values[e.positions.fields[f]] = e.accepted.values[f]
	}
	for i, d := range e.Scope.Catalogue.Details[:len(e.accepted.answer.Details)] {
		if position := e.details[i]; a.values[position] == "" && (d.Of == 0 || e.Scope.FieldsOf(d)&fields != 0) {
			a.values[position] = e.accepted.answer.Details[i]
		}
	}
	e.accept(fields)
}

// idAt returns the accepted id in a column, "" while a step found or may still find another answer.
func (a *answered) idAt(column int) string {
	least := acceptedID{}
	for _, id := range a.ids {
		if id.column != column || least.of != nil && byAgainst(least.of, id.of) <= 0 {
			continue
		}
		for f := range a.lacks(id.of).Each() {
			if a.waits[id.of.positions.fields[f]] == notWaiting {
				least = id
			}
		}
	}
	return least.id
}

// Cell returns a value that was found, or the cell of the list.
func (a *answered) Cell(i int) []byte {
	for position, column := range a.columns {
		if column == i && a.values[position] != "" {
			return []byte(a.values[position])
		}
	}
	if i < scan.FirstAnswer {
		return a.Row.Cell(i)
	}
	if id := a.idAt(i); id != "" {
		return []byte(id)
	}
	return nil
}

// Own returns the row of the list.
func (a *answered) Own() table.Row { return a.Row }

// HasPerson reports whether steps of an interface have found the person of the row, and whether they may still do so.
func (a *answered) HasPerson(of string) (found, waits bool) {
	for _, p := range a.persons {
		if p.of == of {
			found, waits = found || p.found, waits || p.waits
		}
	}
	return found, waits
}

// Contradicted returns the identities that answers name which contradict the row.
func (a *answered) Contradicted() []enrich.Identity { return a.contradicted }

// Unresolved reports whether a search could not decide which company the row means.
func (a *answered) Unresolved() bool { return a.unresolved }

// Waits reports whether a step may still find the value of a column.
func (a *answered) Waits(i int) bool { return a.wait(i) != notWaiting }

// Erased reports whether the value of a column was erased, so that no step asks for it.
func (a *answered) Erased(i int) bool { return a.wait(i) == forNothing }

// Unasked reports whether steps may still find the value of a column, and none was asked for it.
func (a *answered) Unasked(i int) bool { return a.wait(i) == forCall }

func (a *answered) wait(i int) wait {
	for position, column := range a.columns {
		if column == i {
			return a.waits[position]
		}
	}
	return notWaiting
}
