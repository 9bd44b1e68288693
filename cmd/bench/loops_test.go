package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func records(t *testing.T, path string) [][]string {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(readFile(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCopyLoopsReproduceTheList(t *testing.T) {
	list, out := makeList(t), filepath.Join(t.TempDir(), "out.csv")
	if err := copyList(t.Context(), []string{list, out}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(readFile(t, list), readFile(t, out)) {
		t.Error("the scanner's copy is not the list")
	}
	if err := copyWithStandard(t.Context(), []string{list, out}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(records(t, list), records(t, out)); diff != "" {
		t.Errorf("the copy of encoding/csv is not the list (-want +got):\n%s", diff)
	}
}

// TestTheStandardLoopCountsThePersonsThatBatchCounts compares the loop by hand with the identities that
// the program finds.
func TestTheStandardLoopCountsThePersonsThatBatchCounts(t *testing.T) {
	list := makeList(t)
	var stdout bytes.Buffer
	if err := countWithStandard(t.Context(), []string{list}, &stdout); err != nil {
		t.Fatal(err)
	}
	got, err := countsOf(stdout.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want, persons := counts{}, map[string]bool{}
	for _, r := range records(t, list)[1:] {
		want.Rows++
		want.Emails += one(r[6] != "")
		want.Phones += one(r[7] != "")
		who, reason := enrich.Contact{FirstName: r[1], LastName: r[2], ProfileURL: r[3], CompanyName: r[4], CompanyDomain: r[5]}.Identify(enrich.ByProfile)
		switch {
		case r[6] != "" && r[7] != "":
			want.Filled++
		case reason != "":
			want.Unidentifiable++
		default:
			persons[who.Canonical()] = true
		}
	}
	if want.Persons = int64(len(persons)); got != want || want.Filled == 0 || want.Unidentifiable == 0 || want.Persons > 1800 {
		t.Errorf("the loop found %+v, want %+v", got, want)
	}
}
