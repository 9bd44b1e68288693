package world_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/sandbox/world"
)

const manyRows = 2_500

func write(t *testing.T, spec world.ListSpec) []byte {
	t.Helper()
	var list bytes.Buffer
	if err := world.WriteListCSV(&list, spec); err != nil {
		t.Fatal(err)
	}
	return list.Bytes()
}

func read(t *testing.T, spec world.ListSpec) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(write(t, spec))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(world.ListColumns(), rows[0]); diff != "" {
		t.Fatalf("header (-want +got):\n%s", diff)
	}
	if got := len(rows) - 1; got != spec.Rows {
		t.Fatalf("%d rows, want %d", got, spec.Rows)
	}
	return rows[1:]
}

// identify returns who a row names, as the product sees it.
func identify(row []string) (string, enrich.Unidentifiable) {
	id, reason := enrich.Contact{
		FirstName: row[1], LastName: row[2], ProfileURL: row[3], CompanyName: row[4], CompanyDomain: row[5],
	}.Identify(enrich.ByProfile)
	return id.Canonical(), reason
}

func TestSameSeedSameBytes(t *testing.T) {
	spec := world.DefaultList(7, 5_000)
	first := write(t, spec)
	if !bytes.Equal(first, write(t, spec)) {
		t.Error("the same spec gave different bytes")
	}
	spec.Seed++
	if bytes.Equal(first, write(t, spec)) {
		t.Error("another seed gave the same bytes")
	}
}

// The first rows stand here so that a change of the generator is seen: numbers that
// were measured on its lists would no longer compare.
func TestGolden(t *testing.T) {
	want := `id,first_name,last_name,linkedin_url,company,website,email,phone,notes
1,Zoë,Müller,,"Alder Logistics 1, Inc.",,,,former customer; left on good terms
2,Edward,Fletcher,,Juniper Foods 1,https://www.juniper-foods-1.example,,+1 311 555 0136,asked for a quote for two sites
3,Henry,Mercer,,Copper Foods 1,,,,
4,Louis,Vaughan,,,,,,downloaded the buyer's guide twice
5,Samuel,Cooper,,"Ivory Software 1, Inc.",https://www.ivory-software-1.example,,+1 764 555 0195,former customer; left on good terms
6,Benjamin,Lambert,https://www.linkedin.example/in/benjamin-lambert-6ekos5,Birch Software 1,,,,former customer; left on good terms
`
	if diff := cmp.Diff(want, string(write(t, world.DefaultList(1, 6)))); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestDefaultRowSize(t *testing.T) {
	const rows = 100_000
	size := float64(len(write(t, world.DefaultList(1, rows)))) / rows
	if size < 130 || size > 144 {
		t.Errorf("%.1f bytes a row, want about 137", size)
	}
}

func TestSharesOfAListSpecAreMet(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(*world.ListSpec, float64)
		is   func(row []string) bool
	}{
		{"filled email", func(s *world.ListSpec, x float64) { s.FilledEmailShare = x }, func(row []string) bool { return row[6] != "" }},
		{"filled phone", func(s *world.ListSpec, x float64) { s.FilledPhoneShare = x }, func(row []string) bool { return row[7] != "" }},
		{"quoted newline", func(s *world.ListSpec, x float64) { s.QuotedNewlineShare = x }, func(row []string) bool { return strings.Contains(row[8], "\n") }},
		{"unicode", func(s *world.ListSpec, x float64) { s.UnicodeShare = x }, func(row []string) bool {
			return len(row[1]) != utf8.RuneCountInString(row[1])
		}},
		{"profile", func(s *world.ListSpec, x float64) { s.ProfileShare = x }, func(row []string) bool { return row[3] != "" }},
		{"website", func(s *world.ListSpec, x float64) { s.ProfileShare, s.WebsiteShare = 0, x }, func(row []string) bool { return row[5] != "" }},
		{"unidentifiable", func(s *world.ListSpec, x float64) { s.UnidentifiableShare = x }, func(row []string) bool {
			_, reason := identify(row)
			return reason != ""
		}},
	} {
		for _, share := range []float64{0, 0.1, 0.4, 1} {
			t.Run(fmt.Sprint(test.name, " ", share), func(t *testing.T) {
				spec := world.ListSpec{Seed: 3, Rows: manyRows}
				test.set(&spec, share)
				count := 0
				for _, row := range read(t, spec) {
					if test.is(row) {
						count++
					}
				}
				wantShare(t, share, float64(count)/float64(spec.Rows))
			})
		}
	}
}

func wantShare(t *testing.T, want, got float64) {
	t.Helper()
	if math.Abs(got-want) > 0.03 || (want == 0 || want == 1) && got != want {
		t.Errorf("share = %.3f, want about %.3f", got, want)
	}
}

// A row that is not a duplicate names somebody new, so the identities tell the share.
func TestTheDuplicateShareOfAListIsMet(t *testing.T) {
	for _, share := range []float64{0, 0.05, 0.5, 0.95} {
		spec := world.DefaultList(5, manyRows)
		spec.DuplicateShare, spec.UnidentifiableShare = share, 0
		seen := map[string]bool{}
		for _, row := range read(t, spec) {
			identity, reason := identify(row)
			if reason != "" {
				t.Fatalf("row %v: %s", row, reason)
			}
			seen[identity] = true
		}
		wantShare(t, share, 1-float64(len(seen))/manyRows)
		if unique := len(seen) == manyRows; unique != (share == 0) {
			t.Errorf("share %v: %d identities in %d rows", share, len(seen), manyRows)
		}
	}
}

func TestAddressesAreFictional(t *testing.T) {
	spec := world.DefaultList(9, manyRows)
	spec.FilledEmailShare, spec.FilledPhoneShare = 1, 1
	for _, row := range read(t, spec) {
		if !strings.HasSuffix(row[6], ".example") {
			t.Fatalf("email %q", row[6])
		}
		if row[5] != "" && !strings.HasSuffix(row[5], ".example") {
			t.Fatalf("website %q", row[5])
		}
		if !strings.Contains(row[7], " 555 01") {
			t.Fatalf("phone %q", row[7])
		}
	}
}

func TestInvalidListSpecsAreRefused(t *testing.T) {
	for name, spec := range map[string]world.ListSpec{
		"negative rows":   {Rows: -1},
		"negative share":  {DuplicateShare: -0.1},
		"share above one": {UnicodeShare: 1.5},
		"no number":       {FilledEmailShare: math.NaN()},
		"sum of kinds":    {ProfileShare: 0.6, WebsiteShare: 0.6},
	} {
		if err := world.WriteListCSV(io.Discard, spec); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteError(t *testing.T) {
	for _, rows := range []int{0, 10, manyRows} {
		if err := world.WriteListCSV(fullDisk{}, world.DefaultList(1, rows)); err != io.ErrShortWrite {
			t.Errorf("%d rows: err = %v, want the writer's", rows, err)
		}
	}
}

func TestListColumnsReturnsACopy(t *testing.T) {
	world.ListColumns()[0] = "changed"
	if !slices.Contains(world.ListColumns(), "id") {
		t.Error("a caller changed the columns")
	}
}

func BenchmarkWriteCSV(b *testing.B) {
	spec := world.DefaultList(1, 100_000)
	var list bytes.Buffer
	for b.Loop() {
		list.Reset()
		if err := world.WriteListCSV(&list, spec); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(list.Len()))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(spec.Rows), "ns/row")
}
