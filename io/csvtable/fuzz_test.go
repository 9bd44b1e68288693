package csvtable_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/io/csvtable"
	"payonce/io/table"
)

// FuzzReader checks for any bytes: what is read goes out as it came in and reads the
// same in small pieces, what is refused is refused with a place, and where
// encoding/csv reads the list too, it reads the same.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "a;b\r\n\"1\";2\r\n", "\ufeff\"a\",b\n\n\"x\"\"y\r\nz\",2\n\n", "a\tb\n1\t2", "a\n\"\"\n\nx\r",
		"a,b\n1\n", "a,b\n\"1\n", "a,b\n\"1\"x,2\n", "a,b\nx\"y,2\n", "a|b\n1\r|2\r\r\n", "\xff\xfea\x00", "a\x00", "\n\n", "",
		"1,ada@mail.example\n", "a,b\r1,2\r", "a,\"b\n1,2\n", "company\nAcme, Inc.\n", "a,b\n1,\"2\"\r", "a;b,c\n1;2,3\n", "0\n\"\";\n2", "0,\n\"0\",1",
		"a,b,c\n1,2,3\nTotal,3\n", "a,b\n1,2\n,\nSum: 1,", "a;b;c\r\n1;2;3\r\n\r\nSource: x", "sep=;\na;b\n1;2", "sep=,\na\n1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list := string(data)
		r, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{})
		if err != nil {
			wantPlace(t, list, err)
			return
		}
		below := 0
		r.WhenFoot(func(foot table.Foot) { below += foot.Rows })
		got, err := readAll(r)
		if err != nil {
			wantPlace(t, list, err)
		}
		compareInPieces(t, list, got, err)
		if r.Dialect().Encoding == csvtable.UTF8 {
			compareWithOracle(t, list, r, got, below, err)
		}
		if err != nil {
			return
		}
		copied, err := rewrite(list, nil, nil, nil)
		if err != nil || copied != list {
			t.Errorf("rewritten: %q, %v, want %q", copied, err, list)
		}
	})
}

// wantFault checks that err says what is wrong with a list, and what to do about it.
func wantFault(t *testing.T, err error) *table.Error {
	t.Helper()
	var wrong *table.Error
	if !errors.As(err, &wrong) {
		t.Fatalf("err = %v, want a table.Error", err)
	}
	if wrong.File != "list.csv" || wrong.Reason == "" || wrong.Hint == "" {
		t.Errorf("%+v", wrong)
	}
	return wrong
}

// wantPlace checks that err points to a place in the list as well.
func wantPlace(t *testing.T, list string, err error) {
	t.Helper()
	wrong := wantFault(t, err)
	if !utf8.ValidString(list) || strings.Contains(list, "\x00") {
		return // the list is decoded first, and the place is one of the decoded text
	}
	lines := strings.SplitAfter(list, "\n")
	if wrong.Line > int64(len(lines)) {
		t.Errorf("%+v in a list of %d lines", wrong, len(lines))
	} else if wrong.Line > 0 && (wrong.Column < 1 || wrong.Column > int64(len(lines[wrong.Line-1]))+1) {
		t.Errorf("%+v on the line %q", wrong, lines[wrong.Line-1])
	}
}

// compareInPieces reads a list again in small reads and in chunks of all sizes.
func compareInPieces(t *testing.T, list string, want [][]string, wantErr error) {
	t.Helper()
	kinds := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Err" }, cmpopts.EquateErrors())
	compare := func(name string, r *csvtable.Reader) {
		got, err := readAll(r)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cells (-at once +%s):\n%s", name, diff)
		}
		if diff := cmp.Diff(wantErr, err, kinds); diff != "" {
			t.Errorf("error (-at once +%s):\n%s", name, diff)
		}
	}
	r, err := csvtable.NewReader(iotest.HalfReader(strings.NewReader(list)), "list.csv", csvtable.Options{})
	if err != nil {
		t.Fatalf("in pieces: %v", err)
	}
	compare("in pieces", r)
	for size := 1; size <= min(len(list), 64); size++ {
		compare(fmt.Sprintf("in chunks of %d", size), inChunks(t, list, size))
	}
}

