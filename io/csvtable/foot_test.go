package csvtable_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/csvtable"
	"payonce/io/table"
)

// footed are lists with totals or notes below their rows, and how many rows they have.
var footed = []struct {
	text string
	rows int
	line int64 // of the first row below
}{
	{"Name,Town,Sales\nAnn,Bonn,1\nBob,Ulm,2\nTotal,3\n", 2, 4},
	{"Name;Ort;Umsatz\r\nAnn;Bonn;1\r\n\r\nSumme;;1.234,50 €\r\nQuelle: CRM\r\n", 1, 4},
	{"Name,Town,Sales\nAnn,\"Bo\nnn\",1\n\n\n\"Confidential Information - Do Not Distribute\"\n\"Copyright (c) 2000-2026 \"\"Vendor\"\"\"\n", 1, 6},
	{"\ufeffName\tTown\tSales\nAnn\tBonn\t1\n\t\t\nTotal\t\t1\n\t\t\n", 1, 3},
	{"Name,Town,Sales\nAnn,Bonn,1\nTotal: 1\n\n", 1, 3},
	{"Name,Town,Sales\n" + strings.Repeat("Ann,Bonn,1\n", 100) + "Total,,100\nAverage,,1\n\nExported on 1 May 2026 by Max\n", 100, 102},
	{"Name,Town,Sales\nAnn,Bonn," + strings.Repeat("1", 5000) + "\nTotal,,1\n", 1, 3},
}

// TestRowsBelowTheListAreNotRowsAndStay reads lists in chunks of all sizes, and writes them again.
func TestRowsBelowTheListAreNotRowsAndStay(t *testing.T) {
	for i, test := range footed {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for size := 1; size <= min(len(test.text)+1, 300); size++ {
				var found []table.Foot
				r := inChunks(t, test.text, size)
				r.WhenFoot(func(foot table.Foot) { found = append(found, foot) })
				rows, err := see(r)
				if err != nil || len(rows) != test.rows {
					t.Fatalf("in chunks of %d: %d rows, %v; want %d", size, len(rows), err, test.rows)
				}
				if len(found) != 1 || found[0].Line != test.line || found[0].File != "list.csv" {
					t.Fatalf("in chunks of %d: %+v is below the rows, want it from line %d", size, found, test.line)
				}
				if got := written(t, inChunks(t, test.text, size), nil, nil); got != test.text {
					t.Fatalf("in chunks of %d it is written as\n%s\nwant\n%s", size, got, test.text)
				}
			}
			got := written(t, newReader(t, test.text), columns("status"), []string{"new"})
			if n := strings.Count(got, "new"); n != test.rows {
				t.Errorf("a status stands beside %d rows, want %d:\n%s", n, test.rows, got)
			}
			again, err := see(newReader(t, got))
			if err != nil || len(again) != test.rows {
				t.Errorf("read again it has %d rows, %v", len(again), err)
			}
		})
	}
}

// The last line of an output looks whole, so that it can be a list.
func TestARowBelowTheListGetsALineEnding(t *testing.T) {
	const list = "Name,Town,Sales\r\nAnn,Bonn,1\r\nTotal,,1"
	got := written(t, newReader(t, list), columns("status"), []string{"new"})
	if want := "Name,Town,Sales,status\r\nAnn,Bonn,1,new\r\nTotal,,1\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := written(t, newReader(t, list), nil, nil); got != list {
		t.Errorf("without further columns %q, want %q", got, list)
	}
}

func TestASubsetHasNothingBelowItsRows(t *testing.T) {
	r := newReader(t, footed[0].text)
	var out bytes.Buffer
	w := csvtable.NewSubset(&out, r, columns("why"))
	if err := errors.Join(copyRows(w, r, nil, []string{"no"}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("Name,Town,Sales,why\nAnn,Bonn,1,no\nBob,Ulm,2,no\n", out.String()); diff != "" {
		t.Error(diff)
	}
}

// Every file of a list may have its own totals. They stand below all rows of the output.
func TestTotalsOfSeveralFilesStandBelowAllRows(t *testing.T) {
	open := 0
	inputs := inFiles(&open, "name,town,n\nAda,x,1\nTotal,1\n", "name;town;n\nBo;y;2\nSumme;2\n")
	r, err := csvtable.Open(csvtable.Options{}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	r.WhenFoot(func(foot table.Foot) { found = append(found, fmt.Sprintf("%s:%d", foot.File, foot.Line)) })
	rows, err := see(r)
	if err != nil || len(rows) != 2 || rows[1].Number != 2 {
		t.Errorf("%+v, %v", rows, err)
	}
	if diff := cmp.Diff([]string{"a.csv:3", "b.csv:3"}, found); diff != "" {
		t.Error(diff)
	}
	if r, err = csvtable.Open(csvtable.Options{}, inputs...); err != nil {
		t.Fatal(err)
	}
	if got, want := written(t, r, nil, nil), "name,town,n\nAda,x,1\nBo,y,2\nTotal,1\nSumme;2\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A list that is cut short is refused, wherever it is cut in a row, and so is one with a short row among its rows.
func TestAListCutInARowIsRefused(t *testing.T) {
	const list = "Company,Town,Staff\nAcme,Bonn,1\nTotalEnergies,Paris,2\n\nTotal Office,Ulm,3\nSource Media,Köln,4\n"
	lines := strings.SplitAfter(list, "\n")
	whole := 0
	for end := len(lines[0]) + 1; end < len(list); end++ {
		cut := list[:end]
		last := cut[strings.LastIndexByte(cut, '\n')+1:]
		_, err := see(newReader(t, cut))
		if short := last != "" && strings.Count(last, ",") < 2; short != (err != nil) {
			t.Errorf("%q: %v", cut, err)
		} else if !short {
			whole++
		}
	}
	if whole == 0 {
		t.Error("every list is refused")
	}
	for _, text := range []string{
		"Company,Town,Staff\nAcme,Bonn,1\nTotal,1\nBeta,Ulm,2\n",
		"Company,Town,Staff\nAcme,Bonn,1\nTotal,1\n" + strings.Repeat("Beta,Ulm,2\n", 30),
		"Company,Town,Staff\nTotal,1\n",
		"Company,Town,Staff\nAcme,Bonn,1\nTotal,1,2,3\n",
	} {
		wrong, err := &table.Error{}, error(nil)
		if _, err = see(newReader(t, text)); !errors.As(err, &wrong) || wrong.Line == 0 || wrong.Column == 0 || wrong.Hint == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
