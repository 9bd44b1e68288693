package simulation_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// csvList is a list in memory.
type csvList string

func (l csvList) Open([]int) (table.Reader, error) {
	// What the bytes look like may change with their order, and the encoding that is guessed.
	return csvtable.NewReader(strings.NewReader(string(l)), "list.csv", csvtable.Options{Encoding: csvtable.UTF8})
}

func (l csvList) schema(t testing.TB) table.Schema {
	t.Helper()
	reader, err := l.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	return reader.Schema()
}

// scope returns the scope of a list with the columns that its header names.
func (l csvList) scope(t testing.TB, wanted enrich.Fields) scan.Scope {
	t.Helper()
	reading, err := columns.Recognise(l.schema(t), nil, columns.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return scan.Scope{Catalogue: v1.Catalogue(), Mapping: reading.Mapping, Wanted: wanted}
}

// ask returns the lookups of a scan as "NAME: FIELDS".
func ask(t testing.TB, scope scan.Scope, list scan.List, taken *scan.Scan) []string {
	t.Helper()
	next, done := taken.Lookups(t.Context(), list)
	defer done()
	var asked []string
	for {
		lookup, err := next()
		if errors.Is(err, io.EOF) {
			return asked
		}
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, nameOf(lookup.Identity)+": "+lookup.Fields.String())
	}
}

// blank is a journal that knows nothing. Its keys are the same in every run.
type blank struct{}

func (blank) KeyOf(canonical []byte) enrich.Key {
	sum := sha256.Sum256(canonical)
	return enrich.Key(sum[:16])
}

func (blank) People() int64 { return 0 }

func (blank) Records(enrich.Key, enrich.Key, func(enrich.Key, func() (attempt.Record, error)) error) error {
	return nil
}

func (blank) RecordOf(enrich.Key, enrich.Fields) (attempt.Record, error) {
	return attempt.Record{}, nil
}

