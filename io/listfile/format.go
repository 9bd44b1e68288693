package listfile

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"payonce/io/csvtable"
	"payonce/io/jsonlist"
	"payonce/io/parquettable"
	"payonce/io/sheet"
	"payonce/io/table"
)

// format is a list format.
type format interface {
	// open opens a list for the cells of some columns. nil stands for all columns.
	open(list *List, columns []int) (table.Reader, error)
	// rewrite returns a writer of rows of a list of the same format. The writer copies cells that
	// are not filled. It returns nil when the format has no such writer for the request.
	rewrite(out io.Writer, list table.Reader, request Request) (table.Writer, error)
	// encode returns a writer of rows of any list, or of rows that are new.
	encode(out io.Writer, name string, schema table.Schema, request Request, isNew bool) (table.Writer, error)
	// verify reads back a file of size bytes that was written, as far as that takes little time.
	verify(file io.ReaderAt, size int64) error
}

// formatOf returns the format by the ending of a file's name. An unknown ending stands for text.
func formatOf(name string) (format, error) {
	inner := TrimCompression(name)
	ending := strings.ToLower(filepath.Ext(inner))
	switch ending {
	case ".parquet", ".xlsx":
		if inner != name {
			return nil, fmt.Errorf("%s: %s files are compressed inside; decompress it", name, ending)
		}
		if ending == ".xlsx" {
			return workbook{}, nil
		}
		return parquet{}, nil
	case ".parq", ".pq":
		return nil, &NameError{name, ".parquet", name + ": the name of a Parquet file must end in .parquet"}
	case ".bz2", ".xz", ".zip", ".7z", ".tgz":
		return nil, fmt.Errorf(
			"%s: files of the kind %s are not supported; compress text to .gz or .zst, or not at all", name, ending)
	case ".json", ".ndjson", ".jsonl":
		return objects{}, nil
	case ".xls", ".xlsm", ".xlsb", ".ods", ".avro", ".orc", ".feather", ".arrow":
		return nil, fmt.Errorf("%s: lists of the kind %s are not supported; export the list as CSV", name, ending)
	}
	return text{}, nil
}

// endingOf returns the ending of a file's name without that of a compression.
func endingOf(name string) string {
	return strings.ToLower(filepath.Ext(TrimCompression(name)))
}

// checkEnding refuses the name of an output whose ending does not stand for a format that is
// written: other programs would not open the file. The ending of the list is allowed too.
func checkEnding(path, ofList string) error {
	ending := endingOf(path)
	if ending == "" || ending == ofList || slices.Contains(listEndings, ending) {
		return nil
	}
	const hint = "name the output .csv, .tsv, .parquet, .xlsx, .json or .ndjson"
	return fmt.Errorf("%s: files of the kind %s are not written; %s", path, ending, hint)
}

// listEndings are the endings that stand for a format.
var listEndings = []string{".csv", ".tsv", ".txt", ".tab", ".psv", ".dat", ".parquet", ".xlsx", ".json", ".ndjson", ".jsonl"}

// HasListEnding reports whether a file's name ends as that of a list, compressed or not.
func HasListEnding(name string) bool { return slices.Contains(listEndings, endingOf(name)) }

// NameError says that a file needs a name with another ending.
type NameError struct {
	File, Ending string
	reason       string
}

func (e *NameError) Error() string { return e.reason }

// headLength is how many bytes of a file are checked for another format.
const headLength = 512

