package listfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"payonce/io/csvtable"
	"payonce/io/parquettable"
	"payonce/io/sheet"
	"payonce/io/table"
	"payonce/io/textfile"
)

// format is a kind of lists.
type format interface {
	// open opens a list of the format for the cells of some columns, of all for nil.
	open(list *List, columns []int) (table.Reader, error)
	// rewrite returns a writer of rows of a list of the same format, which keeps what
	// is not filled as it is. It returns nil when the format cannot do what is asked.
	rewrite(out io.Writer, list table.Reader, request Request) (table.Writer, error)
	// encode returns a writer of rows of any list.
	encode(out io.Writer, name string, schema table.Schema, appended []table.Column) (table.Writer, error)
}

// formatOf returns the format that a file's name tells. Text has many endings.
func formatOf(name string) (format, error) {
	inner := textfile.TrimCompression(name)
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
		return nil, fmt.Errorf("%s: name a Parquet file .parquet", name)
	case ".bz2", ".xz", ".zip", ".7z", ".tgz":
		return nil, fmt.Errorf("%s: files of the kind %s are not supported; compress text to .gz or .zst, or not at all", name, ending)
	case ".xls", ".xlsm", ".xlsb", ".ods", ".json", ".jsonl", ".ndjson", ".avro", ".orc", ".feather", ".arrow":
		return nil, fmt.Errorf("%s: lists of the kind %s are not supported; export the list as CSV", name, ending)
	}
	return text{}, nil
}

// headLength is how many bytes of a file tell that it is no text.
const headLength = 512

// checkText refuses a file that is taken for text by its name and holds another format.
// What cannot be read is told when the list is opened.
func checkText(input textfile.Input) error {
	file, err := input.OpenBytes()
	if err != nil {
		return nil
	}
	defer file.Close()
	head := make([]byte, headLength)
	n, _ := io.ReadFull(file, head)
	head = head[:n]
	for _, kind := range []struct{ magic, what, ending string }{
		{"PAR1", "a Parquet file", ".parquet"},
		{"PK\x03\x04", "a workbook or an archive", ".xlsx, when it is a workbook"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) && bytes.IndexByte(head, 0) > 0 { // text has no NUL
			return fmt.Errorf("%s holds %s and not text, which its name does not tell; save it to a file whose name ends in %s", input.Name(), kind.what, kind.ending)
		}
	}
	return nil
}

// CheckRows refuses a file whose format cannot hold so many rows, by its name.
func CheckRows(path string, rows int64) error {
	if found, err := formatOf(path); err != nil || found != (workbook{}) || path == Standard {
		return err
	}
	if rows >= sheet.MaxRows {
		return fmt.Errorf("%s: a sheet holds %d rows besides its header and the list has %d; write it as CSV or Parquet", path, sheet.MaxRows-1, rows)
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
	return csvtable.Open(csvtable.Options{Encoding: list.options.Encoding, Checked: list.checked}, inputs...)
}

func (text) rewrite(out io.Writer, list table.Reader, request Request) (table.Writer, error) {
	lines := list.(*csvtable.Reader)
	if hasTabs(request.Path) && lines.Dialect().Delimiter != '\t' {
		return nil, nil // the name says another delimiter than the list has
	}
	return csvtable.NewWriter(out, lines, request.Appended), nil
}

func (text) encode(out io.Writer, name string, schema table.Schema, appended []table.Column) (table.Writer, error) {
	dialect := csvtable.Dialect{Delimiter: ','}
	if hasTabs(name) {
		dialect.Delimiter = '\t'
	}
	return csvtable.NewEncoder(out, dialect, schema, appended), nil
}

// hasTabs reports whether a file's name says that tabs are between its cells.
func hasTabs(name string) bool {
	return strings.EqualFold(filepath.Ext(textfile.TrimCompression(name)), ".tsv")
}

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

func (parquet) encode(out io.Writer, _ string, schema table.Schema, appended []table.Column) (table.Writer, error) {
	return parquettable.NewEncoder(out, schema, appended)
}

// workbook is one sheet of an Excel workbook.
type workbook struct{}

// open checks the sheet once: the list does not change between two passes.
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
	if list.sheet.found != nil {
		return sheet.OpenAgain(list.inputs[0].Path(), list.sheet.found)
	}
	reader, err := sheet.Open(list.inputs[0].Path(), list.options.Sheet)
	if err == nil {
		list.sheet.found = reader.Checked()
	}
	return reader, err
}

func (workbook) rewrite(out io.Writer, list table.Reader, request Request) (table.Writer, error) {
	if request.Some {
		return nil, nil // a workbook is written again whole, or new
	}
	return sheet.NewWriter(out, list.(*sheet.Reader), request.Filled, request.Appended)
}

func (workbook) encode(out io.Writer, _ string, schema table.Schema, appended []table.Column) (table.Writer, error) {
	return sheet.NewEncoder(out, schema, appended)
}
