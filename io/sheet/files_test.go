package sheet

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"go.uber.org/goleak"

	"payonce/enrich"
	"payonce/io/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// save writes data to a file of the test and returns its path.
func save(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.xlsx")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeFile writes a file.
func writeFile(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }

// workbook returns a workbook that change has made out of an empty one.
func workbook(t testing.TB, change func(book *excelize.File) error) []byte {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	if err := change(book); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := book.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// withRows returns a workbook with the rows in its only sheet.
func withRows(t testing.TB, rows ...[]any) []byte {
	t.Helper()
	return workbook(t, func(book *excelize.File) error {
		for i, cells := range rows {
			name, err := excelize.CoordinatesToCellName(1, i+1)
			if err != nil {
				return err
			}
			if err := book.SetSheetRow("Sheet1", name, &cells); err != nil {
				return err
			}
		}
		return nil
	})
}

// replacePart returns a workbook with another content of a part, or with a new part.
func replacePart(t testing.TB, data []byte, name, content string) []byte {
	t.Helper()
	book, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, entry := range book.File {
		if entry.Name == name {
			continue
		}
		if err := w.Copy(entry); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// parts returns the content of all parts of a workbook.
func parts(t testing.TB, path string) map[string]string {
	t.Helper()
	book, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	all := map[string]string{}
	for _, entry := range book.File {
		in, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		all[entry.Name] = string(data)
	}
	return all
}

// cellsOf reads a list row by row, the header first.
func cellsOf(path, sheet string) (rows [][]string, err error) {
	r, err := Open(path, sheet, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	columns := r.Schema().Columns
	rows = append(rows, columns)
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		err = b.Each(func(row table.Row) error {
			cells := make([]string, len(columns))
			for i := range cells {
				cells[i] = string(row.Cell(i))
			}
			rows = append(rows, cells)
			return nil
		})
		if err != nil {
			return rows, err
		}
		b.Release()
	}
}

// cellsOfRow returns texts as values of appended columns, which are texts and amounts.
func cellsOfRow(w table.Writer, texts []string) (cells []enrich.Cell) {
	var columns []table.Column
	switch w := w.(type) {
	case *Writer:
		columns = w.appended
	case *Encoder:
		columns = w.appended
	}
	for i, text := range texts {
		cells = append(cells, enrich.Cell{Kind: columns[i].Kind, Known: text != "", Text: text})
	}
	return cells
}

// writeRows writes all rows of a list with w.
func writeRows(list table.Reader, w table.Writer, change func(row table.Row) ([]table.Fill, []string)) error {
	for {
		b, err := list.Next()
		if errors.Is(err, io.EOF) {
			return w.Close()
		}
		if err != nil {
			return errors.Join(err, w.Close())
		}
		p := w.Part(b)
		err = b.Each(func(row table.Row) error {
			fills, values := change(row)
			return p.WriteRow(row, fills, cellsOfRow(w, values))
		})
		if err == nil {
			err = w.Write(p)
		}
		if err != nil {
			_ = w.Close()
			return err
		}
		b.Release()
	}
}

// isListError reports whether err is a *table.Error that says what.
func isListError(err error, what string) bool {
	var wrong *table.Error
	return errors.As(err, &wrong) && wrong.File != "" && strings.Contains(wrong.Error(), what)
}
