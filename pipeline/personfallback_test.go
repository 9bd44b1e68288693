package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/io/sandbox/world"
)

// personRow writes a row of a person with a profile, an email, a name and a company.
func personRow(e world.Employee, profile, email string) string {
	return fmt.Sprintf("%s,%s,%s,%s,%s,%s\n", profile, e.First, e.Last, e.Company.Website(), e.Company.Name(), email)
}

// TestAPersonThatIsNotFoundIsAskedForByTheOtherIdentitiesOfItsRow runs a list of persons with profiles that do not
// exist and with those of other persons. The plan counts the further lookups, and each is sent at most once. A found
// person without an email is not asked for again.
func TestAPersonThatIsNotFoundIsAskedForByTheOtherIdentitiesOfItsRow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	people := reachable()
	noEmail := withoutEmail()
	text := "LinkedIn URL,First Name,Last Name,Company Website,Company,Email\n" +
		personRow(people[0], people[0].Profile(), "") + // found at once
		personRow(people[0], people[0].Profile()+"7", "") + // by the name
		personRow(people[1], people[2].Profile(), "") + // contradicts, then by the name
		personRow(people[3], people[3].Profile()+"7", people[3].Email()) + // by the email
		personRow(noEmail, noEmail.Profile(), "") + // has no email
		strings.Replace(personRow(people[4], people[4].Profile()+"7", ""), people[4].Company.Website(), "https://unknown-17.example", 1) // by the name with the company's
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "contact")
	run := func() (posts int64, shown []string) {
		t.Helper()
		ended, err := bothIn(dir).Run(t.Context(), o, silent{})
		if err != nil {
			t.Fatal(err)
		}
		return ended.Summary.Posts, shownOf(t, o.Output.Path, "contact_id")
	}
	if posts, _ := run(); posts != 6 {
		t.Errorf("%d requests by the profiles", posts)
	}
	o.List.Fallback = true
	planned, err := bothIn(dir).Plan(t.Context(), PlanOptions{List: o.List, Budget: o.Budget})
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]int64{}
	for _, s := range planned.Plan.Steps {
		most[s.Step] = s.Lookups
	}
	// Rows without an email are asked for by the name with the domain, and then with the company's name.
	want := map[string]int64{"v2": 0, "v2_fallback_1": 4, "v2_fallback_2": 4, "v2_fallback_3": 1}
	if diff := cmp.Diff(want, most); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
	posts, shown := run()
	if diff := cmp.Diff([]string{
		"matched|high|" + people[0].ID, "matched|medium|" + people[0].ID, "matched|medium|" + people[1].ID, "matched|medium|" + people[3].ID,
		"partial|high|" + noEmail.ID, "matched|medium|" + people[4].ID,
	}, shown); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if posts != 5 { // three names, an email, and a name with the name of the company
		t.Errorf("%d further requests", posts)
	}
	if posts, again := run(); posts != 0 || !cmp.Equal(shown, again) {
		t.Errorf("%d requests at the second start; rows %v, then %v", posts, shown, again)
	}
	// Written again from the record of the run, it is the same.
	path := filepath.Join(dir, "again.csv")
	if _, err := bothIn(dir).Write(t.Context(), planned.Plan.Run, List{Memory: 1 << 20}, Output{Path: path}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shown, shownOf(t, path, "contact_id")); diff != "" {
		t.Errorf("written again (-run +write):\n%s", diff)
	}
}

// reachable returns five persons with an email and a phone.
func reachable() (all []world.Employee) {
	for _, e := range staff(110, 10) {
		if e.Email() != "" && e.Phone() != "" {
			all = append(all, e)
		}
	}
	return all[:5]
}

// withoutEmail returns a person without an email.
func withoutEmail() world.Employee {
	for _, e := range staff(110, 10) {
		if e.Email() == "" {
			return e
		}
	}
	panic("everybody has an email")
}

// TestAnEmailThatAnEarlierStepFoundIsNoIdentity asks v1 for emails and then v2 for contacts. v2 is not asked for
// persons by the emails that v1 found, also when it does not find them by their profiles and names.
func TestAnEmailThatAnEarlierStepFoundIsNoIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	text := "LinkedIn URL,First Name,Last Name,Company Website,Email\n"
	for i := range 10 {
		text += fmt.Sprintf("https://www.linkedin.com/in/ann-lee-%d,Ann,Lee,acme-%d.example,\n", i, i)
	}
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runOf(list, "email", "contact")
	o.List.From, o.List.Fallback, o.List.FallbackByDefault = []string{"v1", "v2"}, true, true
	o.Budget.MaxSpend = new(100 * cost.Dollar)
	ended, err := bothIn(dir).Run(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	emails := 0
	for _, row := range cells(t, o.Output.Path) {
		if row["Email"] != "" {
			emails++
		}
	}
	if emails == 0 {
		t.Fatal("v1 has found no email")
	}
	// Each person is asked of v1 by the profile, and of v2 by the profile and by the name.
	if ended.Summary.Posts != 30 {
		t.Errorf("%d requests", ended.Summary.Posts)
	}
}
