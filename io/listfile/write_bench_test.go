package listfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/io/listfile"
)

// BenchmarkWrite writes a list with filled and appended cells as text, as a new workbook, as the workbook of
// the list, and as JSON. Compare the CPU time: some formats are written on all cores.
func BenchmarkWrite(b *testing.B) {
	const rows = 20_000
	var text strings.Builder
	text.WriteString("name,email,note\n")
	for i := range rows {
		fmt.Fprintf(&text, "Ann Lee %d,,Head of department %d\n", i, i%100)
	}
	dir := b.TempDir()
	path := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	source, err := listfile.New(listfile.Options{}, path)
	if err != nil {
		b.Fatal(err)
	}
	book := filepath.Join(dir, "list.xlsx")
	fill(b, source, book, false)
	workbook, err := listfile.New(listfile.Options{}, book)
	if err != nil {
		b.Fatal(err)
	}
	for _, test := range []struct {
		name string
		list *listfile.List
		out  string
	}{
		{"csv", source, "out.csv"},
		{"csv-to-xlsx", source, "out.xlsx"},
		{"xlsx", workbook, "again.xlsx"},
		{"xlsx-to-csv", workbook, "again.csv"},
		{"csv-to-ndjson", source, "out.ndjson"},
	} {
		b.Run(test.name, func(b *testing.B) {
			for b.Loop() {
				fill(b, test.list, filepath.Join(dir, test.out), false)
			}
		})
	}
}
