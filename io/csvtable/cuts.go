package csvtable

import "payonce/io/table"

// cuts keep how the records of a block were cut into cells, so that another visit need
// not cut them again.
type cuts struct {
	wanted bool
	whole  bool // all records are there
	places []place
	bounds []int32 // of each record's cells, one behind the other
}

// place says where a record stands in the data of a block.
type place struct {
	start, text, size int32
}

// Keep says that the block will be visited more than once.
func (b *block) Keep() { b.cuts.wanted = !b.scanner.checked }

var _ table.Keeper = (*block)(nil)

// reset forgets a block.
func (c *cuts) reset() { c.wanted, c.whole = false, false }

// begin begins with the first record.
func (c *cuts) begin() { c.places, c.bounds = c.places[:0], c.bounds[:0] }

// keep keeps how the record that the row stands on is cut.
func (r *row) keep() {
	c := &r.block.cuts
	c.places = append(c.places, place{int32(r.start), int32(r.record.text), int32(len(r.raw))})
	c.bounds = append(c.bounds, r.record.bounds...)
}

// eachAgain hands every row of a block whose cuts are kept to visit.
func (b *block) eachAgain(visit func(table.Row) error) error {
	r, own := &b.row, b.row.record.bounds
	defer func() { r.record.bounds = own }()
	r.number, r.line, r.lineAt, r.fault = b.first-1, b.startLine, 0, nil
	bounds := b.cuts.bounds
	for i := range b.cuts.places {
		at := &b.cuts.places[i]
		r.number++
		r.isCut = true
		r.start, r.record.text = int(at.start), int(at.text)
		r.raw = b.data[at.start : at.start+at.size]
		r.record.bounds, bounds = bounds[:len(own)], bounds[len(own):]
		r.scratch = r.scratch[:0]
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}
