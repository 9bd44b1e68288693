package csvtable_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/csvtable"
	"payonce/io/table"
)

// linkedIn begins as an export of connections does.
const linkedIn = "Notes:\r\n\"When exporting your connection data, you may notice that some are missing.\r\nSee \"\"Help\"\".\"\r\n\r\n" +
	"First Name,Last Name,URL,Email Address\r\nAnn,Lee,https://network.example/in/ann,\r\n"

func TestTheHeaderIsFoundBelowTitlesAndNotes(t *testing.T) {
	for title, test := range map[string]struct {
		list    string
		columns []string
		row     int64
		first   string // cell of the first row
	}{
		"LinkedIn":              {linkedIn, []string{"First Name", "Last Name", "URL", "Email Address"}, 4, "Ann"},
		"a title in Excel":      {"Customers 2024;;\n;;\nName;Firma;Ort\nLee;Acme;Bonn\n", []string{"Name", "Firma", "Ort"}, 3, "Lee"},
		"a title and its date":  {"Customers;;\nAs of:;01.01.2024;\n\nName;Firma;Ort\nLee;Acme;Bonn\n", []string{"Name", "Firma", "Ort"}, 4, "Lee"},
		"a note with commas":    {"Leads\nMade by A, for B, on Monday\n\nName,Firma,Ort\nLee,Acme,Bonn\n", []string{"Name", "Firma", "Ort"}, 4, "Lee"},
		"two columns":           {"Leads,\nurl,email\nx,\n", []string{"url", "email"}, 2, "x"},
		"no rows":               {"Leads\nName,Firma,Ort\n", []string{"Name", "Firma", "Ort"}, 2, ""},
		"values with commas":    {"Firma\nAcme, Inc.\nBeta, Ltd.\n", []string{"Firma"}, 1, "Acme, Inc."},
		"no title":              {"Name,Firma,Ort\nLee,Acme,Bonn\n", []string{"Name", "Firma", "Ort"}, 1, "Lee"},
		"blank lines":           {"\n\nName,Firma\nLee,Acme\n", []string{"Name", "Firma"}, 3, "Lee"},
		"one column":            {"Name\nLee\nRay\n", []string{"Name"}, 1, "Lee"},
		"data below one column": {"url\nhttps://x.example/a,b,c\n", []string{"url"}, 1, ""},
	} {
		t.Run(title, func(t *testing.T) {
			reader, err := csvtable.NewReader(strings.NewReader(test.list), "list.csv", csvtable.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			if diff := cmp.Diff(test.columns, reader.Schema().Columns); diff != "" || reader.HeaderRow() != test.row {
				t.Errorf("header in row %d, want %d (-want +got):\n%s", reader.HeaderRow(), test.row, diff)
			}
			if test.first == "" {
				return
			}
			again, err := csvtable.NewReader(strings.NewReader(test.list), "list.csv", csvtable.Options{HeaderRow: test.row})
			if err != nil {
				t.Fatalf("with the row given: %v", err)
			}
			defer again.Close()
			for _, r := range []*csvtable.Reader{reader, again} {
				if diff := cmp.Diff(test.list, copied(t, r, test.first)); diff != "" {
					t.Errorf("copied (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// copied returns the list as a writer writes it without appended columns.
func copied(t *testing.T, r *csvtable.Reader, first string) string {
	t.Helper()
	var out strings.Builder
	w := csvtable.NewWriter(&out, r, nil)
	for {
		block, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		part := w.Part(block)
		err = block.Each(func(row table.Row) error {
			if got := string(row.Cell(0)); row.Number() == 1 && got != first {
				t.Errorf("the first row begins with %q, want %q", got, first)
			}
			return part.WriteRow(row, nil, nil)
		})
		if err = errors.Join(err, w.Write(part)); err != nil {
			t.Fatal(err)
		}
		block.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAHeaderRowThatIsBlankOrMissingIsRefused(t *testing.T) {
	for row, want := range map[int64]string{3: "row 3 is blank", 9: "there is no row 9"} {
		list := "Leads,\nmore,\n\nName,Firma\nLee,Acme\n"
		_, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{HeaderRow: row})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("row %d: error %v, want one with %q", row, err, want)
		}
	}
}

// A first line that names the delimiter for Excel is above the header.
func TestALineForExcelNamesTheDelimiter(t *testing.T) {
	for list, want := range map[string][]string{
		"sep=;\na,b;c\n1;2\n":             {"a,b", "c"},
		"\ufeffSEP=,\r\na;b,c\r\n1,2\r\n": {"a;b", "c"},
		"\"sep=|\"\n\na|b\n1|2\n":         {"a", "b"},
		"sep=\t\na\tb\n1\t2\n":            {"a", "b"},
		"sep=x,b\n1,2\n":                  {"sep=x", "b"},
	} {
		r := newReader(t, list)
		if diff := cmp.Diff(want, r.Schema().Columns); diff != "" || r.HeaderRow() != 1 && !strings.Contains(list, "\n\n") {
			t.Errorf("%q: header in row %d (-want +got):\n%s", list, r.HeaderRow(), diff)
		}
		if got := written(t, r, nil, nil); got != list {
			t.Errorf("%q is written as %q", list, got)
		}
	}
	r, err := csvtable.NewReader(strings.NewReader("sep=;\nTitle\na;b\n1;2\n"), "list.csv", csvtable.Options{HeaderRow: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, r.Schema().Columns); diff != "" {
		t.Error(diff)
	}
}

// The error of a first line that describes the file, as in exports of accounting programs, names the row below it.
func TestALineThatDescribesTheFileIsNotTheHeader(t *testing.T) {
	const names = "Name;Town;Country\nAnn;Bonn;DE\n"
	for list, want := range map[string]int64{
		"\"EXTF\";700;20260101\n" + "Number;" + names + "1;Ann;Bonn;DE\n": 0, // no row is like the second
		"\"EXTF\";700;16;20260101\n" + names:                              2,
		"\"EXTF\";700;16;20260101\n\n" + names:                            3,
		"Ann;Bonn;ann@acme.example\nBob;Ulm;\n":                           0,
	} {
		_, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{})
		header, found := errors.AsType[*table.HeaderRowError](err)
		if err == nil || found != (want > 0) || found && header.Row != want {
			t.Errorf("%q: %v, %v, want row %d", list, err, header, want)
		}
	}
}

// The error of the first row below titles of several cells names the row of the header, counted as a spreadsheet
// program does, where a row looks like one.
func TestARowBelowTitlesIsNamedAsTheHeader(t *testing.T) {
	for list, want := range map[string]int64{
		"North,June\nName,Town,Sales\nAnn,Bonn,1\n":                        2,
		"North,June\n\n\nName,Town,Sales\nAnn,Bonn,1\n":                    4,
		"North,\"Ju\nne\"\n\"a\nb\",c\n\nName,Town,Sales\nAnn,Bonn,1\n":    4,
		"North,June\nName,Town,Sales\nAnn,Bonn\n":                          0,
		"Name,Town\nAnn,Bonn,1\nBob,Ulm\n":                                 0,
		"Name,Town,Sales\nAnn,Bonn,1\nBob,Ulm,2,3\nCy,Köln,4,5\nD,E,6,7\n": 0,
		"North,June\nann@acme.example,Bonn,1\nbob@acme.example,Ulm,2\n":    0,
	} {
		_, err := see(newReader(t, list))
		header, found := errors.AsType[*table.HeaderRowError](err)
		if err == nil || found != (want > 0) || found && header.Row != want {
			t.Errorf("%q: %v, %v, want row %d", list, err, header, want)
		}
	}
}
