package csvtable

// Dialect is how a list is written. The zero value is commas, LF and UTF-8.
type Dialect struct {
	Delimiter  byte     // one of , ; tab |; 0 is a comma
	LineEnding string   // "\n" or "\r\n"; "" is "\n"
	Encoding   Encoding // "" is UTF-8
}

func (d Dialect) withDefaults() Dialect {
	if d.Delimiter == 0 {
		d.Delimiter = delimiters[0]
	}
	if d.LineEnding == "" {
		d.LineEnding = "\n"
	}
	if d.Encoding == "" {
		d.Encoding = UTF8
	}
	return d
}

// delimiters are the delimiters that are detected. If two fit a list equally well, the first one is used.
const delimiters = ",;\t|"

// sampleRows is how many rows are used to detect the delimiter.
const sampleRows = 64

// delimiterNames are the delimiters by the names that people use.
var delimiterNames = [...]struct {
	name      string
	delimiter byte
}{{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"bar", '|'}}

// DelimiterNames returns the names of the delimiters.
func DelimiterNames() []string {
	var names []string
	for _, d := range delimiterNames {
		names = append(names, d.name)
	}
	return names
}

// ParseDelimiter returns the delimiter of a name, and 0 for another text.
func ParseDelimiter(name string) byte {
	for _, d := range delimiterNames {
		if d.name == name {
			return d.delimiter
		}
	}
	return 0
}

// nameOf returns the name of a delimiter.
func nameOf(delimiter byte) string {
	for _, d := range delimiterNames {
		if d.delimiter == delimiter {
			return d.name
		}
	}
	return string(delimiter)
}

// delimiterOf returns the delimiter that was given, or the one that fits a sample best.
func (s *scanner) delimiterOf(sample []byte, whole bool) byte {
	if s.delimiter != 0 {
		return s.delimiter
	}
	return detectDelimiter(sample, whole)
}

// detectDelimiter returns the delimiter that splits the records of the sample most evenly. The
// sample starts with the header. whole says that it is the whole list.
func detectDelimiter(sample []byte, whole bool) byte {
	best, bestFit := delimiters[0], fit{}
	for _, candidate := range []byte(delimiters) {
		if f := measure(sample, whole, candidate); f.betterThan(bestFit) {
			best, bestFit = candidate, f
		}
	}
	return best
}

// fit is how well a delimiter splits a sample.
type fit struct {
	columns int     // cells of the header, as far as it can be split
	even    float64 // share of the rows with as many cells as the header, from 0 to 1
}

// betterThan prefers a delimiter that the header contains. So a list with a ragged row is reported
// as such, and is not read as a list of one column.
func (f fit) betterThan(other fit) bool {
	if several := f.columns > 1; several != (other.columns > 1) {
		return several
	}
	if f.even != other.even {
		return f.even > other.even
	}
	return f.columns > other.columns
}

func measure(sample []byte, whole bool, delimiter byte) fit {
	var rec record
	if rec.split(sample, delimiter, whole) != nil {
		return fit{columns: rec.cells() + 1}
	}
	columns, rows, even := rec.cells(), 0, 0
	for sample = sample[rec.size:]; len(sample) > 0 && rows < sampleRows; sample = sample[rec.size:] {
		err := rec.split(sample, delimiter, whole)
		if err == errIncomplete {
			break
		}
		rows++
		if err != nil {
			break
		}
		if rec.cells() == columns {
			even++
		}
	}
	if rows == 0 {
		return fit{columns, 1}
	}
	return fit{columns, float64(even) / float64(rows)}
}
