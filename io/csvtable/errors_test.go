package csvtable_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/io/csvtable"
	"payonce/io/table"
)

const tooLong = 17 << 20

func TestErrors(t *testing.T) {
	const (
		closeQuote  = "close it, or double it when it belongs to the text"
		afterQuote  = "double the quotes inside the cell, or remove what follows its closing quote"
		addCells    = "add the missing cells; they may be empty"
		quoteCells  = "quote the cells that hold the delimiter, which is the comma"
		notText     = "save the list as UTF-8 text, or name its encoding when that is UTF-16"
		addHeader   = "put a line with the names of the columns first"
		beginHeader = "a list begins with a line of column names"
		isList      = "check that the file is a list of delimited text"
	)
	for _, test := range []struct {
		name, list   string
		line, column int64
		reason, hint string
	}{
		{"one cell missing", "a,b,c\n1,2,3\n1,2\n", 3, 4, "the row has 2 cells, the header has 3", addCells},
		{"all but one missing", "a,b,c\n1\n", 2, 2, "the row has 1 cell, the header has 3", addCells},
		{"one cell too many", "a,b\n1,2\n\n1,\"2\",3,4\n", 4, 7, "the row has 4 cells, the header has 2", quoteCells},
		{"too many after a quoted line", "a,b\n1,\"2\n\",3\n", 3, 3, "the row has 3 cells, the header has 2", quoteCells},
		{"unclosed quote", "a,b\n1,2\n3,\"4\n5,6\n", 3, 3, "the quote that opens here is never closed", closeQuote},
		{"unclosed second quote", "a,b\n\"1\n\",\"2\"\"\n", 3, 3, "the quote that opens here is never closed", closeQuote},
		{"unclosed quote in the header", "a,\"b\n1,2\n", 1, 3, "the quote that opens here is never closed", closeQuote},
		{"text after a quote", "a,b\n1,\"2\" x\n", 2, 6, "text follows the closing quote of a cell", afterQuote},
		{"text after a quote, second line", "a,b\n\"1\n2\"x,3\n", 3, 3, "text follows the closing quote of a cell", afterQuote},
		{"CR after a quote", "a,b\n\"1\"\r,2\n", 2, 4, "text follows the closing quote of a cell", afterQuote},
		{"NUL", "a,b\n1,2\x00\n", 2, 4, "the text holds a NUL byte", notText},
		{"NUL in quotes", "a,b\n1,\"\n\x00\"\n", 3, 1, "the text holds a NUL byte", notText},
		{"NUL in the header", "a\x00,b\n", 1, 2, "the text holds a NUL byte", notText},
		{"UTF-16 without a mark", "\na\x00,\x00b\x00\n\x00", 2, 2, "the text holds a NUL byte", notText},
		{"empty", "", 0, 0, "the file is empty", beginHeader},
		{"only a byte order mark", "\ufeff", 0, 0, "the file is empty", beginHeader},
		{"only blank lines", "\n\r\n\n", 0, 0, "the file holds only blank lines", beginHeader},
		{"email in the header", "1,ada@mail.example,x\n", 1, 3, "no header: the first line holds an email address", addHeader},
		{"URL in the header", "\nx,y,\"HTTPS://a.example/b\"\n", 2, 5, "no header: the first line holds a URL", addHeader},
		{"phone in the header", "x,+1 (202) 555-0101\n", 1, 3, "no header: the first line holds a phone number", addHeader},
		{"unnamed columns", ",\"\", \n1,2,3\n", 1, 1, "no header: every cell of the first line is empty", addHeader},
		{"old Mac line ends", "a,b\r1,2\r3,4\r", 1, 4, "a line of the header ends in CR without LF", "save the list with LF or CRLF at the line ends"},
		{"huge quoted cell", "a,b\n1,\"" + strings.Repeat("x\n", tooLong/2) + "\"\n", 2, 3, "the quote that opens here is not closed within 16 MiB", closeQuote},
		{"huge plain cell", "a,b\n1," + strings.Repeat("x", tooLong) + "\n", 2, 1, "the row, with the blank lines after it, is longer than 16 MiB", isList},
		{"huge header", "a," + strings.Repeat("b", tooLong), 1, 1, "the row, with the blank lines after it, is longer than 16 MiB", isList},
		{"many blank lines", "a,b\n1,2\n" + strings.Repeat("\n", tooLong), 2, 1, "the row, with the blank lines after it, is longer than 16 MiB", isList},
		{"many blank lines first", strings.Repeat("\n", tooLong) + "a,b\n", 0, 1, "the row, with the blank lines after it, is longer than 16 MiB", isList},
		{"huge binary", "a,b\n1,\"" + strings.Repeat("\x00", tooLong), 2, 3, "the quote that opens here is not closed within 16 MiB", closeQuote},
		{"huge binary line", "a,b\n1," + strings.Repeat("\x00", tooLong), 2, 3, "the text holds a NUL byte", notText},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && len(test.list) >= tooLong {
				t.Skip("it takes long and tells nothing about data races")
			}
			r, err := csvtable.NewReader(strings.NewReader(test.list), "list.csv", csvtable.Options{})
			if err == nil {
				_, err = readAll(r)
			}
			var got *table.Error
			if !errors.As(err, &got) {
				t.Fatalf("err = %v, want a table.Error", err)
			}
			if test.name == "many blank lines first" {
				got.Line = 0 // wherever the limit was met
			}
			want := &table.Error{File: "list.csv", Line: test.line, Column: test.column, Reason: test.reason, Hint: test.hint}
			if test.hint == quoteCells {
				want.Err = csvtable.ErrGuessedDelimiter
			}
			header := ""
			if headerless, ok := errors.AsType[*csvtable.HeaderlessError](err); ok {
				header, got.Err = headerless.Header, nil
			}
			if want := map[string]string{"email in the header": "column_1,email,column_3", "phone in the header": "column_1,phone"}[test.name]; header != want {
				t.Errorf("the header to put first is %q, want %q", header, want)
			}
			if diff := cmp.Diff(*want, *got, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// What is too long is not read to its end.
func TestCellsAndLinesOverTheLimitAreNotReadToTheirEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for name, start := range map[string]string{"a line": "a,b\n1,", "a quoted cell": "a,b\n1,\"", "the header": "a"} {
		const size = 256 << 20
		rest := &endless{row: "text", left: size}
		if name == "a quoted cell" {
			rest.row = "text\n"
		}
		r, err := csvtable.NewReader(io.MultiReader(strings.NewReader(start), rest), "list.csv", csvtable.Options{})
		if err == nil {
			_, err = readAll(r)
		}
		if err == nil || !strings.Contains(err.Error(), "16 MiB") {
			t.Errorf("%s: %v, want that it is too long", name, err)
		}
		if read := size - rest.left; read > 64<<20 {
			t.Errorf("%s: %d MiB were read", name, read>>20)
		}
	}
}

func TestErrorIsSticky(t *testing.T) {
	for _, list := range []string{"a,b\n1,\"2", "a,b\n"} {
		r := newReader(t, list)
		_, first := r.Next()
		_, second := r.Next()
		if first == nil || first != second {
			t.Errorf("Next = %v, then %v; want the same error", first, second)
		}
	}
}

func TestUnusualHeadersAreAccepted(t *testing.T) {
	for _, header := range []string{
		"email (work@),phone", "2024,2025", "http,https", "name@,@name", "a@b", "tel. 0-9", "123456", "-,+,.",
		"first name, e-mail like a@b.example", "\"a\rb\",c",
	} {
		newReader(t, header+"\n")
	}
}

// A column may have a day for its name, which is made of digits as a phone number is.
func TestADateIsAcceptedAsColumnName(t *testing.T) {
	for _, name := range []string{"2024-01-15", "2024/01/15", "15.01.2024", "01/15/2024", "15/01/2024"} {
		if _, err := csvtable.NewReader(strings.NewReader("x,"+name+"\n"), "list.csv", csvtable.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, number := range []string{"2024-99-15", "555-01-2024", "2024011500"} {
		if _, err := csvtable.NewReader(strings.NewReader("x,"+number+"\n"), "list.csv", csvtable.Options{}); err == nil {
			t.Errorf("%s was taken for the name of a column", number)
		}
	}
}

// TestTheGivenDelimiterOverridesTheGuess reads a list whose header has more of another delimiter.
func TestTheGivenDelimiterOverridesTheGuess(t *testing.T) {
	t.Parallel()
	const list = "name;a, b, c;mail\nAnn;1;x\n"
	for _, test := range []struct {
		delimiter byte
		columns   int
	}{{0, 3}, {',', 3}, {';', 3}, {'\t', 1}, {'|', 1}} {
		r, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{Delimiter: test.delimiter})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.Schema().Columns); got != test.columns {
			t.Errorf("%q: %d columns", test.delimiter, got)
		}
		_, err = readAll(r)
		if refused := err != nil; refused != (test.delimiter == ',') {
			t.Errorf("%q: %v", test.delimiter, err)
		}
		if errors.Is(err, csvtable.ErrGuessedDelimiter) {
			t.Errorf("%q was not guessed", test.delimiter)
		}
	}
}
