package listfile_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/listfile"
	"payonce/io/table"
)

// TestACheckedList reads a list of each format that was read before, and writes it.
func TestACheckedList(t *testing.T) {
	source := open(t, listfile.Options{}, write(t, "list.csv", list))
	dir := t.TempDir()
	for _, ending := range []string{".csv", ".tsv", ".csv.gz", ".csv.zst", ".parquet", ".xlsx"} {
		path := filepath.Join(dir, "list"+ending)
		fill(t, source, path, false)
		l := open(t, listfile.Options{}, path)
		want := cells(t, l)
		if diff := cmp.Diff(want, cells(t, l.Checked())); diff != "" {
			t.Errorf("%s (-first pass +checked):\n%s", ending, diff)
		}
		again := filepath.Join(dir, "again"+ending)
		fill(t, l.Checked(), again, false)
		rows := cells(t, open(t, listfile.Options{}, again))
		for i := range rows {
			rows[i] = rows[i][:4] // of five: there are two columns of costs now
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("%s written again (-want +got):\n%s", ending, diff)
		}
	}
}

// TestACheckedListIsNotCheckedAgain says of a list with a ragged row that it was.
func TestACheckedListIsNotCheckedAgain(t *testing.T) {
	const ragged = "name,email,note\nAnn,,x\nBob\n"
	l := open(t, listfile.Options{}, write(t, "list.csv", ragged))
	rows := func(l *listfile.List, look bool) error {
		reader, err := l.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		return table.Ordered(t.Context(), reader, func(b table.Block) (struct{}, error) {
			return struct{}{}, b.Each(func(r table.Row) error {
				if look {
					r.Cell(0)
				}
				return nil
			})
		}, func(table.Block, struct{}) error { return nil })
	}
	var wrong *table.Error
	for name, err := range map[string]error{
		"a first pass": rows(l, false), "a look": rows(l.Checked(), true), "a look at all": rows(l.Whole().Checked(), true),
	} {
		if !errors.As(err, &wrong) || wrong.Line != 3 {
			t.Errorf("%s: %v, want an error of line 3", name, err)
		}
	}
	for name, l := range map[string]*listfile.List{"checked": l.Checked(), "checked and whole": l.Checked().Whole()} {
		if err := rows(l, false); err != nil {
			t.Errorf("%s: %v, want no look at the rows", name, err)
		}
	}
}

// damagedColumn returns a Parquet list whose last column has a page that cannot be decompressed.
func damagedColumn(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.parquet")
	fill(t, open(t, listfile.Options{}, write(t, "list.csv", list)), path, false)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	footer := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	for at := footer - 4; at < footer; at++ { // the end of the last page
		data[at] ^= 0xff
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCheckCellsFindsWhatAFormatCannotHold(t *testing.T) {
	control := write(t, "control.csv", "name,email,note\nAnn,,\x01\n")
	long := write(t, "long.csv", "name,email,note\nAnn,,"+strings.Repeat("x", 32768)+"\n")
	invalid := write(t, "invalid.csv", "name,email,note\nAnn,,\xff\n")
	damaged := damagedColumn(t)
	for _, c := range []struct {
		list, path string
		some       bool
		want       string // of the error; "" for none
	}{
		{control, "out.xlsx", false, "control character U+0001"},
		{control, "out.csv", false, ""},
		{control, "out.parquet", true, ""},
		{long, "out.xlsx", true, "a cell holds at most 32767"},
		{long, "out.parquet", false, ""},
		{invalid, "out.parquet", false, "bytes that are not UTF-8"},
		{invalid, "out.tsv", false, ""},
		{damaged, "out.csv", false, "column cost"},
		{damaged, "out.xlsx", false, "column cost"},
		{damaged, "rejects.parquet", true, "column cost"},
		{damaged, "out.parquet", false, ""}, // its bytes are copied
	} {
		l := open(t, listfile.Options{Encoding: "UTF-8"}, c.list)
		err := listfile.CheckCells(t.Context(), l, listfile.Request{
			Path: filepath.Join(t.TempDir(), c.path), Filled: []int{1}, Appended: []table.Column{{Name: "found"}}, Some: c.some,
		})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", filepath.Base(c.list), c.path, err, c.want)
		}
	}
}
