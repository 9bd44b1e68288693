package simulation_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// companiesOf returns the scope of a step that asks about the companies of a list, whose columns its header and
// its cells tell.
func companiesOf(t testing.TB, list csvList) scan.Scope {
	t.Helper()
	reader, err := list.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	sample := columns.Take(reader, nil)
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	reading, err := columns.Recognise(list.schema(t), sample, columns.Options{Asked: []enrich.Subject{enrich.Companies}})
	if err != nil {
		t.Fatal(err)
	}
	if reading.Lists != enrich.Companies {
		t.Fatalf("the list has a %s in each row", reading.Lists)
	}
	return scan.Scope{Catalogue: enrich.Named("company"), Subject: enrich.Companies, Mapping: reading.Mapping, Wanted: 1}
}

// TestASampleListOfCompaniesIsPlanned reads a list with duplicates, websites with paths, VAT numbers with and
// without the country, numbers that a spreadsheet changed, and pages of persons. Two steps ask: by what names one
// company, and then by name.
func TestASampleListOfCompaniesIsPlanned(t *testing.T) {
	content, err := os.ReadFile("../../testdata/companies/crm.csv")
	if err != nil {
		t.Fatal(err)
	}
	list := csvList(content)
	scope := companiesOf(t, list)
	byName := scope
	byName.Search = scan.SearchScope{Patterns: enrich.PatternsOf(enrich.ByCompanyName), LeftOut: enrich.UsualPatterns()}
	for _, tt := range []struct {
		scope  scan.Scope
		asked  []string
		counts scan.Counts
	}{
		{
			scope,
			[]string{
				"company HRB 4711 in DE", "acme-trading.example", "company 1234567 in GB", "company C-200 in US-NY",
				"company with VAT number NL001234567B01 in NL", "https://linkedin.com/company/gamma-paints",
				"company FN 9.87654E+11 in AT",
			},
			scan.Counts{Rows: 20, Duplicates: 5, Lookup: 7, Unidentifiable: map[enrich.Unidentifiable]int64{
				enrich.NoCompanyIdentifiers: 3, enrich.NoState: 1, enrich.FreeMailDomain: 1, enrich.BadCompanyProfile: 1,
				enrich.BadCountry: 1, enrich.RoundedNumber: 1,
			}},
		},
		{
			byName,
			[]string{
				"company named Cedar Farms West in US", "company named Elm Books in IE", "company named Fjord Data AS in NO",
				"company named Juno Labs in CH", "company named Kite Energy in DE",
			},
			scan.Counts{Rows: 20, Filled: 12, Duplicates: 1, Lookup: 5, Unidentifiable: map[enrich.Unidentifiable]int64{
				enrich.BadCountry: 1, enrich.NoCompanyIdentifiers: 1,
			}},
		},
	} {
		taken, err := scan.New(t.Context(), tt.scope, list, blank{})
		if err != nil {
			t.Fatal(err)
		}
		got := taken.Count()
		counts := scan.Counts{
			Rows: got.Rows, Filled: got.Filled, Duplicates: got.Duplicates, Lookup: got.Lookup, Unidentifiable: got.Unidentifiable,
		}
		if diff := cmp.Diff(tt.counts, counts); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
		var asked []string
		next, done := taken.Lookups(t.Context(), list)
		for lookup, err := next(); err == nil; lookup, err = next() {
			asked = append(asked, lookup.Identity.String())
		}
		done()
		if diff := cmp.Diff(tt.asked, asked); diff != "" {
			t.Errorf("lookups (-want +got):\n%s", diff)
		}
	}
}

// TestTwoHundredThousandCompaniesTakeLittleMemory scans a list whose companies are named in several ways. A
// scan keeps two bytes for each row, and what it allocates for a row does not grow with the list.
func TestTwoHundredThousandCompaniesTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds and tells nothing about data races")
	}
	const rows = 200_000
	least := ^uint64(0)
	var text strings.Builder
	text.WriteString("Company,Website,Country,Company number,VAT number,LinkedIn\n")
	for i := range rows {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&text, "Acme %d Ltd,https://www.acme-%d.example/about,GB,,,\n", i, i)
		case 1:
			fmt.Fprintf(&text, "Bolt %d GmbH,,Germany,HRB %d,,\n", i, i)
		case 2:
			fmt.Fprintf(&text, "Cedar %d,,,,DE%09d,\n", i, i)
		default:
			fmt.Fprintf(&text, "Delta %d,,FR,,,https://www.linkedin.com/company/delta-%d\n", i, i)
		}
	}
	list := csvList(text.String())
	scope := companiesOf(t, list)
	scope.Memory, scope.TempDir = 4<<20, t.TempDir()
	stats := func() (m runtime.MemStats) {
		runtime.GC()
		runtime.GC() // also what pools keep
		runtime.ReadMemStats(&m)
		return m
	}
	for range 1 {
		before := stats()
		taken, err := scan.New(t.Context(), scope, list, blank{})
		if err != nil || taken.Count().Lookup != rows {
			t.Fatalf("%d lookups, %v", taken.Count().Lookup, err)
		}
		after := stats()
		least = min(least, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
		runtime.KeepAlive(taken)
		if each := (after.TotalAlloc - before.TotalAlloc) / rows; each > 2000 {
			t.Errorf("a row takes %d bytes", each)
		}
	}
	if least > 4*rows {
		t.Errorf("the scan keeps %d bytes", least)
	}
}
