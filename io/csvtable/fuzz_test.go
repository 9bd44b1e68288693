package csvtable_test

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

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
		"1,ada@mail.example\n", "a,b\r1,2\r", "a,\"b\n1,2\n", "company\nAcme, Inc.\n", "a,b\n1,\"2\"\r", "a;b,c\n1;2,3\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list := string(data)
		r, err := csvtable.NewReader(strings.NewReader(list), "list.csv")
		if err != nil {
			wantPlace(t, list, err)
			return
		}
		got, err := readAll(r)
		if err != nil {
			wantPlace(t, list, err)
		}
		compareInPieces(t, list, got, err)
		compareWithOracle(t, list, r.Dialect().Delimiter, got, err)
		if err != nil {
			return
		}
		copied, err := rewrite(list, nil, nil, nil)
		if err != nil || copied != list {
			t.Errorf("rewritten: %q, %v, want %q", copied, err, list)
		}
	})
}

func wantPlace(t *testing.T, list string, err error) {
	t.Helper()
	var wrong *table.Error
	if !errors.As(err, &wrong) {
		t.Fatalf("err = %v, want a table.Error", err)
	}
	lines := strings.SplitAfter(list, "\n")
	if wrong.File != "list.csv" || wrong.Reason == "" || wrong.Hint == "" || wrong.Line > int64(len(lines)) {
		t.Errorf("%+v in a list of %d lines", wrong, len(lines))
	}
	if wrong.Line > 0 && (wrong.Column < 1 || wrong.Column > int64(len(lines[wrong.Line-1]))+1) {
		t.Errorf("%+v on the line %q", wrong, lines[wrong.Line-1])
	}
}

func compareInPieces(t *testing.T, list string, want [][]string, wantErr error) {
	t.Helper()
	r, err := csvtable.NewReader(iotest.HalfReader(strings.NewReader(list)), "list.csv")
	if err != nil {
		t.Fatalf("in pieces: %v", err)
	}
	got, err := readAll(r)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-at once +in pieces):\n%s", diff)
	}
	if diff := cmp.Diff(wantErr, err); diff != "" {
		t.Errorf("error (-at once +in pieces):\n%s", diff)
	}
}

func compareWithOracle(t *testing.T, list string, delimiter byte, got [][]string, gotErr error) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(list, "\ufeff")))
	r.Comma = rune(delimiter)
	want, err := r.ReadAll()
	if err != nil {
		return
	}
	if gotErr != nil {
		if !strings.Contains(gotErr.Error(), "NUL") { // which encoding/csv takes for text
			t.Errorf("err = %v, encoding/csv reads it", gotErr)
		}
		return
	}
	if diff := cmp.Diff(want, withoutCRLF(got)); diff != "" {
		t.Errorf("cells (-encoding/csv +got):\n%s", diff)
	}
}
