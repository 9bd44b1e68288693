package csvtable

import (
	"bytes"
	"errors"
	"math/bits"
)

// maxRecord is the most bytes of a record. Without it, a quote that is never closed would make the
// reader hold the rest of the file in memory.
const maxRecord = 16 << 20

// errIncomplete says that the data ends before the record does.
var errIncomplete = errors.New("the record is not complete")

// fault is what is wrong with a record, and at which byte of the record.
type fault struct {
	at           int
	reason, hint string
}

func (f *fault) Error() string { return f.reason }

// record is one record, split into cells. Its offsets count from its first byte.
type record struct {
	// bounds are -1, then the offset after each cell: that of the delimiter, or the end of the
	// text. A cell that starts with a quote is quoted.
	bounds []int32
	text   int // end of the last cell; the line ending follows
	size   int // with the line ending and the blank lines after it
}

// cells returns the number of cells.
func (r *record) cells() int { return len(r.bounds) - 1 }

// cell returns the place of cell i, with its quotes.
func (r *record) cell(i int) (start, end int) {
	return int(r.bounds[i]) + 1, int(r.bounds[i+1])
}

// split splits the first record of data. data must not start with a blank line. last says that
// nothing follows data; if it is false and more data could change the end of the record, the error
// is errIncomplete. A fault of the record is a *fault.
//
// It is a pure function and does not retain data, so that blocks can be split at the same time.
func (r *record) split(data []byte, delimiter byte, last bool) error {
	r.bounds = append(r.bounds[:0], -1)
	end, err := lineText(data, 0, last)
	if err != nil {
		return err
	}
	if bytes.IndexByte(data[:end], '"') < 0 {
		r.splitPlain(data, end, delimiter)
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

// splitPlain splits the first line of data. The line has no quote, and its text ends at end.
func (r *record) splitPlain(data []byte, end int, delimiter byte) {
	bounds := append(r.bounds[:0], -1)
	at := 0
	for ; at < end && at+wordLength <= len(data); at += wordLength {
		found := positions(data[at:], delimiter)
		if rest := end - at; rest < wordLength {
			found &= 1<<rest - 1
		}
		for ; found != 0; found &= found - 1 {
			bounds = append(bounds, int32(at+bits.TrailingZeros64(found)))
		}
	}
	for ; at < end; at++ {
		if data[at] == delimiter {
			bounds = append(bounds, int32(at))
		}
	}
	r.bounds = append(bounds, int32(end))
}

// splitQuoted splits a record that may have quoted cells. It returns the end of the text of the
// record. end is the end of the text of its first line; a quoted cell may continue on further
// lines.
func (r *record) splitQuoted(data []byte, end int, delimiter byte, last bool) (int, error) {
	at := 0
	for {
		if at < end && data[at] == '"' {
			next, err := afterCell(data, at, last)
			if err != nil {
				return 0, err
			}
			if next > end {
				if end, err = lineText(data, next, last); err != nil {
					return 0, err
				}
			}
			at = next
		} else if width := bytes.IndexByte(data[at:end], delimiter); width >= 0 {
			at += width
		} else {
			at = end
		}
		r.bounds = append(r.bounds, int32(at))
		if at == end {
			return end, nil
		}
		if data[at] != delimiter {
			return 0, afterQuote(at)
		}
		at++
	}
}

// afterCell returns the offset after the quoted cell whose opening quote is at open.
func afterCell(data []byte, open int, last bool) (int, error) {
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
			return after, nil
		}
		at = after + 1
	}
}

// lineText returns the end of the text of the line around data[at]: the start of its LF or CRLF. A
// CR alone is text, unless it is the last byte of the file: then it is the first half of a CRLF.
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

// lineEndings returns the length of the line endings at the start of data. whole reports that
// further data cannot change the length.
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

// textEnd returns the end of the text of a record. raw is the record with its line ending and the
// blank lines after it. A CR without LF is at the end of the file.
func textEnd(raw []byte) int {
	end := len(raw)
	if end > 0 && raw[end-1] == '\r' {
		end--
	}
	for end > 0 && raw[end-1] == '\n' {
		end--
		if end > 0 && raw[end-1] == '\r' {
			end--
		}
	}
	return end
}
