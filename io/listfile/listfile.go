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

// Options say how a list is read, in the words that people use. The zero value recognises everything.
type Options struct {
	Encoding  string // of text, as csvtable.ParseEncoding takes it; "" to detect it
	Delimiter string // of text, one of csvtable.DelimiterNames; "" and other words to detect it
	Sheet     string // of a workbook; "" for the only one that has values
	// HeaderRow is the row with the names of the columns, as a spreadsheet program counts rows; 0 to find it.
	HeaderRow int64
	Stdin     func() io.Reader // begins to read standard input, for the name "-"
	TempDir   string           // for the data of Stdin; "" for the system's
}

// encoding returns the encoding that is given, "" for none.
func (o Options) encoding() (csvtable.Encoding, error) {
	if o.Encoding == "" {
		return "", nil
	}
	return csvtable.ParseEncoding(o.Encoding)
}

// Check refuses options that no list can be read with.
func (o Options) Check() error {
	_, err := o.encoding()
	return err
}

// List is a list of one or more files. It can be read any number of times. The files must not change.
type List struct {
	format  format
	options Options
	inputs  []TextInput
	states  []state
	spool   *Spool // of standard input; nil for files
	all     bool   // every pass reads every column
	checked bool   // an earlier pass found no fault
	found   *found // by passes
}

// found is what passes over the list found, so that later ones need not find it again. The copies of a List share it.
type found struct {
	mutex  sync.Mutex
	head   *head
	feet   map[string]table.Foot // by file: what is below the rows
	layout *jsonlist.Layout      // of JSON objects
	sheet  *sheet.Checked        // of a workbook
}

// head is what the beginning of a list tells.
type head struct {
	schema    table.Schema
	headerRow int64             // of a text or a workbook
	encoding  csvtable.Encoding // of a text
	guessed   bool              // the encoding is guessed
}

// noteHead keeps what a reader of all columns tells.
func (f *found) noteHead(reader table.Reader) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.head != nil {
		return
	}
	f.head = &head{schema: reader.Schema()}
	if rows, ok := reader.(interface{ HeaderRow() int64 }); ok {
		f.head.headerRow = rows.HeaderRow()
	}
	if lines, ok := reader.(*csvtable.Reader); ok {
		f.head.encoding, f.head.guessed = lines.Dialect().Encoding, lines.EncodingGuessed()
	}
}

// knownHead returns what the beginning of the list tells, nil when no pass has read all columns yet.
func (f *found) knownHead() *head {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.head
}

func (f *found) noteFoot(foot table.Foot) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.feet[foot.File] = foot
}

// Below returns what the files have below their rows, in the order of their names. It is known when a pass has read
// the list to its end.
func (l *List) Below() []table.Foot {
	if l.found == nil { // a list without files
		return nil
	}
	l.found.mutex.Lock()
	defer l.found.mutex.Unlock()
	return slices.SortedFunc(maps.Values(l.found.feet), func(a, b table.Foot) int { return strings.Compare(a.File, b.File) })
}

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
	if err := options.Check(); err != nil {
		return nil, err
	}
	l := newList(options)
	var err error
	if len(patterns) == 1 && patterns[0] == Standard {
		if l.spool, err = NewSpool(options.Stdin(), options.TempDir, "standard input"); err != nil {
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

func newList(options Options) *List {
	return &List{options: options, found: &found{feet: map[string]table.Foot{}}}
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
	case csvtable.ParseDelimiter(l.options.Delimiter) != 0 && !isText:
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
	like := newList(l.options)
	like.inputs = []TextInput{TextAt(path)}
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
	head, err := l.head()
	if err != nil {
		return
	}
	most := int64(mostRows)
	if l.format == (workbook{}) {
		most = mostSheetRows
	}
	for row := head.headerRow + 1; row <= head.headerRow+most; row++ {
		other := newList(l.options)
		other.format, other.inputs, other.states = l.format, l.inputs, l.states
		other.options.HeaderRow = row
		if l.found.sheet != nil {
			other.options.Sheet = l.found.sheet.Name()
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
	if err != nil {
		return nil, err
	}
	if footed, ok := reader.(table.Footed); ok {
		footed.WhenFoot(l.found.noteFoot)
	}
	if columns == nil {
		l.found.noteHead(reader)
	}
	return reader, nil
}

// head returns what the beginning of the list tells. It opens the list when no pass has read all columns yet.
func (l *List) head() (head, error) {
	known := l.found.knownHead()
	if known == nil {
		reader, err := l.Open(nil)
		if err != nil {
			return head{}, err
		}
		if err := reader.Close(); err != nil {
			return head{}, err
		}
		known = l.found.knownHead()
	}
	return *known, nil
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
	head, err := l.head()
	switch {
	case err != nil:
		return "", false, err
	case head.guessed:
		return fmt.Sprintf("%s, as it seems", head.encoding), true, nil
	case head.encoding != csvtable.UTF8:
		return string(head.encoding), false, nil // "" for other formats
	}
	return "", false, nil
}

// Schema returns the names of the columns.
func (l *List) Schema() (table.Schema, error) {
	head, err := l.head()
	return head.schema, err
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
