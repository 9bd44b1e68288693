package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// text is a list of delimited text.
type text string

func (l text) Open([]int) (table.Reader, error) {
	return csvtable.NewReader(strings.NewReader(string(l)), "candidates.csv", csvtable.Options{})
}

var acme = Ambiguous{
	Row: 3, Sought: enrich.Company{Name: "Acme", Country: "DE"},
	Found: []v2.Candidate{
		{ID: "7", Name: "Acme GmbH", Status: "active", Country: "DE", Registration: "HRB 1"},
		{Name: "without an id"},
		{ID: "8", Name: "=Acme,\nAG", Country: "DE"},
	},
}

// memory is a journal of files that remembers nothing.
type memory struct{}

func (memory) File(string) (record.File, bool, error) { return record.File{}, false, nil }
func (memory) SaveFile(record.File) error             { return nil }

// writeAmbiguous returns the file of ambiguous companies.
func writeAmbiguous(t rapid.TB, choices Choices, all ...Ambiguous) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "candidates")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "candidates.csv")
	protection := output.Protection{Journal: memory{}, Run: "run", Now: time.Unix(0, 0)}
	_, err = writeCandidates(context.Background(), all, choices, output.Request{Path: path}, protection)
	text, readErr := os.ReadFile(path)
	if err = errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCandidatesAreWrittenOneALine(t *testing.T) {
	numbered := Ambiguous{Row: 9, Sought: enrich.Company{RegistrationNumber: "C1", Country: "US", State: "NY"}, Found: []v2.Candidate{{ID: "9"}}}
	want := "row,name,country,state,registration_number,candidate_id,candidate_name,candidate_status,candidate_country,candidate_registration_number,selected\n" +
		"3,Acme,DE,,,7,Acme GmbH,active,DE,HRB 1,\n" +
		"3,Acme,DE,,,8,\"'=Acme, AG\",,DE,,\n" +
		"9,,US,NY,C1,9,,,,,\n"
	if diff := cmp.Diff(want, writeAmbiguous(t, nil, acme, numbered)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
}

// TestRewrittenChoicesKeepTheirSelections writes the file from which choices were read again, with one whose search the
// journal does not know.
func TestRewrittenChoicesKeepTheirSelections(t *testing.T) {
	file := strings.Replace(writeAmbiguous(t, nil, acme), "HRB 1,\n", "HRB 1,x\n", 1) + ",Other,AT,,,5,,,,,x\n"
	choices, err := readChoices(t.Context(), text(file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, writeAmbiguous(t, choices, acme)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	other := Ambiguous{Rows: 2, Sought: enrich.Company{Name: "Third"}, Found: acme.Found}
	if companies, rows := choices.Left([]Ambiguous{acme, other}); companies != 1 || rows != 2 {
		t.Errorf("%d companies of %d rows are left", companies, rows)
	}
}

// TestChoicesAreRead reads files that people edited in other programs.
func TestChoicesAreRead(t *testing.T) {
	form := enrich.Identity{Company: acme.Sought}.Canonical()
	numbered, _ := enrich.Company{RegistrationNumber: "C1", Country: "US", State: "NY"}.Identify(enrich.ByRegistration)
	for _, tt := range []struct {
		name, file string
		want       map[string]string
		err        string
	}{
		{"as it was written", writeAmbiguous(t, nil, acme), map[string]string{}, ""},
		{"one is selected", strings.Replace(writeAmbiguous(t, nil, acme), "HRB 1,\n", "HRB 1,x\n", 1), map[string]string{form: "7"}, ""},
		{"semicolons, other columns, another order", "Selected;note;candidate_id;country;name\nJa;a;7;Germany;ACME\nnein;b;8;DE;Acme\n", map[string]string{form: "7"}, ""},
		{"an id that a spreadsheet changed", "name,country,candidate_id,selected\nAcme,DE,7.0,1\n", map[string]string{form: "7"}, ""},
		{"by number", "name,country,state,registration_number,candidate_id,selected\n,US,NY,c-1,9,yes\n", map[string]string{numbered.Canonical(): "9"}, ""},
		{"the same twice", "name,country,candidate_id,selected\nAcme,DE,7,x\nACME,DE,7,x\n", map[string]string{form: "7"}, ""},
		{"two for one", "name,country,candidate_id,selected\nAcme,DE,7,x\nACME,DE,8,x\n", nil, "line 3, column selected: company named ACME in DE is selected twice, in line 2 as 7; select one candidate"},
		{"another word", "name,country,candidate_id,selected\nAcme,DE,7,maybe\n", nil, `line 2, column selected: "maybe" is neither x nor empty`},
		{"no id", "name,country,candidate_id,selected\nAcme,DE,,x\n", nil, "line 2, column candidate_id: the id of the candidate is missing or damaged"},
		{"no name", "name,country,candidate_id,selected\n,DE,7,x\n", nil, "line 2: " + string(enrich.NoCompanyIdentifiers)},
		{"another file", "name,country\nAcme,DE\n", nil, `there is no column "candidate_id"; give a file of candidates with its header`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readChoices(t.Context(), text(tt.file))
			if diff := cmp.Diff(tt.want, idsOf(got)); diff != "" || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v; choices (-want +got):\n%s", err, diff)
			}
		})
	}
}

// idsOf returns the ids of choices, nil where there are no choices.
func idsOf(choices Choices) map[string]string {
	if choices == nil {
		return nil
	}
	return choices.IDs()
}

// TestAChoiceIsReadBackForTheCompanySearchedFor writes companies of any names, selects the last candidate of each, and
// reads the file.
func TestAChoiceIsReadBackForTheCompanySearchedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-zßé"',; ]{1,9}[a-z]`), 1, 4, func(s string) string {
			return enrich.Identity{Company: enrich.Company{Name: s}}.Canonical()
		}).Draw(t, "names")
		var all []Ambiguous
		want := map[string]string{}
		for i, name := range names {
			id, reason := enrich.Company{Name: name, Country: rapid.SampledFrom([]string{"", "DE"}).Draw(t, "country")}.Identify(enrich.ByCompanyName)
			if reason != "" {
				t.Skip(reason)
			}
			last := string(rune('0' + i))
			all = append(all, Ambiguous{Row: int64(i + 1), Sought: id.Company, Found: []v2.Candidate{{ID: "a"}, {ID: last}}})
			want[id.Canonical()] = last
		}
		lines := strings.SplitAfter(writeAmbiguous(t, nil, all...), "\n")
		for i := 2; i < len(lines); i += 2 {
			lines[i] = strings.TrimSuffix(lines[i], "\n") + "x\n"
		}
		got, err := readChoices(context.Background(), text(strings.Join(lines, "")))
		if diff := cmp.Diff(want, got.IDs()); diff != "" || err != nil {
			t.Fatalf("%v; choices (-want +got):\n%s", err, diff)
		}
	})
}

