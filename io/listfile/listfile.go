// Package listfile opens and creates lists by name, in any format: delimited text and JSON objects,
// compressed or not, in one file or several; Parquet; Excel workbooks.
package listfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"payonce/io/csvtable"
	"payonce/io/jsonlist"
	"payonce/io/sheet"
	"payonce/io/table"
)

// Standard is the name of standard input and of standard output.
const Standard = "-"

// ErrChanged says that the files of the list changed after it was opened.
var ErrChanged = errors.New("the list changed while it was being worked on; run the same command again")

// Options say how lists are opened.
type Options struct {
	Encoding  csvtable.Encoding // of text; "" to detect it
	Delimiter byte              // of text; 0 to detect it
	Sheet     string            // of a workbook; "" for the only one that has values
	// HeaderRow is the row with the names of the columns, as a spreadsheet program counts rows; 0 to find it.
	HeaderRow int64
	Stdin     io.Reader // for the name "-"
	TempDir   string    // for the data of Stdin; "" for the system's
}

// List is a list of one or more files. It can be read any number of times. The files must not change.
type List struct {
	format  format
	options Options
	inputs  []TextInput
	states  []state
	spool   *Spool          // of standard input; nil for files
	all     bool            // every pass reads every column
	checked bool            // an earlier pass found no fault
	sheet   *checkedSheet   // of a workbook
	scanned *scannedObjects // of JSON objects
	below   *below          // its rows
}

// below holds what passes found below the rows of the files.
type below struct {
	mutex sync.Mutex
	feet  map[string]table.Foot // by file
}

func (b *below) add(foot table.Foot) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.feet[foot.File] = foot
}

// Below returns what the files have below their rows, in the order of their names. It is known when a pass has read
// the list to its end.
func (l *List) Below() []table.Foot {
	if l.below == nil { // a list without files
		return nil
	}
	l.below.mutex.Lock()
	defer l.below.mutex.Unlock()
	return slices.SortedFunc(maps.Values(l.below.feet), func(a, b table.Foot) int { return strings.Compare(a.File, b.File) })
}

// scannedObjects holds the layout of JSON objects after they were scanned.
type scannedObjects struct{ layout *jsonlist.Layout }

// checkedSheet holds the sheet of a workbook after it was checked.
type checkedSheet struct{ found *sheet.Checked }

// state identifies the content of a file.
type state struct {
	size    int64
	changed time.Time
}

