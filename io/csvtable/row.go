package csvtable

import (
	"bytes"

	"payonce/io/table"
)

// row is the row of a block that its visitor stands on.
type row struct {
	block   *block
	record  record
	start   int // of the record in the block's data
	raw     []byte
	number  int64
	line    int64
	scratch []byte // the values whose doubled quotes were undone

	// Where the next row begins.
	next     int
	nextLine int64
	quote    int  // the first quote from there on
	careful  bool // the block holds a NUL byte or may hold too long a record
}

var _ table.Row = (*row)(nil)

func (r *row) Number() int64 { return r.number }

func (r *row) Line() int64 { return r.line }

func (r *row) Cell(i int) []byte {
	start, end := r.record.cell(i)
	raw := r.raw[start:end:end]
	if len(raw) == 0 || raw[0] != '"' {
		return raw
	}
	return cellValue(raw, &r.scratch)
}

// cellValue returns the value of a quoted cell. Where doubled quotes have to be undone
// it stands in scratch, which only grows, so that earlier values stay valid.
func cellValue(raw []byte, scratch *[]byte) []byte {
	value := raw[1 : len(raw)-1 : len(raw)-1]
	quote := bytes.IndexByte(value, '"')
	if quote < 0 {
		return value
	}
	start := len(*scratch)
	for ; quote >= 0; quote = bytes.IndexByte(value, '"') {
		*scratch = append(*scratch, value[:quote+1]...)
		value = value[quote+2:]
	}
	*scratch = append(*scratch, value...)
	return (*scratch)[start:len(*scratch):len(*scratch)]
}

// begin goes before the first row of the block.
func (r *row) begin(b *block) {
	r.number, r.next, r.nextLine = b.first-1, 0, b.startLine
	r.quote = indexFrom(b.data, 0, '"')
	r.careful = len(b.data) > maxRecord || bytes.IndexByte(b.data, 0) >= 0
}

// advance goes to the next row.
func (r *row) advance() error {
	r.start, r.line = r.next, r.nextLine
	r.number++
	r.scratch = r.scratch[:0]
	data := r.block.data[r.start:]
	if r.quote < r.start {
		r.quote = indexFrom(r.block.data, r.start, '"')
	}
	width := bytes.IndexByte(data, '\n')
	if width < 0 || r.quote < r.start+width || r.careful {
		if err := r.split(data); err != nil {
			return r.block.fault(r.line, data, err)
		}
	} else {
		r.splitLine(data, width)
	}
	r.raw = data[:r.record.size]
	r.next += r.record.size
	if columns := len(r.block.scanner.header.columns); r.record.cells() != columns {
		return r.block.scanner.errorAt(r.line, r.raw, ragged(&r.record, columns))
	}
	return nil
}

// splitLine cuts a record that is the line which ends at the LF at data[end].
func (r *row) splitLine(data []byte, end int) {
	text := end
	if text > 0 && data[text-1] == '\r' {
		text--
	}
	r.record.splitPlain(data, text, r.block.scanner.dialect.Delimiter)
	size := end + 1
	r.nextLine++
	if size < len(data) && data[size] <= '\r' {
		blank, _ := lineEndings(data[size:], true)
		r.nextLine += int64(bytes.Count(data[size:size+blank], []byte{'\n'}))
		size += blank
	}
	r.record.text, r.record.size = text, size
}

// split cuts any record off data.
func (r *row) split(data []byte) error {
	window := data[:min(len(data), recordWindow)]
	delimiter := r.block.scanner.dialect.Delimiter
	err := r.record.split(window, delimiter, len(window) == len(data))
	if err == errIncomplete || err == nil && r.record.size > maxRecord {
		return overlong(window, delimiter)
	}
	if err == nil {
		r.nextLine += int64(bytes.Count(data[:r.record.size], []byte{'\n'}))
	}
	return err
}