// checkText refuses a file with the name of a text and the content of another format. It ignores
// errors of reading: opening the list reports them.
func checkText(input TextInput) error {
	file, err := input.OpenBytes()
	if err != nil {
		return nil
	}
	defer file.Close()
	head := make([]byte, headLength)
	n, _ := io.ReadFull(file, head)
	head = head[:n]
	for _, kind := range []struct{ magic, what, ending, advice string }{
		{"PAR1", "a Parquet file", ".parquet", ".parquet"},
		{"PK\x03\x04", "a workbook or an archive", ".xlsx", ".xlsx, when it is a workbook"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) && bytes.IndexByte(head, 0) > 0 { // text has no NUL
			return &NameError{input.Name(), kind.ending, fmt.Sprintf(
				"%s holds %s, and its name says that it is text; save it under a name that ends in %s", input.Name(), kind.what, kind.advice)}
		}
	}
	if isObjects(head) {
		return &NameError{input.Name(), ".json", input.Name() +
			" holds JSON objects, and its name says that it is text; save it under a name that ends in .json or .ndjson"}
	}
	return nil
}

// formatOfStandard returns the format of standard input by its first bytes.
func formatOfStandard(input TextInput) format {
	file, err := input.Open()
	if err != nil {
		return text{} // opening the list reports it
	}
	defer file.Close()
	head := make([]byte, headLength)
	n, _ := io.ReadFull(file, head)
	if isObjects(head[:n]) {
		return objects{}
	}
	return text{}
}

// isObjects reports whether a file begins like a list of JSON objects.
func isObjects(head []byte) bool {
	const space = " \t\r\n"
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), space)
	within, found := bytes.CutPrefix(head, []byte("{"))
	if !found {
		if within, found = bytes.CutPrefix(head, []byte("[")); found {
			within, found = bytes.CutPrefix(bytes.TrimLeft(within, space), []byte("{"))
		}
	}
	return found && bytes.HasPrefix(bytes.TrimLeft(within, space), []byte("\""))
}

// CheckRows refuses a file whose format cannot hold that many rows.
func CheckRows(path string, rows int64) error {
	if found, err := formatOf(path); err != nil || found != (workbook{}) || path == Standard {
		return err
	}
	if rows >= sheet.MaxRows {
		return fmt.Errorf("%s: the list has %d rows, and a sheet holds %d; write it as CSV or Parquet",
			path, rows, sheet.MaxRows-1)
	}
	return nil
}

// text is delimited text in one file or several.
type text struct{}

func (text) open(list *List, _ []int) (table.Reader, error) {
	inputs := make([]csvtable.Input, len(list.inputs))
	for i, input := range list.inputs {
		inputs[i] = input
	}
	encoding, err := list.options.encoding()
	if err != nil {
		return nil, err
	}
	return csvtable.Open(csvtable.Options{
		Encoding: encoding, Delimiter: csvtable.ParseDelimiter(list.options.Delimiter),
		HeaderRow: list.options.HeaderRow, Checked: list.checked,
	}, inputs...)
}

func (text) rewrite(out io.Writer, list table.Reader, request Request) (table.Writer, error) {
	lines := list.(*csvtable.Reader)
	if hasTabs(request.Path) && lines.Dialect().Delimiter != '\t' {
		return nil, nil // the name asks for another delimiter
	}
	writer := csvtable.NewWriter(out, lines, request.Appended)
	if request.Some {
		writer = csvtable.NewSubset(out, lines, request.Appended)
	}
	if request.Raw {
		return writer, nil
	}
	return writer.EscapeFormulas(false), nil
}

func (text) encode(
	out io.Writer, name string, schema table.Schema, request Request, isNew bool,
) (table.Writer, error) {
	dialect := csvtable.Dialect{Delimiter: cmp.Or(request.delimiter, ',')}
	if hasTabs(name) {
		dialect.Delimiter = '\t'
	}
	if request.Raw {
		return csvtable.NewEncoder(out, dialect, schema, request.Appended), nil
	}
	appended := slices.Clone(request.Appended) // the service can name columns
	for i := range appended {
		appended[i].Name = table.EscapeFormula(appended[i].Name)
	}
	return csvtable.NewEncoder(out, dialect, schema, appended).EscapeFormulas(isNew), nil
}

// verify checks nothing: every text is a list.
func (text) verify(io.ReaderAt, int64) error { return nil }

