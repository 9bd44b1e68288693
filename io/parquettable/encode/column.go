// Package encode encodes columns of texts, numbers and lists of texts into column chunks.
package encode

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/parquettable/footer"

	"payonce/io/table"
)

// Layout says how a column is to be encoded.
type Layout struct {
	Codec      compress.Compression
	Dictionary bool // values may be kept once each, and numbered
}

// Writable returns a compression that can be written: the same, or Zstandard.
func Writable(codec compress.Compression) compress.Compression {
	if codec == compress.Codecs.Uncompressed {
		return codec
	}
	if _, err := compress.GetCodec(codec); err != nil {
		return compress.Codecs.Zstd
	}
	return codec
}

// Column encodes a column of texts, of numbers or of lists of texts, row group by row
// group, into memory. So the columns of a row group need nothing of each other and are
// encoded on all cores.
//
// The library's own writers of columns are not used for these: what most cells have in
// common, that they are null or the same as others, would be found out for each of
// them again.
type Column struct {
	Node       schema.Node
	schema     *schema.Schema // of a file with this column alone
	descriptor *schema.Column
	Layout     Layout

	// Of the row group so far.
	rows    int64
	pages   []encodedPage
	data    []byte // of the pages, compressed
	words   *dictionary
	coded   int  // how many of the words there are pages for
	plain   bool // the dictionary is given up for what follows
	summary summary

	chunk []byte // of the row group before
}

// encodedPage is a page of an encoder: its bytes lie in the encoder's data, up to an end.
type encodedPage struct {
	end          int
	cells        int
	uncompressed int
	encoding     parquet.Encoding
}

func NewColumn(node schema.Node) (*Column, error) {
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		return nil, err
	}
	e := &Column{Node: node, schema: schema.NewSchema(root), words: newDictionary()}
	e.descriptor = e.schema.Column(0)
	return e, nil
}

// NewColumns returns encoders of appended columns.
func NewColumns(appended []table.Column) ([]*Column, error) {
	encoders := make([]*Column, len(appended))
	for i, column := range appended {
		node, err := NodeOf(column)
		if err != nil {
			return nil, err
		}
		if encoders[i], err = NewColumn(node); err != nil {
			return nil, err
		}
	}
	return encoders, nil
}

// Required reports whether the column has no nulls.
func (e *Column) Required() bool { return e.descriptor.MaxDefinitionLevel() == 0 }

// reset begins a row group.
func (e *Column) reset() {
	e.rows, e.pages, e.data, e.coded, e.plain = 0, e.pages[:0], e.data[:0], 0, false
	e.words.reset()
	e.summary.reset()
}

// Encode adds rows to the row group: those of the parts, in order.
func (e *Column) Encode(rows int, parts []*Cells, s *Scratch) error {
	if rows == 0 {
		return nil
	}
	e.rows += int64(rows)
	s.present, s.repeats = s.present[:0], s.repeats[:0]
	values := 0
	for _, c := range parts {
		c.endRepeats()
		s.present = append(s.present, c.present...)
		s.repeats = append(s.repeats, c.repeats...)
		values += c.count()
	}
	e.summary.nulls += int64(len(s.present) - values)
	s.values = s.values[:0]
	switch {
	case values == 0:
		return e.addPage(s, 0, len(s.present), parquet.Encodings.Plain)
	case parts[0].Kind == table.Money || parts[0].Kind == table.Time:
		return e.encodeNumbers(parts, s)
	case e.Layout.Dictionary && !e.plain && e.number(parts, values, s):
		return e.encodeCodes(s)
	}
	e.plain = true
	return e.encodeTexts(parts, s)
}

// EncodeBatch adds the rows of a stretch to the row group. With the last one the group
// ends, and its chunk is returned.
func (e *Column) EncodeBatch(rows int, parts []*Cells, last bool, s *Scratch) (footer.Chunk, error) {
	if err := e.Encode(rows, parts, s); err != nil || !last {
		return footer.Chunk{}, err
	}
	return e.Finish(s)
}

// pageSize is how many bytes of values a page has, as other writers have it: readers keep
// a page of every column that they read.
const pageSize = 1 << 20

// number finds the numbers in the dictionary of all values. It returns false when that
// is of no use, because few values repeat themselves.
func (e *Column) number(parts []*Cells, values int, s *Scratch) bool {
	known := e.words.len()
	s.codes = s.codes[:0]
	for _, c := range parts {
		if !c.Shared {
			for i := range c.Values.Ends {
				code, fits := e.words.number(c.Values.Cell(i))
				if s.codes = append(s.codes, code); !fits || !e.useful(known, len(s.codes)) {
					return false
				}
			}
			continue
		}
		s.numbers = append(s.numbers[:0], make([]uint32, len(c.Values.Ends))...)
		for _, id := range c.ids {
			if s.numbers[id] == 0 {
				code, fits := e.words.number(c.Values.Cell(int(id)))
				if s.numbers[id] = code + 1; !fits {
					return false
				}
			}
			if s.codes = append(s.codes, s.numbers[id]-1); !e.useful(known, len(s.codes)) {
				return false
			}
		}
	}
	return known > 0 || e.words.len() <= values/2
}

// useful reports whether it is worth while to go on with the dictionary after so many
// values, before which it knew some texts already.
func (e *Column) useful(known, values int) bool {
	const sample = 4096 // values, before it is said that most are new
	return values < sample || e.words.len()-known <= values/4*3
}
