package csvtable_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/io/csvtable"
	"payonce/io/table"
)

// formulaText draws texts, most of which begin like formulas.
var formulaText = rapid.StringOfN(rapid.RuneFrom([]rune("'=+-@\t ;,\"0aA")), 0, 6, -1)

// TestFormulasAreEscapedAndCellsOfTheListStay writes a list with fills and appended cells: to its own format, and to
// another delimiter. The cells of the list keep their values; the others are escaped, and read as they were.
func TestFormulasAreEscapedAndCellsOfTheListStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []string { return rapid.SliceOfN(formulaText, 3, 3).Draw(t, name) }
		own, filled, appended := draw("own"), draw("filled"), draw("appended")
		var list bytes.Buffer
		lines := csv.NewWriter(&list)
		if lines.Write([]string{"name", "filled"}) != nil {
			t.Fatal("no header")
		}
		for _, text := range own {
			if err := lines.Write([]string{"x" + text, ""}); err != nil {
				t.Fatal(err)
			}
			if err := lines.Write([]string{text + "y", ""}); err != nil {
				t.Fatal(err)
			}
		}
		lines.Flush()
		reader, err := csvtable.NewReader(bytes.NewReader(list.Bytes()), "list.csv", csvtable.Options{Delimiter: ','})
		if err != nil {
			t.Fatal(err)
		}
		columns := []table.Column{{Name: "appended"}}
		var same, tabs bytes.Buffer
		writers := []*csvtable.Writer{
			csvtable.NewWriter(&same, reader, columns).EscapeFormulas(false),
			csvtable.NewEncoder(&tabs, csvtable.Dialect{Delimiter: '\t'}, reader.Schema(), columns).EscapeFormulas(false),
		}
		for {
			block, err := reader.Next()
			if err != nil {
				break
			}
			for _, writer := range writers {
				part := writer.Part(block)
				err := block.Each(func(row table.Row) error {
					i := int(row.Number()-1) / 2
					return part.WriteRow(row, []table.Fill{{Column: 1, Value: filled[i]}}, texts(appended[i]))
				})
				if err != nil || writer.Write(part) != nil {
					t.Fatal(err)
				}
			}
			block.Release()
		}
		for _, writer := range writers {
			if err := writer.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for delimiter, text := range map[rune]string{',': same.String(), '\t': tabs.String()} {
			read := csv.NewReader(strings.NewReader(text))
			read.Comma = delimiter
			rows, err := read.ReadAll()
			if err != nil || len(rows) != 7 {
				t.Fatalf("%v\n%s", err, text)
			}
			for i, row := range rows[1:] {
				want := []string{"x" + own[i/2], table.EscapeFormula(filled[i/2]), table.EscapeFormula(appended[i/2])}
				if i%2 == 1 {
					want[0] = own[i/2] + "y"
				}
				for c := range want {
					if row[c] != want[c] {
						t.Fatalf("row %d, column %d: %q, want %q", i+1, c, row[c], want[c])
					}
				}
			}
		}
	})
}

// TestCellsOfANewListAreEscaped: all of them are the service's.
func TestCellsOfANewListAreEscaped(t *testing.T) {
	var out bytes.Buffer
	rows := table.NewMemory([]string{"name", "phone"}, [][]string{{"=1+1", "+49 171 5550100"}, {"Ann", "-123.4"}})
	writer := csvtable.NewEncoder(&out, csvtable.Dialect{}, rows.Schema(), nil).EscapeFormulas(true)
	block, err := rows.Next()
	if err != nil {
		t.Fatal(err)
	}
	part := writer.Part(block)
	if err := block.Each(func(row table.Row) error { return part.WriteRow(row, nil, nil) }); err != nil {
		t.Fatal(err)
	}
	if err := writer.Write(part); err != nil {
		t.Fatal(err)
	}
	if want := "name,phone\n'=1+1,+49 171 5550100\nAnn,-123.4\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