// hasTabs reports whether a file's name asks for tabs between cells.
func hasTabs(name string) bool {
	return strings.EqualFold(filepath.Ext(TrimCompression(name)), ".tsv")
}

// objects is a list of JSON objects: an array in one file, or lines in one file or several.
type objects struct{}

// open scans the list in the first pass only: the list does not change between passes.
func (objects) open(list *List, columns []int) (table.Reader, error) {
	inputs := make([]jsonlist.Input, len(list.inputs))
	for i, input := range list.inputs {
		inputs[i] = input
	}
	if list.found.layout == nil {
		layout, err := jsonlist.Scan(inputs...)
		if err != nil {
			return nil, err
		}
		list.found.layout = layout
	}
	return jsonlist.Open(list.found.layout, columns, inputs...)
}

// rewrite returns a writer of the list's form, unless the name asks for the other one.
func (objects) rewrite(out io.Writer, list table.Reader, request Request) (table.Writer, error) {
	reader := list.(*jsonlist.Reader)
	array := reader.IsArray()
	if request.Path != Standard && endingOf(request.Path) != endingOf(reader.Name()) {
		array = isArray(request.Path)
	}
	return jsonlist.NewWriter(out, reader, array, request.Filled, request.Appended)
}

func (objects) encode(
	out io.Writer, name string, schema table.Schema, request Request, _ bool,
) (table.Writer, error) {
	return jsonlist.NewEncoder(out, isArray(name), schema, request.Appended)
}

// verify checks nothing: the writer ends every object.
func (objects) verify(io.ReaderAt, int64) error { return nil }

// isArray reports whether a file's name asks for an array.
func isArray(name string) bool { return endingOf(name) == ".json" }

// parquet is a Parquet file.
type parquet struct{}

func (parquet) open(list *List, columns []int) (table.Reader, error) {
	return parquettable.Open(list.inputs[0].Path(), columns)
}

func (parquet) rewrite(out io.Writer, list table.Reader, request Request) (table.Writer, error) {
	if request.Some {
		return parquettable.NewSubset(out, list.(*parquettable.Reader), request.Appended)
	}
	return parquettable.NewWriter(out, list.(*parquettable.Reader), request.Filled, request.Appended)
}

func (parquet) encode(
	out io.Writer, _ string, schema table.Schema, request Request, _ bool,
) (table.Writer, error) {
	return parquettable.NewEncoder(out, schema, request.Appended)
}

// verify checks the footer and the headers of all pages.
func (parquet) verify(file io.ReaderAt, size int64) error { return parquettable.Verify(file, size) }

// workbook is one sheet of an Excel workbook.
type workbook struct{}

// open checks the sheet in the first pass only: the list does not change between passes.
func (workbook) open(list *List, columns []int) (table.Reader, error) {
	reader, err := openSheet(list)
	if err != nil {
		return nil, err
	}
	if err := reader.CheckValues(columns); err != nil {
		return nil, errors.Join(err, reader.Close())
	}
	return reader, nil
}

func openSheet(list *List) (*sheet.Reader, error) {
	if list.found.sheet != nil {
		return sheet.OpenAgain(list.inputs[0].Path(), list.found.sheet)
	}
	reader, err := sheet.Open(list.inputs[0].Path(), list.options.Sheet, list.options.HeaderRow)
	if err == nil {
		list.found.sheet = reader.Checked()
	}
	return reader, err
}

func (workbook) rewrite(out io.Writer, list table.Reader, request Request) (table.Writer, error) {
	if request.Some {
		return nil, nil // the writer of workbooks writes all rows
	}
	return sheet.NewWriter(out, list.(*sheet.Reader), request.Filled, request.Appended)
}

func (workbook) encode(
	out io.Writer, _ string, schema table.Schema, request Request, _ bool,
) (table.Writer, error) {
	return sheet.NewEncoder(out, schema, request.Appended)
}

// verify checks the directory of the archive.
func (workbook) verify(file io.ReaderAt, size int64) error {
	_, err := zip.NewReader(file, size)
	return err
}
