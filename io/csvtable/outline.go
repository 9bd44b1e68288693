package csvtable

import "bytes"

// outline has the places of the records in a chunk. A chunk starts at the start of a line. That is
// either the start of a record or within a quoted cell, so there are two ways to read the chunk.
// Which one is right is known only when the chunk before was read.
type outline struct {
	startsQuoted bool // the chunk was read as if it started within a quoted cell
	endsQuoted   bool
	starts       []int32 // of the records that end in the chunk; the first one may start before the chunk
	end          int     // end of the last of them, with the blank lines after it
	lines        int64   // that end before end
}

// guessOutline reads a chunk in the way that its first quote makes more likely. It puts the starts
// of the records into the given memory.
func guessOutline(data []byte, delimiter byte, last bool, memory []int32) outline {
	return outlineOf(data, delimiter, looksQuoted(data, delimiter), last, memory)
}

// looksQuoted reports whether the first quote of a chunk probably closes a cell.
func looksQuoted(data []byte, delimiter byte) bool {
	quote := bytes.IndexByte(data, '"')
	if quote <= 0 || quote == len(data)-1 {
		return false
	}
	before, after := data[quote-1], data[quote+1]
	return before != delimiter && before != '\n' && (after == delimiter || after == '\r' || after == '\n')
}

// outlineOf reads a chunk that starts within a quoted cell or with a record. last says that the
// list ends with the chunk. The places of faulty records may be wrong: Block.Each returns their
// faults.
func outlineOf(data []byte, delimiter byte, quoted, last bool, memory []int32) outline {
	o := outline{startsQuoted: quoted}
	lines := recordLines{data: data, starts: memory[:0]}
	at := 0
	for {
		if quoted {
			end := afterQuoted(data, at, delimiter)
			if end < 0 {
				o.starts, o.end, o.endsQuoted = lines.starts, lines.begin, true
				o.lines = int64(bytes.Count(data[:o.end], []byte{'\n'}))
				return o
			}
			lines.count += bytes.Count(data[at:end], []byte{'\n'})
			at = end
		}
		quote := bytes.IndexByte(data[at:], '"')
		if quote < 0 {
			lines.take(at, len(data))
			break
		}
		quote += at
		lines.take(at, quote)
		quoted = quote == lines.begin || data[quote-1] == delimiter
		at = quote + 1
	}
	if last {
		lines.takeRest()
	}
	o.starts, o.end, o.lines = lines.starts, len(data), int64(lines.count)
	return o
}

// recordLines finds the lines at which records end.
type recordLines struct {
	data   []byte
	begin  int     // of the next record or blank line; 0 for a record that starts before the chunk
	starts []int32 // of the records that end in the chunk
	count  int
}

// take finds the lines in data[from:to], which is not within quotes.
func (l *recordLines) take(from, to int) {
	for from < to {
		width := bytes.IndexByte(l.data[from:to], '\n')
		if width < 0 {
			return
		}
		from += width
		if length := from - l.begin; length > 1 || length == 1 && l.data[l.begin] != '\r' {
			l.starts = append(l.starts, int32(l.begin))
		}
		from++
		l.count++
		l.begin = from
	}
}

// takeRest takes a last record without a line ending.
func (l *recordLines) takeRest() {
	rest := len(l.data) - l.begin
	if rest > 1 || rest == 1 && l.data[l.begin] != '\r' {
		l.starts = append(l.starts, int32(l.begin))
	}
}

// afterQuoted returns the offset after the quote that closes the cell around at, or -1. If the next
// cell is quoted, too, it continues to the end of that cell.
func afterQuoted(data []byte, at int, delimiter byte) int {
	for {
		width := bytes.IndexByte(data[at:], '"')
		if width < 0 {
			return -1
		}
		at += width + 1
		switch {
		case at < len(data) && data[at] == '"':
			at++
		case at+1 < len(data) && data[at] == delimiter && data[at+1] == '"':
			at += 2
		default:
			return at
		}
	}
}