// FuzzRead reads files of any text: what is chosen has an id.
func FuzzRead(f *testing.F) {
	f.Add("name,country,candidate_id,selected\nAcme,DE,7,x\n")
	f.Add(writeAmbiguous(f, nil, acme))
	f.Add("name;country;candidate_id;selected;state\n\"a\nb\";US;;x;NY\n")
	f.Fuzz(func(t *testing.T, file string) {
		selected, err := readChoices(t.Context(), text(file))
		for form, choice := range selected {
			if form == "" || choice.ID == "" || choice.Sought.Canonical() != form || err != nil {
				t.Errorf("%q: %v is chosen, %v", form, choice, err)
			}
		}
	})
}

// journal holds answers to searches by the key of the company.
type journal map[enrich.Key]string

func (journal) KeyOf(canonical []byte) (key enrich.Key) {
	copy(key[:], canonical[max(0, len(canonical)-len(key)):])
	return key
}

func (j journal) RecordOf(key enrich.Key, fields enrich.Fields) (record attempt.Record, err error) {
	if body := j[key]; body != "" && fields.Has(v2.FieldMatch) {
		record.Attempts[v2.FieldMatch] = attempt.ID(len(body))
	}
	return record, nil
}

func (j journal) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		for _, body := range j {
			if attempt.ID(len(body)) != ids[0] {
				continue
			}
			answered, err := v2.ReadAnswer(v2.OpOverview, []byte(body), time.Unix(0, 0), v2.Reveal{}, v2.Modules{}, enrich.Company{Name: "Acme", Country: "DE"})
			known = append(known, attempt.Outcome{ID: ids[0], Ended: attempt.Resolution{
				Status: answered.Status, Data: answered.Data, State: attempt.Settled,
			}})
			return known, err
		}
		return known, nil
	}
}