// stateOf returns the state of a file. It refuses files that can be read only once.
func stateOf(input TextInput) (state, error) {
	info, err := input.Stat()
	if err != nil {
		return state{}, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() { // opening a directory reports what to name
		return state{}, fmt.Errorf("%s cannot be read several times; give - for standard input", input.Name())
	}
	return state{info.Size(), info.ModTime()}, nil
}

// New returns the list of the files that the patterns name, in the order of the patterns: paths,
// globs, or "-" alone for standard input. It keeps standard input in a temporary file until Close.
func New(options Options, patterns ...string) (*List, error) {
	l := &List{options: options, sheet: &checkedSheet{}, scanned: &scannedObjects{}, below: &below{feet: map[string]table.Foot{}}}
	var err error
	if len(patterns) == 1 && patterns[0] == Standard {
		if l.spool, err = NewSpool(options.Stdin, options.TempDir, "standard input"); err != nil {
			return nil, err
		}
		l.inputs = []TextInput{l.spool.TextInput}
	} else if slices.Contains(patterns, Standard) {
		return nil, errors.New("- is standard input, which cannot be combined with files; name only files")
	} else if l.inputs, err = ExpandPatterns(patterns...); err != nil {
		return nil, err
	}
	err = l.check()
	if err == nil {
		err = l.checkOptions()
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// check finds the format and records the states of the files.
func (l *List) check() error {
	for i, input := range l.inputs {
		found, err := stateOf(input)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no list %s", input.Name())
		}
		if err != nil {
			return err
		}
		l.states = append(l.states, found)
		format, err := formatOf(input.Name())
		if err != nil {
			return err
		}
		if l.spool != nil {
			format = formatOfStandard(input)
		}
		if format == (text{}) {
			if err := checkText(input); err != nil {
				return err
			}
		}
		if i > 0 && (format != l.format || format != (text{}) && format != (objects{})) {
			return fmt.Errorf("%s and %s cannot be one list; name several files only when all of them are text, "+
				"or all have one JSON object on each line", l.inputs[0].Name(), input.Name())
		}
		l.format = format
	}
	return nil
}

// OptionError means that an option says something that lists of this format do not have.
type OptionError struct {
	File, Option string // the option's name among the flags
	reason       string
}

func (e *OptionError) Error() string {
	return e.File + ": " + e.reason + "; leave --" + e.Option + " out"
}

// checkOptions reports an option that says nothing about the list's format, as an *OptionError.
func (l *List) checkOptions() error {
	isText, isWorkbook := l.format == (text{}), l.format == (workbook{})
	wrong := func(option, reason string) error { return &OptionError{l.inputs[0].Name(), option, reason} }
	switch {
	case l.options.Delimiter != 0 && !isText:
		return wrong("delimiter", "only text has a delimiter")
	case l.options.HeaderRow > 0 && !isText && !isWorkbook:
		return wrong("header-row", "only text and workbooks have a row with the names of the columns")
	case l.options.Sheet != "" && !isWorkbook:
		return wrong("sheet", "only a workbook has sheets")
	}
	return nil
}

// Like returns the list of another file, which is read with the same options as far as they say something about its
// format.
func (l *List) Like(path string) (*List, error) {
	like := &List{
		options: l.options, sheet: &checkedSheet{}, scanned: &scannedObjects{}, below: &below{feet: map[string]table.Foot{}},
		inputs: []TextInput{TextAt(path)},
	}
	return like, like.check()
}

// mostRows is how many rows of a text or a workbook OtherHeaders looks at. Opening a workbook takes long.
const mostRows, mostSheetRows = 12, 4

// OtherHeaders returns the names of the columns for each of the next rows, as if it were the header, by the row as a
// spreadsheet program counts it. It returns none where the row of the header was given, and for other formats.
func (l *List) OtherHeaders(yield func(row int64, schema table.Schema) bool) {
	if l.options.HeaderRow > 0 || l.format != (text{}) && l.format != (workbook{}) {
		return
	}
	reader, err := l.Open(nil)
	if err != nil {
		return
	}
	first, most := reader.(interface{ HeaderRow() int64 }).HeaderRow(), int64(mostRows)
	if err := reader.Close(); err != nil {
		return
	}
	if l.format == (workbook{}) {
		most = mostSheetRows
	}
	for row := first + 1; row <= first+most; row++ {
		other := *l
		other.options.HeaderRow, other.sheet = row, &checkedSheet{}
		if l.sheet.found != nil {
			other.options.Sheet = l.sheet.found.Name()
		}
		if schema, err := other.Schema(); err == nil && !yield(row, schema) {
			return
		}
	}
}

// Close removes the copy of standard input.
func (l *List) Close() error {
	if l.spool == nil {
		return nil
	}
	return l.spool.Remove()
}

// Paths returns the absolute paths of the files. It returns none for standard input.
func (l *List) Paths() ([]string, error) {
	if l.spool != nil {
		return nil, nil
	}
	var paths []string
	for _, input := range l.inputs {
		path, err := filepath.Abs(input.Path())
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Whole returns the list for passes that read every column.
func (l *List) Whole() *List {
	whole := *l
	whole.all = true
	return &whole
}

// Checked returns the list for passes that do not look for faults again, because an earlier pass
// read every row of the same files. Such a pass reads text in less time. It finds a fault only in a
// row whose cells are used.
func (l *List) Checked() *List {
	checked := *l
	checked.checked = true
	return &checked
}

// Open opens the list for one pass that reads the cells of these columns.
func (l *List) Open(columns []int) (table.Reader, error) {
	if err := l.unchanged(); err != nil {
		return nil, err
	}
	if l.all {
		columns = nil
	}
	reader, err := l.format.open(l, columns)
	if footed, ok := reader.(table.Footed); ok && err == nil {
		footed.WhenFoot(l.below.add)
	}
	return reader, err
}

// unchanged returns ErrChanged when a file changed.
func (l *List) unchanged() error {
	for i, input := range l.inputs {
		now, err := stateOf(input)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrChanged, err)
		}
		if now.size != l.states[i].size || !now.changed.Equal(l.states[i].changed) {
			return ErrChanged
		}
	}
	return nil
}

// About describes the encoding of a text for a person, and reports whether it was guessed. It returns ""
// for UTF-8 and for other formats.
func (l *List) About() (text string, guessed bool, err error) {
	reader, err := l.Open(nil)
	if err != nil {
		return "", false, err
	}
	defer reader.Close()
	lines, isText := reader.(*csvtable.Reader)
	if !isText {
		return "", false, nil
	}
	encoding := lines.Dialect().Encoding
	switch {
	case lines.EncodingGuessed():
		return fmt.Sprintf("%s, as it seems", encoding), true, nil
	case encoding != csvtable.UTF8:
		return string(encoding), false, nil
	}
	return "", false, nil
}

// Schema reads the names of the columns.
func (l *List) Schema() (table.Schema, error) {
	reader, err := l.Whole().Open(nil)
	if err != nil {
		return table.Schema{}, err
	}
	return reader.Schema(), reader.Close()
}

// Sum returns the SHA-256 of the bytes of all files in order, in hexadecimal digits.
func (l *List) Sum() (string, error) {
	if err := l.unchanged(); err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, input := range l.inputs {
		if err := copyBytes(hash, input); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Fingerprint returns a hash of all that the rows follow from: the names of the files, whose endings give their formats,
// how they are read, and their bytes. It fails when a file changed after the list was opened.
func (l *List) Fingerprint() (string, error) {
	hash, options := xxh3.New(), l.options
	options.Stdin, options.TempDir = nil, ""
	fmt.Fprintf(hash, "%#v", options)
	for i, input := range l.inputs {
		fmt.Fprintf(hash, "%q %d ", filepath.Base(input.Name()), l.states[i].size)
		if err := copyBytes(hash, input); err != nil {
			return "", err
		}
	}
	if err := l.unchanged(); err != nil {
		return "", err
	}
	sum := hash.Sum128().Bytes()
	return hex.EncodeToString(sum[:]), nil
}

func copyBytes(w io.Writer, input TextInput) error {
	file, err := input.OpenBytes()
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(w, file)
	return err
}
