package csvtable_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"payonce/io/csvtable"
	"payonce/io/table"
)

// inCheckedChunks opens a list that is said to have been checked, sound or not.
func inCheckedChunks(t fataler, list string, size int) *csvtable.Reader {
	t.Helper()
	r, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{Checked: true})
	if err != nil {
		t.Fatalf("%q: %v", list, err)
	}
	csvtable.SetChunkSize(r, size)
	return r
}

// TestACheckedPassReportsARaggedRowWhenItIsRead shows when a ragged row is noticed: once it is cut.
func TestACheckedPassReportsARaggedRowWhenItIsRead(t *testing.T) {
	const list = "a,b\n1,2\n3\n4,5,6\r\n\n7,\"8\" x\n9,0\n"
	faults := map[int64]string{
		2: "list.csv:3:2: the row has 1 cell, the header has 2; add the missing cells; they may be empty",
		3: "list.csv:4:5: the row has 3 cells, the header has 2; quote the cells that hold the delimiter, which is the comma",
		4: "list.csv:6:6: text follows the closing quote of a cell; double the quotes inside the cell, or remove what follows its closing quote",
	}
	fill := []table.Fill{{Column: 1, Value: "x"}}
	for name, touch := range map[string]func(table.Part, table.Row) error{
		"nothing":  func(p table.Part, r table.Row) error { return p.WriteRow(r, nil, texts("!")) },
		"a cell":   func(p table.Part, r table.Row) error { r.Cell(0); return p.WriteRow(r, nil, texts("!")) },
		"a fill":   func(p table.Part, r table.Row) error { return p.WriteRow(r, fill, texts("!")) },
		"no error": func(p table.Part, r table.Row) error { _ = p.WriteRow(r, fill, texts("!")); return nil },
		"another":  func(p table.Part, r table.Row) error { r.Cell(1); return errTired },
	} {
		for number := range int64(6) {
			r := inCheckedChunks(t, list, 1000)
			var out bytes.Buffer
			w := csvtable.NewWriter(&out, r, columns("c"))
			err := eachBlock(r, func(block table.Block) error {
				part := w.Part(block)
				err := block.Each(func(row table.Row) error {
					if row.Number() == number {
						return touch(part, row)
					}
					return part.WriteRow(row, nil, texts("!"))
				})
				return errors.Join(err, w.Write(part))
			})
			_ = r.Close()
			want := faults[number]
			if name == "nothing" {
				want = ""
				if wanted := "a,b,c\n1,2,!\n3,!\n4,5,6,!\r\n\n7,\"8\" x,!\n9,0,!\n"; out.String() != wanted {
					t.Errorf("%q, want %q", out.String(), wanted)
				}
			}
			if got := fmt.Sprint(err); want != "" && got != want || want == "" && err != nil && !errors.Is(err, errTired) {
				t.Errorf("%s of row %d: %v, want %s", name, number, err, want)
			}
		}
	}
}

// TestACheckedPassOverAnotherDialect finds a ragged row when its cells are encoded again.
func TestACheckedPassOverAnotherDialect(t *testing.T) {
	r, like := inCheckedChunks(t, "a,b\n1,2\n3\n", 1000), newReader(t, "a;b\n")
	w := csvtable.NewWriter(&bytes.Buffer{}, like, nil)
	var failed error
	err := eachRow(r, func(row table.Row) error {
		failed = w.Part(nil).WriteRow(row, nil, nil)
		return nil
	})
	_ = r.Close()
	if wrong := wantFault(t, err); wrong.Line != 3 || wrong.Column != 2 || failed == nil || failed.Error() != err.Error() {
		t.Errorf("%v, and of the row %v; want line 3, column 2", err, failed)
	}
}