// TestEachAmbiguousCompanyIsListedOnce goes through rows of which some name the same company.
func TestEachAmbiguousCompanyIsListedOnce(t *testing.T) {
	key := func(name string) enrich.Key {
		return journal{}.KeyOf([]byte(enrich.Identity{Company: enrich.Company{Name: name, Country: "DE"}}.Canonical()))
	}
	known := journal{
		key("Acme"):    `{"data": [{"id": 7, "name": "Acme", "country_code": "DE"}, {"id": 8, "name": "Acme", "country_code": "DE"}]}`,
		key("Found"):   `{"data": [{"id": 7, "name": "Acme", "country_code": "DE"}]}`,
		key("Nothing"): `{"data": []}`,
	}
	list := text("name,country,website\nFound,DE,\nacme,de,\nOther,DE,\nAcme,DE,acme.example\nNothing,DE,\nACME,Germany,\n,DE,\n")
	scope := scan.Scope{
		Catalogue: v2.Catalogue(), Subject: enrich.Companies, Wanted: enrich.FieldsOf(v2.FieldMatch),
		Mapping: columns.Mapping{columns.CompanyName: {0}, columns.CompanyCountry: {1}, columns.CompanyWebsite: {2}},
		Search:  scan.SearchScope{Patterns: enrich.PatternsOf(enrich.ByCompanyName), LeftOut: enrich.UsualPatterns()},
	}
	all, err := gatherAmbiguous(t.Context(), scope, list, known)
	if err != nil {
		t.Fatal(err)
	}
	sought := enrich.Company{Name: "Acme", Country: "DE"}
	want := []Ambiguous{{Row: 2, Rows: 2, Sought: sought, Found: []v2.Candidate{
		{ID: "7", Name: "Acme", Country: "DE"}, {ID: "8", Name: "Acme", Country: "DE"},
	}}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("ambiguous companies (-want +got):\n%s", diff)
	}
	scope.Selected = map[string]string{enrich.Identity{Company: sought}.Canonical(): "7"}
	if again, err := gatherAmbiguous(t.Context(), scope, list, known); err != nil || !cmp.Equal(again, all) {
		t.Errorf("a company is missing once it was chosen: %v, %v", again, err)
	}
	left := key("Left")
	known[left] = `{"data": [{"id": 3, "name": "Left", "country_code": "DE"}]}`
	for file, problem := range map[string]string{
		"Acme,DE,8,x\n":                "",
		"Other,DE,77,x\n":              "", // the journal does not know what a search finds
		"Acme,DE,9,x\n":                "line 2, column candidate_id: the search for company named Acme in DE did not find 9",
		"Acme,AT,8,x\nAcme,DE,9,x\n":   "line 3, column candidate_id: the search for company named Acme in DE did not find 9",
		"Acme,AT,8,x\nNobody,DE,9,x\n": "line 2: no row of the list is a company named Acme in AT", // another list
		"Acme,AT,8,x\nAcme,DE,8,x\n":   "unnamed 2",
		"Left,DE,3,x\n":                "unnamed 2", // it was searched for, and left the list
		"Left,DE,3,x\nNobody,DE,9,x\n": "unnamed 2 3",
	} {
		choices, err := readChoices(t.Context(), text("name,country,candidate_id,selected\n"+file))
		if err != nil {
			t.Fatal(err)
		}
		unnamed, err := choices.Check(t.Context(), scope, list, known)
		if lines, is := strings.CutPrefix(problem, "unnamed "); is {
			got := ""
			for _, choice := range unnamed {
				got += fmt.Sprint(" ", choice.Line)
			}
			if err != nil || got != " "+lines {
				t.Errorf("%q: lines%s are not named, want %s, %v", file, got, lines, err)
			}
			continue
		}
		if (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: %v, want %q", file, err, problem)
		}
	}
}