// compareWithOracle compares got, which read gave for list, with what encoding/csv reads.
func compareWithOracle(t *testing.T, list string, read *csvtable.Reader, got [][]string, below int, gotErr error) {
	t.Helper()
	oracle := csv.NewReader(strings.NewReader(strings.TrimPrefix(list, "\ufeff")))
	oracle.Comma = rune(read.Dialect().Delimiter)
	want, err := oracle.ReadAll()
	if err != nil {
		return
	}
	if gotErr != nil {
		if !strings.Contains(gotErr.Error(), "NUL") { // which encoding/csv takes for text
			t.Errorf("err = %v, encoding/csv reads it", gotErr)
		}
		return
	}
	want = want[:max(len(want)-below, 0)] // encoding/csv knows no rows below a list
	if len(want) > 0 && strings.HasPrefix(strings.ToLower(want[0][0]), "sep=") && len(want) > len(got) {
		want = want[1:] // nor a line that names the delimiter
	}
	// The rows above the header are titles; encoding/csv knows none.
	if titles := len(want) - len(got); titles > 0 && int64(titles) < read.HeaderRow() {
		want = want[titles:]
	}
	if diff := cmp.Diff(want, withoutCRLF(got)); diff != "" {
		t.Errorf("cells (-encoding/csv +got):\n%s", diff)
	}
}

// FuzzHeader checks for any beginning of a list that what is made of it does not hang
// on how it is read, and that a header is more than nothing.
func FuzzHeader(f *testing.F) {
	for _, seed := range []string{
		"a,b", "a;b\r", "\ufeff\n\r\n\"a\"\"\",b\n", "a\tb,c|d\n1\t2,3|4", "\"a\nb\";\"", "\xff\xfea\x00,\x00b\x00", "a\x00,\x00b\x00\n\x00",
		"\x00a\x00,\x00b\x00\n", "name;Stra\xdfe\n", "+1 (202) 555-0101,x", ",,", "a\rb\r", "\xef\xbb", "\xfe\xff\xd8\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := csvtable.NewReader(strings.NewReader(string(data)), "list.csv", csvtable.Options{})
		again, errAgain := csvtable.NewReader(iotest.OneByteReader(strings.NewReader(string(data))), "list.csv", csvtable.Options{})
		if diff := cmp.Diff(err, errAgain); diff != "" {
			t.Fatalf("error (-at once +byte by byte):\n%s", diff)
		}
		if err != nil {
			wantPlace(t, string(data), err)
			return
		}
		if diff := cmp.Diff(r.Schema(), again.Schema()); diff != "" {
			t.Errorf("columns (-at once +byte by byte):\n%s", diff)
		}
		if diff := cmp.Diff(r.Dialect(), again.Dialect()); diff != "" || r.EncodingGuessed() != again.EncodingGuessed() {
			t.Errorf("dialect (-at once +byte by byte):\n%s", diff)
		}
		if strings.TrimSpace(strings.Join(r.Schema().Columns, "")) == "" {
			t.Errorf("the columns %q were taken for a header", r.Schema().Columns)
		}
	})
}

// FuzzEncoding checks that any bytes come back in any encoding, or are refused.
func FuzzEncoding(f *testing.F) {
	encodings := []csvtable.Encoding{"", csvtable.UTF8, csvtable.UTF16LE, csvtable.UTF16BE, csvtable.Windows1252}
	for i := range encodings {
		f.Add([]byte("a,b\n\x81\xe9,\"2\n\""), uint8(i))
		f.Add([]byte("a\x00\n\x00\x3d\xd8\x00\xde\n\x00\xfd\xff"), uint8(i))
		f.Add([]byte("\xfe\xff\x00a\x00\n\xd8\x3d"), uint8(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		options := csvtable.Options{Encoding: encodings[int(which)%len(encodings)]}
		r, err := csvtable.NewReader(strings.NewReader(string(data)), "list.csv", options)
		if err != nil {
			wantFault(t, err)
			return
		}
		var out bytes.Buffer
		w := csvtable.NewWriter(&out, r, nil)
		if err := errors.Join(copyRows(w, r, nil, nil), r.Close()); err != nil {
			wantFault(t, err)
			return
		}
		if err := w.Close(); err != nil || out.String() != string(data) {
			t.Errorf("%s: %q came back as %q, %v", r.Dialect().Encoding, data, out.String(), err)
		}
	})
}