// drawUnsound draws a list and changes some of its bytes behind the header.
func drawUnsound(t *rapid.T) string {
	list := drawList(t)
	header := len(rawList{list.delimiter, list.lead, list.records[:1]}.String())
	text := []byte(list.String())
	for range rapid.IntRange(1, 4).Draw(t, "changes") {
		if len(text) == header {
			break
		}
		at := rapid.IntRange(header, len(text)-1).Draw(t, "at")
		with := rapid.SampledFrom([]string{"", "\"", "\n", "\r", "\r\n", list.delimiter, "x"}).Draw(t, "with")
		text = append(append(text[:at:at], with...), text[at+rapid.IntRange(0, 1).Draw(t, "removed"):]...)
	}
	return string(text)
}

func TestACheckedPassOverUnsoundLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawUnsound(t)
		if _, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{}); err != nil {
			return
		}
		checkUnsound(t, list, rapid.IntRange(1, 80).Draw(t, "chunk size"), rapid.Uint64().Draw(t, "rows to fill"))
	})
}

// FuzzChecked says of any bytes that they were checked.
func FuzzChecked(f *testing.F) {
	for _, list := range append(awkward(), "a,b\n1\n", "a\n\"\"\n\nx\r", "a,b\n1,2\r\n\r", "a,b\n\"1\"x\",\"2\n\",3\n4\n", "\xff\xfea\x00,\x00b\x00\n\x001\x00") {
		f.Add([]byte(list), uint8(7), uint64(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint8, fills uint64) {
		if r, err := csvtable.NewReader(bytes.NewReader(data), "list.csv", csvtable.Options{}); err != nil || len(r.Schema().Columns) == 0 {
			return
		}
		checkUnsound(t, string(data), int(size)+1, fills)
	})
}

// failer is what tests and properties have in common.
type failer interface {
	fataler
	Errorf(format string, args ...any)
}

// checkUnsound checks what a list may expect that is said to have been checked: it is
// never changed, and what is looked at is what it is or an error.
func checkUnsound(t failer, list string, size int, fills uint64) {
	t.Helper()
	checkLookedAt(t, list, size)
	for _, fills := range []uint64{0, fills} {
		var out bytes.Buffer
		r := inCheckedChunks(t, list, size)
		w := csvtable.NewWriter(&out, r, nil)
		var failed error
		err := eachBlock(r, func(block table.Block) error {
			part := w.Part(block)
			err := block.Each(func(row table.Row) error {
				var filled []table.Fill
				if fills>>(row.Number()%64)&1 == 1 {
					filled = []table.Fill{{Column: 0, Value: "x"}}
				}
				if err := part.WriteRow(row, filled, nil); err != nil && failed == nil {
					failed = err
				}
				return nil
			})
			return errors.Join(err, w.Write(part))
		})
		if err := errors.Join(w.Close(), r.Close()); err != nil {
			t.Fatalf("%q: %v", list, err)
		}
		if failed != nil && (err == nil || failed.Error() != err.Error()) {
			t.Errorf("%q: %v of a block after %v of its row", list, err, failed)
		}
		if err == nil && fills == 0 && out.String() != list {
			t.Errorf("%q became %q", list, out.String())
		}
	}
}

// checkLookedAt looks at all cells: up to the first error they are those of a first pass.
// A checked pass does not look for NUL.
func checkLookedAt(t failer, list string, size int) {
	t.Helper()
	want, wantErr := see(inChunks(t, list, size))
	got, err := see(inCheckedChunks(t, list, size))
	if wantErr != nil && strings.Contains(wantErr.Error(), "NUL") {
		return
	}
	if len(got) < len(want) {
		t.Fatalf("%q: %d rows, want %d", list, len(got), len(want))
	}
	if diff := cmp.Diff(want, got[:len(want)], cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%q (-first pass +checked):\n%s", list, diff)
	}
	if diff := cmp.Diff(fmt.Sprint(wantErr), fmt.Sprint(err)); diff != "" {
		t.Errorf("%q: error (-first pass +checked):\n%s", list, diff)
	}
}
