package csvtable

import (
	"bytes"
	"errors"
)

// maxRecord is the longest record that is read, in bytes: without it one quote
// that is never closed would pull the rest of the file into memory.
const maxRecord = 16 << 20

// errIncomplete says that the data ends before the record does.
var errIncomplete = errors.New("the record is not complete")

// fault is what is wrong with a record, and at which of its bytes.
type fault struct {
	at           int
	reason, hint string
}

func (f *fault) Error() string { return f.reason }

// quoting says how the bytes of a cell become its value.
type quoting uint8

const (
	plain   quoting = iota // the bytes are the value
	quoted                 // the value stands between two quotes
	escaped                // and holds doubled quotes
)

// cell says where a cell stands in its record, with its quotes.
type cell struct {
	start, end int32
	quoting    quoting
}

// record is one record, cut into cells. Its offsets count from its first byte.
type record struct {
	cells []cell
	text  int // the end of the last cell; the line ending follows
	size  int // with the line ending and the blank lines after it
}

// split cuts the first record off data, which begins with no blank line. last
// says that nothing follows data; without it a record whose end could still move
// is errIncomplete. What is wrong with the record is a *fault.
//
// It is a pure function of its arguments and keeps nothing of data, so that blocks
// of a list can be split side by side.
func (r *record) split(data []byte, delimiter byte, last bool) error {
	r.cells = r.cells[:0]
	end, err := lineText(data, 0, last)
	if err != nil {
		return err
	}
	if bytes.IndexByte(data[:end], '"') < 0 {
		r.splitPlain(data[:end], delimiter)
	} else if end, err = r.splitQuoted(data, end, delimiter, last); err != nil {
		return err
	}
	if at := bytes.IndexByte(data[:end], 0); at >= 0 {
		return nulByte(at)
	}
	blank, whole := lineEndings(data[end:], last)
	if !whole {
		return errIncomplete
	}
	r.text, r.size = end, end+blank
	return nil
}

// splitPlain cuts a line that holds no quote.
func (r *record) splitPlain(line []byte, delimiter byte) {
	at := 0
	for {
		width := bytes.IndexByte(line[at:], delimiter)
		if width < 0 {
			r.add(at, len(line), plain)
			return
		}
		r.add(at, at+width, plain)
		at += width + 1
	}
}

// splitQuoted cuts a record that may hold quoted cells and returns where its text
// ends. end is where the text of its first line ends; a line ending inside a quoted
// cell moves it.
func (r *record) splitQuoted(data []byte, end int, delimiter byte, last bool) (int, error) {
	at := 0
	for {
		if at < end && data[at] == '"' {
			next, err := r.addQuoted(data, at, last)
			if err != nil {
				return 0, err
			}
			if next > end {
				if end, err = lineText(data, next, last); err != nil {
					return 0, err
				}
			}
			at = next
		} else {
			start := at
			if at = end; start < end {
				at = cellEnd(data[:end], start, delimiter)
			}
			r.add(start, at, plain)
		}
		if at == end {
			return end, nil
		}
		if data[at] != delimiter {
			return 0, afterQuote(at)
		}
		at++
	}
}

// cellEnd returns where the plain cell that starts at start ends.
func cellEnd(line []byte, start int, delimiter byte) int {
	if width := bytes.IndexByte(line[start:], delimiter); width >= 0 {
		return start + width
	}
	return len(line)
}

// addQuoted adds the cell whose opening quote stands at open and returns the offset
// after its closing quote.
func (r *record) addQuoted(data []byte, open int, last bool) (int, error) {
	kind := quoted
	at := open + 1
	for {
		width := bytes.IndexByte(data[at:], '"')
		if width < 0 && last {
			return 0, unclosedQuote(open)
		}
		after := at + width + 1
		if width < 0 || after == len(data) && !last {
			return 0, errIncomplete
		}
		if after == len(data) || data[after] != '"' {
			r.add(open, after, kind)
			return after, nil
		}
		kind = escaped
		at = after + 1
	}
}

func (r *record) add(start, end int, kind quoting) {
	r.cells = append(r.cells, cell{int32(start), int32(end), kind})
}

// lineText returns where the text of the line ends that goes on at data[at]: before
// its LF or CRLF. A CR alone is text, but for one at the very end of the file: that
// is a CRLF cut short.
func lineText(data []byte, at int, last bool) (int, error) {
	end := len(data)
	if width := bytes.IndexByte(data[at:], '\n'); width >= 0 {
		end = at + width
	} else if !last {
		return 0, errIncomplete
	}
	if end > at && data[end-1] == '\r' {
		end--
	}
	return end, nil
}

// lineEndings returns the length of the line endings that data begins with. whole
// reports whether it could not grow by data still to come.
func lineEndings(data []byte, last bool) (length int, whole bool) {
	for {
		rest := data[length:]
		switch {
		case len(rest) > 0 && rest[0] == '\n':
			length++
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			length += 2
		case len(rest) == 1 && rest[0] == '\r' && last:
			return length + 1, true
		default:
			return length, last || len(rest) > 1 || len(rest) == 1 && rest[0] != '\r'
		}
	}
}
