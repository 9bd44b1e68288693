// This file encodes columns of texts, numbers and lists of texts into column chunks.

package parquettable

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// Encoding says how a column is encoded.
type Encoding struct {
	Codec      compress.Compression
	Dictionary bool // a dictionary may be used
}

// writableCodec returns a compression that can be written: the same one, or Zstandard.
func writableCodec(codec compress.Compression) compress.Compression {
	if codec == compress.Codecs.Uncompressed {
		return codec
	}
	if _, err := compress.GetCodec(codec); err != nil {
		return compress.Codecs.Zstd
	}
	return codec
}

// columnEncoder encodes a column of texts, of numbers or of lists of texts into memory, one row group
// after the other. The columns of a row group do not depend on each other, so they can be encoded
// on all cores.
//
// arrow-go's column writers take more than twice the time (docs/benchmarks.md): they look at each
// null and at each repeated value again.
type columnEncoder struct {
	Node       schema.Node
	schema     *schema.Schema // of a file with this column alone
	descriptor *schema.Column
	Layout     Encoding

	// Of the row group so far.
	rows    int64
	pages   []encodedPage
	data    []byte // of the pages, compressed
	texts   *dictionary
	coded   int  // texts of the dictionary that pages refer to
	plain   bool // the dictionary is not used for later pages
	summary summary

	chunk []byte // of the previous row group
}

// encodedPage is a page of a Column. Its bytes end at end in the data of the Column.
type encodedPage struct {
	end          int
	cells        int
	uncompressed int
	encoding     parquet.Encoding
}

func newColumnEncoder(node schema.Node) (*columnEncoder, error) {
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		return nil, err
	}
	e := &columnEncoder{Node: node, schema: schema.NewSchema(root), texts: newDictionary()}
	e.descriptor = e.schema.Column(0)
	return e, nil
}

// newColumnEncoders returns encoders of columns.
func newColumnEncoders(appended []table.Column) ([]*columnEncoder, error) {
	encoders := make([]*columnEncoder, len(appended))
	for i, column := range appended {
		node, err := schemaNode(column)
		if err != nil {
			return nil, err
		}
		if encoders[i], err = newColumnEncoder(node); err != nil {
			return nil, err
		}
	}
	return encoders, nil
}

// Required reports whether the column has no nulls.
func (e *columnEncoder) Required() bool { return e.descriptor.MaxDefinitionLevel() == 0 }

// reset starts a row group.
func (e *columnEncoder) reset() {
	e.rows, e.pages, e.data, e.coded, e.plain = 0, e.pages[:0], e.data[:0], 0, false
	e.texts.reset()
	e.summary.reset()
}

// Encode adds the rows of the parts to the row group, in order.
func (e *columnEncoder) Encode(rows int, parts []*Cells, s *EncodeScratch) error {
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
	case isNumber(parts[0].Kind):
		return e.encodeNumbers(parts, s)
	case e.Layout.Dictionary && !e.plain && e.number(parts, values, s):
		return e.encodeCodes(s)
	}
	e.plain = true
	return e.encodeTexts(parts, s)
}

// EncodeBatch adds the rows of a batch to the row group. After the last batch it returns the chunk.
func (e *columnEncoder) EncodeBatch(rows int, parts []*Cells, last bool, s *EncodeScratch) (Chunk, error) {
	if err := e.Encode(rows, parts, s); err != nil || !last {
		return Chunk{}, err
	}
	return e.Finish(s)
}

// pageSize is how many bytes of values a page has. Readers hold a page of every column in memory;
// other writers use the same size.
const pageSize = 1 << 20

// number looks up all values in the dictionary. It returns false when too few values repeat.
func (e *columnEncoder) number(parts []*Cells, values int, s *EncodeScratch) bool {
	known := e.texts.len()
	s.codes = s.codes[:0]
	for _, c := range parts {
		if !c.Shared {
			for i := range c.Values.Ends {
				code, fits := e.texts.number(c.Values.Cell(i))
				if s.codes = append(s.codes, code); !fits || !e.useful(known, len(s.codes)) {
					return false
				}
			}
			continue
		}
		s.numbers = append(s.numbers[:0], make([]uint32, len(c.Values.Ends))...)
		for _, id := range c.ids {
			if s.numbers[id] == 0 {
				code, fits := e.texts.number(c.Values.Cell(int(id)))
				if s.numbers[id] = code + 1; !fits {
					return false
				}
			}
			if s.codes = append(s.codes, s.numbers[id]-1); !e.useful(known, len(s.codes)) {
				return false
			}
		}
	}
	return known > 0 || e.texts.len() <= values/2
}

// useful reports whether enough of the values repeat. known is how many texts the dictionary had before them.
func (e *columnEncoder) useful(known, values int) bool {
	const sample = 4096 // values to look at before the dictionary is given up
	return values < sample || e.texts.len()-known <= values/4*3
}
