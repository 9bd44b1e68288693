package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
)

// sameNamed returns two active companies of one name and country.
func sameNamed() (first, other world.Company) {
	config := sandbox.DefaultConfig()
	w := world.World{People: world.People{Seed: config.Seed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	seen := map[string]world.Company{}
	for c := range w.Listed() {
		name := strings.TrimSuffix(c.Name(), " "+c.LegalForm()) + c.Country().Code
		before, twice := seen[name]
		if twice && c.Status() == world.Active && before.Status() == world.Active {
			return before, c
		}
		seen[name] = c
	}
	panic("no companies share a name")
}

// TestANameThatWasAnsweredIsNotAskedForAgain runs lists with one journal. A search by a name is asked for once, in all
// spellings that are equal, in other rows, lists and starts. A row whose website nobody has is not asked for by that
// name again either: the search has said which company has it. A company that is known by its website alone does not
// answer for its name, which another company can have.
func TestANameThatWasAnsweredIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, other := sameNamed()
	name := strings.TrimSuffix(other.Name(), " "+other.LegalForm())
	country := other.Country().Code
	for i, test := range []struct {
		list  string
		posts int64
		want  []string
	}{
		{"Company name,Country\nFalcon Logistics 1,SE\n", 2, []string{"matched|high|6"}}, // the search and the company
		{"Company name,Country\nFalcon Logistics 1,SE\n", 0, []string{"matched|high|6"}},
		{"Company name,Country\nFALCON  logistics 1,Sweden\nFalcon Logistics 1,SE\n", 0, []string{"matched|high|6", "duplicate|high|6"}},
		{"Company name,Country,Website\nFalcon Logistics 1,SE,nobody-77.example\n", 1, []string{"mismatch|none|"}}, // the website
		{"Company name,Country,Website\nFalcon Logistics 1,SE,nobody-77.example\n", 0, []string{"mismatch|none|"}},
		{fmt.Sprintf("Company name,Country,Website\n%s,%s,%s\n", name, country, first.Website()), 1, []string{"matched|high|" + first.ID()}},
		{fmt.Sprintf("Company name,Country\n%s,%s\n", name, country), 1, []string{"ambiguous||"}},
	} {
		o := runOf(listIn(t, dir, test.list), "company")
		o.List.Fallback, o.List.FallbackByDefault = true, true
		o.List.Run = fmt.Sprint("run ", i)
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, shownOf(t, o.Output.Path, "company_id")); diff != "" || ended.Summary.Posts != test.posts {
			t.Errorf("%q: %d requests, not %d, output (-want +got):\n%s", test.list, ended.Summary.Posts, test.posts, diff)
		}
	}
}
