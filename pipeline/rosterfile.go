package pipeline

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"payonce/attempt"
	"payonce/enrich"
)

// A kept roster is its spans, each with its checksum, then its contents as JSON with
// their checksum, and the length of the contents. Of a span it holds the notes, for each
// duplicate the row that leads it and for each person that the journal knows the packed
// record, all in the order of the rows.

// rosterContents say what a kept roster holds.
type rosterContents struct {
	Rows    int64                   `json:"rows"`
	Reasons []enrich.Unidentifiable `json:"reasons"`
	Wide    bool                    `json:"wide"`
	Ends    []int64                 `json:"ends"` // of the spans
}

// errUnverified says that a roster was kept before an output was written with it.
var errUnverified = errors.New("a roster is kept only when an output was written with it")

// errNoRoster says that a file does not hold a roster, or not a whole one.
var errNoRoster = errors.New("the file holds no whole roster")

// WriteTo writes the roster so that OpenRoster can read it. An output must have been
// written with it.
func (r *Roster) WriteTo(w io.Writer) (written int64, err error) {
	if !r.verified {
		return 0, errUnverified
	}
	contents := rosterContents{Rows: r.rows, Reasons: r.reasons, Wide: r.wide}
	var buffer []byte
	for first := int64(0); first < r.rows; first += spanRows(r.rows) {
		span, err := r.source.span(len(contents.Ends))
		if err != nil {
			return written, err
		}
		buffer = appendChecksum(span.append(buffer[:0]))
		n, err := w.Write(buffer)
		written += int64(n)
		if err != nil {
			return written, err
		}
		contents.Ends = append(contents.Ends, written)
	}
	text, err := json.Marshal(contents)
	if err != nil {
		return written, err
	}
	buffer = appendChecksum(append(buffer[:0], text...))
	n, err := w.Write(binary.LittleEndian.AppendUint32(buffer, uint32(len(buffer))))
	return written + int64(n), err
}

// append appends the span as it is kept.
func (s *rosterSpan) append(data []byte) []byte {
	for _, n := range s.notes {
		data = append(data, byte(n))
	}
	for i, n := range s.notes {
		if n.isDuplicate() {
			data = binary.LittleEndian.AppendUint64(data, uint64(s.leads[i]))
		}
		if n.isKnown() {
			data = binary.LittleEndian.AppendUint64(data, uint64(s.records[i]))
		}
	}
	return data
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendChecksum(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
}

// checked returns what stands before the checksum, when that is right.
func checked(data []byte) ([]byte, error) {
	end := len(data) - crc32.Size
	if end < 0 || crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, errNoRoster
	}
	return data[:end], nil
}

// RosterFile is what a kept roster is read from.
type RosterFile interface {
	io.ReaderAt
	io.Closer
}

// OpenRoster returns the roster that WriteTo wrote to the first size bytes of a file, which
// is closed with it. Anything else in the file is an error.
func OpenRoster(file RosterFile, size int64) (*Roster, error) {
	contents, err := readContents(file, size)
	if err != nil {
		return nil, err
	}
	kept := &keptRoster{file: file, contents: contents}
	err = parallel(len(contents.Ends), func(number int) error {
		_, err := kept.bytes(number)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Roster{rows: contents.Rows, reasons: contents.Reasons, wide: contents.Wide, verified: true, source: kept}, nil
}

func readContents(file RosterFile, size int64) (contents rosterContents, err error) {
	var length [4]byte
	if size < int64(len(length)) {
		return contents, errNoRoster
	}
	end := size - int64(len(length))
	if _, err := file.ReadAt(length[:], end); err != nil {
		return contents, fmt.Errorf("%w: %w", errNoRoster, err)
	}
	text := make([]byte, min(int64(binary.LittleEndian.Uint32(length[:])), end))
	if _, err := file.ReadAt(text, end-int64(len(text))); err != nil {
		return contents, fmt.Errorf("%w: %w", errNoRoster, err)
	}
	if text, err = checked(text); err != nil {
		return contents, err
	}
	if err := json.Unmarshal(text, &contents); err != nil {
		return contents, fmt.Errorf("%w: %w", errNoRoster, err)
	}
	if !contents.areWhole(end) {
		return contents, errNoRoster
	}
	return contents, nil
}

// areWhole reports whether the contents can be those of a roster in so many bytes.
func (c *rosterContents) areWhole(size int64) bool {
	if c.Rows < 0 || int64(len(c.Ends)) != (c.Rows+spanRows(c.Rows)-1)/spanRows(c.Rows) {
		return false
	}
	start := int64(0)
	for _, end := range c.Ends {
		if end < start || end > size {
			return false
		}
		start = end
	}
	return true
}

// keptRoster is a roster in a file.
type keptRoster struct {
	file     RosterFile
	contents rosterContents
}

func (k *keptRoster) span(number int) (*rosterSpan, error) {
	data, err := k.bytes(number)
	if err != nil {
		return nil, err
	}
	return readSpan(number, data, k.rowsOf(number)), nil
}

// rowsOf returns how many rows a span has.
func (k *keptRoster) rowsOf(number int) int {
	each := spanRows(k.contents.Rows)
	return int(min(each, k.contents.Rows-int64(number)*each))
}

// bytes returns what is kept of a span, which is whole.
func (k *keptRoster) bytes(number int) ([]byte, error) {
	start := int64(0)
	if number > 0 {
		start = k.contents.Ends[number-1]
	}
	data := make([]byte, k.contents.Ends[number]-start)
	if _, err := k.file.ReadAt(data, start); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoRoster, err)
	}
	data, err := checked(data)
	if err == nil && !k.contents.isSpan(data, k.rowsOf(number)) {
		err = errNoRoster
	}
	return data, err
}

// isSpan reports whether data are what append writes of so many rows.
func (c *rosterContents) isSpan(data []byte, rows int) bool {
	if len(data) < rows {
		return false
	}
	words := data[rows:]
	for _, b := range data[:rows] {
		n := note(b)
		if n.namesNobody() && n.reason() >= len(c.Reasons) {
			return false
		}
		if n.isDuplicate() {
			if len(words) < wordBytes {
				return false
			}
			words = words[wordBytes:] // whichever lead it is: it is shown, and nothing else
		}
		if n.isKnown() {
			if len(words) < wordBytes || !c.isRecord(packedRecord(binary.LittleEndian.Uint64(words))) {
				return false
			}
			words = words[wordBytes:]
		}
	}
	return len(words) == 0
}

// isRecord reports whether a journal can know what was packed. What is wide can be read
// only when the contents say that there are such records.
func (c *rosterContents) isRecord(p packedRecord) bool {
	if p == wideRecord {
		return c.Wide
	}
	for _, state := range p.record().States {
		if state > attempt.Forgotten {
			return false
		}
	}
	return true
}

// readSpan reads what append wrote of so many rows.
func readSpan(number int, data []byte, rows int) *rosterSpan {
	s := &rosterSpan{number: number, notes: make([]note, rows), leads: make([]int64, rows), records: make([]packedRecord, rows)}
	words := data[rows:]
	next := func() uint64 {
		word := binary.LittleEndian.Uint64(words)
		words = words[wordBytes:]
		return word
	}
	for i, b := range data[:rows] {
		n := note(b)
		s.notes[i] = n
		if n.isDuplicate() {
			s.leads[i] = int64(next())
		}
		if n.isKnown() {
			s.records[i] = packedRecord(next())
		}
	}
	return s
}

func (k *keptRoster) close() error { return k.file.Close() }
