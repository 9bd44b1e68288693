package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
)

// pen is what a goroutine writes blocks with. Its scratch is used again for every block
// and row.
type pen struct {
	*looker
	*writing
	batch    batch
	verdicts []verdict        // of the rows of the block
	records  []attempt.Record // of the rows whose verdict is known, in order
	attempts map[attempt.ID]remembered
	row      rowResult
	absent   enrich.Fields // from the row
	fills    []table.Fill
	appended []string
	reason   [1]string
}

func (w *writing) newPen() *pen {
	return &pen{looker: w.Scope.looker(w.answers.KeyOf), writing: w, attempts: map[attempt.ID]remembered{}}
}

// remembered is what the journal knows of an attempt.
type remembered struct {
	who   enrich.Identity
	ended attempt.Resolution
	doubt string
}

// verdict says of a row which row leads its person, and whether the journal knows the
// person; zero for a row that names nobody or misses nothing.
type verdict int64

func newVerdict(lead int64, known bool) verdict {
	v := verdict(lead << 1)
	if known {
		v |= 1
	}
	return v
}

func (v verdict) lead() int64    { return int64(v >> 1) }
func (v verdict) known() bool    { return v&1 != 0 }
func (v *verdict) ledBy(l int64) { *v = newVerdict(l, v.known()) }

// look finds out who the rows of a block are about and gathers them in the batch. Until
// it is known better each row leads.
func (p *pen) look(block table.Block) error {
	p.batch.clear()
	p.records = p.records[:0]
	p.verdicts = slices.Grow(p.verdicts[:0], block.Len())[:block.Len()]
	clear(p.verdicts)
	return block.Each(func(row table.Row) error {
		if p.missing(row) == 0 {
			return nil
		}
		key, _, reason := p.key(row)
		if reason != "" {
			return nil
		}
		record, err := p.known.recordOf(key)
		known := record.States != [enrich.NumFields]attempt.FieldState{}
		if known {
			p.records = append(p.records, record)
		}
		p.verdicts[row.Number()-block.First()] = newVerdict(row.Number(), known)
		p.batch.add(newEntry(key, row.Number(), 0))
		return err
	})
}

// remember reads the attempts of the block's persons, all at once: their order in the
// journal is much like that of the list.
func (p *pen) remember() error {
	var ids []attempt.ID
	for _, record := range p.records {
		for f := range p.wanted.Each() {
			ids = append(append(ids, record.Earlier[f]...), record.Attempts[f])
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > 0 && ids[0] == 0 {
		ids = ids[1:]
	}
	clear(p.attempts)
	if len(ids) == 0 {
		return nil
	}
	return p.answers.Outcomes(ids, func(id attempt.ID, who enrich.Identity, ended attempt.Resolution, doubt string) error {
		p.attempts[id] = remembered{who, ended, doubt}
		return nil
	})
}

// format formats the rows of a block that was looked at.
func (p *pen) format(block table.Block) (formatted, error) {
	f := formatted{part: p.out.Part(block), rows: map[Status]int64{}}
	if p.rejects != nil {
		f.rejected = p.rejects.Part(block)
	}
	records := p.records
	err := block.Each(func(row table.Row) error {
		v := p.verdicts[row.Number()-block.First()]
		var record attempt.Record
		if v.known() {
			record, records = records[0], records[1:]
		}
		if err := p.result(row, v, record); err != nil {
			return err
		}
		r := &p.row
		f.rows[r.status]++
		if f.rejected != nil && (r.status == StatusUnidentifiable || r.status == StatusRejected) {
			p.reason[0] = r.reason
			if err := f.rejected.WriteRow(row, nil, p.reason[:]); err != nil {
				return err
			}
		}
		fills, appended := p.rowCells()
		return f.part.WriteRow(row, fills, appended)
	})
	return f, err
}

// result finds out what a row gets.
func (p *pen) result(row table.Row, v verdict, record attempt.Record) error {
	p.row = rowResult{}
	p.absent = p.missing(row)
	switch {
	case p.absent == 0:
		p.row.status = StatusFilled
		return nil
	case v == 0:
		_, _, reason := p.key(row)
		p.row.status, p.row.reason = StatusUnidentifiable, string(reason)
		return nil
	case v.known():
		if err := p.recognise(row, record); err != nil {
			return err
		}
		p.recall(&p.row, p.absent, v.lead() == row.Number(), record, p.attempts)
	default:
		p.row.status, p.row.reason = StatusNotAttempted, p.Stopped
	}
	if v.lead() != row.Number() {
		p.row.follow(v.lead())
	}
	return nil
}

// ErrCollision says that two identities share a key in the journal.
var ErrCollision = errors.New("two identities share a key in the journal")

// recognise compares the row's person with those that the attempts were about, so that
// nobody gets somebody else's data when two identities share a key.
func (p *pen) recognise(row table.Row, record attempt.Record) error {
	same := attempt.ID(0)
	for f, id := range record.Attempts {
		if id == 0 || id == same || !p.wanted.Has(enrich.Field(f)) || record.States[f] == attempt.Forgotten {
			continue
		}
		who, found := p.attempts[id]
		if !found {
			return fmt.Errorf("attempt %d is missing in the journal", id)
		}
		if who.who == (enrich.Identity{}) {
			continue // erased
		}
		form, _, _ := p.read(row).AppendCanonical(p.canonical[:0], p.prefer)
		end := len(form)
		form = who.who.AppendCanonical(form)
		p.canonical = form
		if !bytes.Equal(form[:end], form[end:]) {
			return fmt.Errorf("%w: %q, and that of row %d", ErrCollision, who.who, row.Number())
		}
		same = id
	}
	return nil
}

// follow makes the result that of a duplicate of another row. An outcome that is
// not what was asked for is still shown.
func (r *rowResult) follow(lead int64) {
	same := "same person as row " + strconv.FormatInt(lead, 10)
	r.charged = false
	if r.status == StatusInDoubt || r.status == StatusForfeited {
		r.reason = same + ": " + r.reason
		return
	}
	r.status, r.reason = StatusDuplicate, same
}

// rowCells turns the result into the fills of the row's own cells and the appended ones.
func (p *pen) rowCells() (fills []table.Fill, appended []string) {
	r := &p.row
	fills, appended = p.fills[:0], p.appended[:0]
	for f, column := range p.fields {
		switch f := enrich.Field(f); {
		case !p.wanted.Has(f):
		case column == none:
			appended = append(appended, r.values[f])
		case p.absent.Has(f) && r.values[f] != "":
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
	appended = append(appended, r.answer.FullName, r.answer.PhoneType, string(r.status), r.reason,
		charge, strings.Join(r.ids, " "), retrieved, r.answer.Provenance)
	if p.Profile {
		appended = append(appended, r.answer.Profile)
	}
	p.fills, p.appended = fills, appended
	return fills, appended
}
