package listfile_test

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/table"
)

// longCells writes a list of rows with a cell of 30,000 characters.
func longCells(t *testing.T, path string, rows int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(file)
	before, row, between, after := "name,email,note\n", "Ann %d,,%s", "\n", "\n"
	switch filepath.Ext(path) {
	case ".ndjson":
		before, row = "", `{"name":"Ann %d","email":"","note":"%s"}`
	case ".json":
		before, row, between, after = "[", `{"name":"Ann %d","email":"","note":"%s"}`, ",\n", "]\n"
	}
	cell := strings.Repeat("a note ", 30_000/7)
	fmt.Fprint(out, before)
	for i := range rows {
		if i > 0 {
			fmt.Fprint(out, between)
		}
		fmt.Fprintf(out, row, i, cell)
	}
	fmt.Fprint(out, after)
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// shareTexts writes a workbook again with all its texts in the part of the shared ones.
func shareTexts(t *testing.T, from, to string, rows int) {
	t.Helper()
	book, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	file, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := zip.NewWriter(file)
	part := func(name string, write func(out io.Writer)) {
		entry, err := out.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		write(entry)
	}
	const sheet, shared = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	for _, entry := range book.File {
		if entry.Name != sheet && entry.Name != shared {
			if err := out.Copy(entry); err != nil {
				t.Fatal(err)
			}
		}
	}
	part(sheet, func(out io.Writer) {
		fmt.Fprint(out, "<worksheet><sheetData>")
		fmt.Fprint(out, `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>`)
		for i := range rows {
			fmt.Fprintf(out, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="C%d" t="s"><v>%d</v></c></row>`, i+2, i+2, i, i+2, i+3)
		}
		fmt.Fprint(out, "</sheetData></worksheet>")
	})
	part(shared, func(out io.Writer) {
		fmt.Fprint(out, "<sst><si><t>name</t></si><si><t>email</t></si><si><t>note</t></si>")
		for i := range rows {
			fmt.Fprintf(out, "<si><t>%d %s</t></si>", i, strings.Repeat("a note ", 30_000/7))
		}
		fmt.Fprint(out, "</sst>")
	})
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// mostHeap returns the most bytes of live objects while a list is planned and written: it is read once, and then
// read and written.
func mostHeap(t *testing.T, path, out string) uint64 {
	t.Helper()
	most := uint64(0)
	blocks := 0
	sample := func() {
		if blocks++; blocks%4 != 0 {
			return
		}
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		most = max(most, memory.HeapAlloc)
	}
	list := open(t, listfile.Options{}, path)
	eachBlock(t, list, []int{0, 1}, func(table.Block) error { sample(); return nil })
	output, err := listfile.Create(list, listfile.Request{
		Path: out, Filled: []int{1}, Appended: []table.Column{{Name: "cost", Kind: enrich.MoneyCell}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer output.Discard()
	eachBlock(t, output.Rows, []int{1}, func(b table.Block) error {
		part := output.Writer.Part(b)
		err := b.Each(func(r table.Row) error {
			return part.WriteRow(r, []table.Fill{{Column: 1, Value: "found@x.example"}}, []enrich.Cell{cost})
		})
		sample()
		return errors.Join(err, output.Writer.Write(part))
	})
	if err := output.Commit(); err != nil {
		t.Fatal(err)
	}
	if most == 0 {
		t.Fatalf("the list has only %d blocks", blocks)
	}
	return most
}

func eachBlock(t *testing.T, list *listfile.List, columns []int, do func(table.Block) error) {
	t.Helper()
	reader, err := list.Open(columns)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for {
		b, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = do(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Release()
	}
}

// TestMemoryDoesNotGrowWithTheList compares the live memory for a list with 9 MB of text more.
func TestMemoryDoesNotGrowWithTheList(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const small, large = 300, 600 // rows
	const most = 2 << 20
	for _, c := range []struct{ list, out string }{
		{"list.csv", "out.csv"},
		{"list.csv", "out.xlsx"},
		{"list.xlsx", "out.xlsx"},
		{"shared.xlsx", "out.xlsx"},
		{"shared.xlsx", "out.csv"},
		{"list.ndjson", "out.ndjson"},
		{"list.json", "out.json"},
		{"list.json", "out.csv"},
	} {
		t.Run(c.list+" to "+c.out, func(t *testing.T) {
			heap := func(rows int) uint64 {
				dir := t.TempDir()
				path := filepath.Join(dir, c.list)
				switch text := filepath.Join(dir, "text.csv"); c.list {
				case "list.xlsx", "shared.xlsx":
					longCells(t, text, rows)
					book := filepath.Join(dir, "list.xlsx")
					fill(t, open(t, listfile.Options{}, text), book, false)
					if book != path {
						shareTexts(t, book, path, rows)
					}
				default:
					longCells(t, path, rows)
				}
				return mostHeap(t, path, filepath.Join(dir, c.out))
			}
			least, more := heap(small), heap(large)
			if more > least+most {
				t.Errorf("%d rows take %d KB, and %d rows take %d KB", small, least>>10, large, more>>10)
			}
			t.Logf("%d rows take %d KB, and %d rows take %d KB", small, least>>10, large, more>>10)
		})
	}
}
