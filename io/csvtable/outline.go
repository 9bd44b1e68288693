package csvtable

import "bytes"

// outline says how records lie in a chunk. A chunk begins where a line does, and
// that is either where a record begins or within a quoted cell; so there are two
// ways to read it, and which is right is known only after the chunk before.
type outline struct {
	startsQuoted bool // the way it was read
	endsQuoted   bool
	starts       []int32 // of the records that end in the chunk; the first may begin before it
	end          int     // where the last of them ends, with its blank lines
	lines        int64   // that end before that
}

// guessOutline reads a chunk in the way that its first quote makes more likely. The
// starts stand in memory that is given.
func guessOutline(data []byte, delimiter byte, last bool, memory []int32) outline {
	return outlineOf(data, delimiter, looksQuoted(data, delimiter), last, memory)
}

// looksQuoted reports whether the first quote of a chunk looks as if it closed a cell.
func looksQuoted(data []byte, delimiter byte) bool {
	quote := bytes.IndexByte(data, '"')
	if quote <= 0 || quote == len(data)-1 {
		return false
	}
	before, after := data[quote-1], data[quote+1]
	return before != delimiter && before != '\n' && (after == delimiter || after == '\r' || after == '\n')
}

// outlineOf reads a chunk that begins within a quoted cell or with a record. last says
// that the list ends with it. Records that Block.Each finds wrong are counted somehow.
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
	begin  int     // of the record, or the blank line, that comes next; 0 for one begun before
	starts []int32 // of the records that ended
	count  int
}

// take looks at data[from:to], which is not within quotes.
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

// afterQuoted returns the offset after the quote that closes the cell in which at
// lies, or -1. Where the next cell is quoted too it goes on to the end of that.
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