func take(t testing.TB, scope scan.Scope, list scan.List, journal scan.Recorder) *scan.Scan {
	t.Helper()
	taken, err := scan.New(t.Context(), scope, list, journal)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

// wantCounts compares what is not zero.
func wantCounts(t testing.TB, want, got scan.Counts) {
	t.Helper()
	if want.Kinds == nil { // most lists here hold people of one pattern
		want.Kinds = map[cost.Kind]int64{}
		for fields, n := range want.Lookups {
			want.Kinds[cost.Kind{Fields: fields, Pattern: enrich.ByProfile}] = n
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestAScanCountsByReason(t *testing.T) {
	list := csvList(`profile url,first name,last name,company,domain,email
https://pro.example/in/p1,,,,,
www.PRO.example/in/p1/,,,,,
,Ada,Byron,Co,,
,Ada,Byron,Co,,ada@co.example
,Ada,,Co,,
,,Byron,Co,,
,Ada,Byron,,,
,Ada,Byron,,ada@gmail.com,
,,,Co,co.example,
not a url,,,,,
,Ada,By` + "\uFFFD" + `ron,Co,,
,,,,,full@co.example
`)
	scope := list.scope(t, email)
	taken := take(t, scope, list, blank{})
	wantCounts(t, scan.Counts{
		Rows: 12, Filled: 2, Duplicates: 1, Lookup: 2,
		Unidentifiable: map[enrich.Unidentifiable]int64{
			enrich.NoLastName: 1, enrich.NoFirstName: 1, enrich.NoCompany: 1, enrich.FreeMailDomain: 1,
			enrich.NoIdentifiers: 1, enrich.BadProfileURL: 1, enrich.MangledText: 1,
		},
		Lookups: cost.Workload{v1.FindWorkEmail.Fields(): 2},
		Kinds: map[cost.Kind]int64{
			{Fields: v1.FindWorkEmail.Fields(), Pattern: enrich.ByProfile}: 1,
			{Fields: v1.FindWorkEmail.Fields(), Pattern: enrich.ByName}:    1,
		},
		Asked: enrich.ByField[int64]{v1.WorkEmail: 2},
	}, taken.Count())
}

func TestTheLookupOfAPersonAsksForWhatAnyRowMisses(t *testing.T) {
	list := csvList(`profile url,email,phone
https://pro.example/in/p1,a@co.example,
https://pro.example/in/p2,b@co.example,1
https://pro.example/in/p1,,1
https://pro.example/in/p3, ,1
https://pro.example/in/p2,b@co.example,
`)
	scope := list.scope(t, v1.AllFields)
	journal := blank{}
	taken := take(t, scope, list, journal)
	want := []string{"p1: work_email,business_phone", "p3: work_email", "p2: business_phone"}
	if diff := cmp.Diff(want, ask(t, scope, list, taken)); diff != "" {
		t.Errorf("lookups (-want +got):\n%s", diff)
	}
	wantCounts(t, scan.Counts{
		Rows: 5, Filled: 1, Duplicates: 1, Lookup: 3,
		Lookups: cost.Workload{v1.EnrichContact.Fields(): 1, v1.FindWorkEmail.Fields(): 1, v1.FindPhone.Fields(): 1},
		Asked:   enrich.ByField[int64]{v1.WorkEmail: 2, v1.BusinessPhone: 2},
	}, taken.Count())
}

// TestFormsOfOneProfileAreOneLookup: one person in five spellings, and two persons that only the query tells apart.
func TestFormsOfOneProfileAreOneLookup(t *testing.T) {
	list := csvList(`profile url,email
https://www.linkedin.com/in/Jane-Doe/,
https://uk.linkedin.com/in/jane-doe?trk=a,
m.linkedin.com/in/jane-doe/de,
https://www.linkedin.com/in/jane-doe/details/experience/,
http://linkedin.com/in/%6Aane-doe#about,
https://www.linkedin.com/profile/view?id=101&trk=nav,
https://www.linkedin.com/profile/view?id=202&trk=nav,
http://uk.linkedin.com/profile/view?trk=x&id=101,
https://www.linkedin.com/profile/view?trk=nav,
https://www.facebook.com/profile.php?id=100000101,
https://m.facebook.com/profile.php?id=100000202,
`)
	scope := list.scope(t, email)
	taken := take(t, scope, list, blank{})
	want := []string{
		"https://linkedin.com/in/Jane-Doe: work_email", "https://linkedin.com/profile/view?id=101: work_email",
		"https://linkedin.com/profile/view?id=202: work_email", "https://facebook.com/profile.php?id=100000101: work_email",
		"https://m.facebook.com/profile.php?id=100000202: work_email",
	}
	if diff := cmp.Diff(want, ask(t, scope, list, taken)); diff != "" {
		t.Errorf("lookups (-want +got):\n%s", diff)
	}
	if counts := taken.Count(); counts.Duplicates != 5 || counts.Unidentifiable[enrich.BadProfileURL] != 1 {
		t.Errorf("%d duplicates, unidentifiable are %v", counts.Duplicates, counts.Unidentifiable)
	}
}

func TestTheFirstRowThatMissesSomethingIsTheFirstOccurrence(t *testing.T) {
	list := csvList("profile url,email\nhttps://pro.example/in/p1,x@co.example\nhttps://pro.example/in/p1,\nhttps://pro.example/in/p1,\n")
	rows, err := scan.RowsOf(t.Context(), list.scope(t, email), list, []enrich.Identity{identity("p2"), identity("p1"), identity("p1/")})
	if diff := cmp.Diff([]int64{0, 2, 2}, rows); diff != "" || err != nil {
		t.Errorf("error %v, leading rows (-want +got):\n%s", err, diff)
	}
}

func TestOnlyWantedFieldsAreMissing(t *testing.T) {
	list := csvList("profile url,email,phone\nhttps://pro.example/in/p1,x@co.example,\n")
	if got := take(t, list.scope(t, email), list, blank{}).Count(); got.Filled != 1 || got.Lookup != 0 {
		t.Errorf("counts %+v; the phone is not wanted, so the row is filled", got)
	}
}

// oneOfEach is a script by which p1 to p5 end in every way there is.
func oneOfEach(c call) reply {
	switch {
	case c.who == "p2":
		return refuses(0, enrich.InvalidInput, "invalid_identifiers")
	case c.who == "p3" && c.try == 1:
		return loses(0, email)
	case c.who == "p4":
		return reply{} // in doubt, and the run ends
	default:
		return answersWith(0, email)
	}
}

// profileList is a list of profile URLs.
func profileList(names ...string) csvList {
	return csvList("profile url\n" + profiles + strings.Join(names, "\n"+profiles) + "\n")
}

func TestAScanSkipsWhatTheJournalKnows(t *testing.T) {
	withRig(t, oneOfEach, func(t *testing.T, r *rig) {
		r.run(people(3, email))
		if o := r.runWith(t.Context(), people(4, email)[3:]); o.err == nil {
			t.Fatal("p4 was to end the run")
		}
		list := profileList(names(5)...)
		scope := list.scope(t, email)
		taken := take(t, scope, list, r.journal)
		wantCounts(t, scan.Counts{
			Rows: 5, Answered: 1, Rejected: 1, Forfeited: 1, InDoubt: 1, Lookup: 1,
			Lookups: cost.Workload{v1.FindWorkEmail.Fields(): 1}, Asked: enrich.ByField[int64]{v1.WorkEmail: 1},
		}, taken.Count())
		if diff := cmp.Diff([]string{"p5: work_email"}, ask(t, scope, list, taken)); diff != "" {
			t.Errorf("lookups (-want +got):\n%s", diff)
		}
		scope.Wanted = v1.AllFields
		taken = take(t, scope, list, r.journal)
		want := []string{"p1: business_phone", "p2: business_phone", "p3: business_phone", "p4: business_phone", "p5: work_email,business_phone"}
		if diff := cmp.Diff(want, ask(t, scope, list, taken)); diff != "" {
			t.Errorf("lookups of another field too (-want +got):\n%s", diff)
		}
	})
}

func TestReaskOptionsAskAgainOnlyForWhatTheyName(t *testing.T) {
	withRig(t, oneOfEach, func(t *testing.T, r *rig) {
		r.run(people(3, email))
		r.run([]enrich.Lookup{{Identity: identity("p5"), Fields: phone}}) // comes back empty
		list := profileList("p1", "p2", "p3", "p5")
		tests := map[string]struct {
			reask attempt.Reask
			want  []string
		}{
			"nothing":              {attempt.Reask{}, []string{"p1: business_phone", "p2: business_phone", "p3: business_phone", "p5: work_email"}},
			"what came before":     {attempt.Reask{Before: time.Now().Add(-time.Hour)}, []string{"p1: business_phone", "p2: business_phone", "p3: business_phone", "p5: work_email"}},
			"what came back empty": {attempt.Reask{Before: time.Now().Add(time.Hour)}, []string{"p1: business_phone", "p2: work_email,business_phone", "p3: business_phone", "p5: work_email,business_phone"}},
			"what was forfeited":   {attempt.Reask{Forfeited: true}, []string{"p1: business_phone", "p2: business_phone", "p3: work_email,business_phone", "p5: work_email"}},
		}
		for title, test := range tests {
			scope := list.scope(t, v1.AllFields)
			scope.Reask = test.reask
			if diff := cmp.Diff(test.want, ask(t, scope, list, take(t, scope, list, r.journal))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", title, diff)
			}
		}
	})
}

func TestALimitIsTheSameWhenTheRunResumes(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		list := csvList(`profile url,email
https://pro.example/in/p1,
https://pro.example/in/p2,full@co.example
https://pro.example/in/p1,
https://pro.example/in/p3,
https://pro.example/in/p4,
https://pro.example/in/p5,
`)
		scope := list.scope(t, email)
		scope.Limit = 3
		taken := take(t, scope, list, r.journal)
		want := []string{"p1: work_email", "p3: work_email", "p4: work_email"}
		if diff := cmp.Diff(want, ask(t, scope, list, taken)); diff != "" {
			t.Errorf("lookups (-want +got):\n%s", diff)
		}
		r.run(people(3, email)) // p2 too, which the list does not miss
		taken = take(t, scope, list, r.journal)
		if diff := cmp.Diff([]string{"p4: work_email"}, ask(t, scope, list, taken)); diff != "" {
			t.Errorf("lookups when it resumes (-want +got):\n%s", diff)
		}
		wantCounts(t, scan.Counts{
			Rows: 6, Filled: 1, Duplicates: 1, Answered: 2, Skipped: 1, Lookup: 1,
			Lookups: cost.Workload{v1.FindWorkEmail.Fields(): 1}, Asked: enrich.ByField[int64]{v1.WorkEmail: 1},
		}, taken.Count())
	})
}

func TestAListThatChangedIsNoticed(t *testing.T) {
	journal := blank{}
	before := profileList("p1", "p2")
	scope := before.scope(t, email)
	taken := take(t, scope, before, journal)
	next, done := taken.Lookups(t.Context(), profileList("p1", "p9"))
	defer done()
	if lookup, err := next(); err != nil || nameOf(lookup.Identity) != "p1" {
		t.Errorf("first lookup %v, %v; want p1", lookup, err)
	}
	if _, err := next(); !errors.Is(err, scan.ErrListChanged) {
		t.Errorf("error %v, want %v", err, scan.ErrListChanged)
	}
	if _, err := next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the error %v, want %v", err, io.EOF)
	}
}

func TestABrokenListIsFoundByTheScan(t *testing.T) {
	list := csvList("profile url,email\nhttps://pro.example/in/p1,\nhttps://pro.example/in/p2,\"open\n")
	_, err := scan.New(t.Context(), list.scope(t, email), list, blank{})
	var broken *table.Error
	if !errors.As(err, &broken) || broken.Line != 3 {
		t.Errorf("error %v, want one of line 3", err)
	}
}

// countedList counts the readers that are open.
type countedList struct {
	csvList
	open *int
}

type countedReader struct {
	table.Reader
	open *int
}

func (l countedList) Open(columns []int) (table.Reader, error) {
	reader, err := l.csvList.Open(columns)
	*l.open++
	return countedReader{reader, l.open}, err
}

func (r countedReader) Close() error { *r.open--; return r.Reader.Close() }

func TestAnAbandonedReadingClosesItsFiles(t *testing.T) {
	open := 0
	list := countedList{profileList(names(5)...), &open}
	journal := blank{}
	scope := list.scope(t, email)
	taken := take(t, scope, list, journal)
	next, done := taken.Lookups(t.Context(), list)
	if _, err := next(); err != nil || open != 1 {
		t.Fatalf("error %v, %d readers open; want 1", err, open)
	}
	done()
	if open != 0 {
		t.Errorf("%d readers are open at the end", open)
	}
}

// askedList tells which columns are asked for.
type askedList struct {
	csvList
	asked func(columns []int)
}

func (l askedList) Open(columns []int) (table.Reader, error) {
	l.asked(columns)
	return l.csvList.Open(columns)
}

// What stands in the column of a field that nobody wants does not matter, even when it cannot
// be read.
func TestColumnsOfUnwantedFieldsAreNotRead(t *testing.T) {
	const header = csvList("profile,email,phone\nx.example/in/ada,,\n")
	for _, c := range []struct {
		wanted    enrich.Fields
		overrides []string
		want      []int
	}{
		{email, nil, []int{0, 1}},
		{phone, nil, []int{0, 2}},
		{email | phone, nil, []int{0, 1, 2}},
		{email, []string{"email=phone"}, []int{0, 2}},
		{email, []string{"email="}, []int{0}},
	} {
		var asked [][]int
		list := askedList{header, func(columns []int) { asked = append(asked, columns) }}
		scope := scan.Scope{Catalogue: v1.Catalogue(), Mapping: mapColumns(t, header.schema(t).Columns, c.overrides...), Wanted: c.wanted}
		taken := take(t, scope, list, blank{})
		next, done := taken.Lookups(t.Context(), list)
		if _, err := next(); err != nil {
			t.Fatal(err)
		}
		done()
		if _, err := scan.RowsOf(t.Context(), scope, list, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]int{c.want, c.want, c.want}, asked); diff != "" {
			t.Errorf("%v, %q: %s", c.wanted, c.overrides, diff)
		}
	}
}
