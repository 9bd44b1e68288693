package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
)

// sharedNames returns the identifiers of companies of the embedded service that share their names with others, one
// column with its header. None is the one that the service finds by the name.
func sharedNames(most int) string {
	config := sandbox.DefaultConfig()
	w := world.World{People: world.People{Seed: config.Seed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	first, list := map[string]string{}, "company_id\n"
	for c := range w.Listed() {
		switch named := w.ByName(c.Name()); {
		case strings.Count(list, "\n") > most:
			return list
		case len(named) < 2 || named[0].ID() == c.ID():
		case first[c.Name()] == "":
			first[c.Name()] = c.ID()
			list += c.ID() + "\n"
		}
	}
	return list
}

// TestFoundEmployeesGetTheirOwnContacts searches employees of companies that share their names with others, and looks
// up the contacts of the found people: by their ids, each answer is about the right person. By name and company other
// people come back. Their answers are mismatches, and the rows say so.
func TestFoundEmployeesGetTheirOwnContacts(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("companies.csv"), []byte(sharedNames(12)), 0o600); err != nil {
		t.Fatal(err)
	}
	batch := func(want int, args ...string) string {
		t.Helper()
		stdout, stderr, code := executeIn(t.Context(), quietEnvironment(nil), append(args, "--sandbox", "--state", in("state"))...)
		if code != want {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		return stdout
	}
	run := func(want int, name string, units string, more ...string) []map[string]string {
		t.Helper()
		batch(want, append([]string{
			"run", in("people.csv"), "--fields", "contact", "--name", name, "-o", in(name + ".csv"), "--yes", "--rate-v2", "100000/1s",
			"--max-units", units,
		}, more...)...)
		return csvRows(t, in(name+".csv"))
	}
	batch(exitDone, "search", "employees", in("companies.csv"), "-o", in("people.csv"), "--max-units", "contacts=100", "--per-company", "3", "--yes",
		"--rate-v2", "100000/1s")

	phones := 0 // a call holds one, also where the service knows none
	for i, row := range run(exitCeiling, "short", "contacts=500,email_count=500,phone_count=1") {
		if row["phone"] != "" {
			phones++
		}
		if isOpen := row["enrich_status"] == "not_attempted"; isOpen == (row["contact_id_2"] != "") || isOpen && !strings.Contains(row["enrich_reason"], "phone_count") {
			t.Errorf("row %d is %s: %s", i+1, row["enrich_status"], row["enrich_reason"])
		}
	}
	if phones != 1 {
		t.Errorf("%d phones, and the ceiling is 1", phones)
	}
	checkOwn := func(name string, rows []map[string]string) (right, others int) {
		for i, row := range rows {
			switch row["enrich_status"] {
			case "matched", "partial":
				right++
				if row["contact_id"] != row["contact_id_2"] {
					t.Errorf("%s, row %d: %s got the contact of %s", name, i+1, row["contact_id"], row["contact_id_2"])
				}
			case "mismatch":
				others++
				if !strings.Contains(row["enrich_reason"], "id "+row["contact_id"]+" in the list, ") || row["email"] != "" || row["phone"] != "" {
					t.Errorf("%s, row %d: %q, email %q, phone %q", name, i+1, row["enrich_reason"], row["email"], row["phone"])
				}
			}
		}
		return right, others
	}
	found := run(exitDone, "found", "contacts=500,email_count=500,phone_count=500")
	if right, others := checkOwn("by id", found); right != len(found) || right < 20 || others > 0 {
		t.Errorf("%d of %d employees got their own contacts, %d those of others", right, len(found), others)
	}
	again := run(exitDone, "again", "contacts=1,email_count=1,phone_count=1")
	if right, _ := checkOwn("again", again); right != len(found) {
		t.Errorf("%d of %d employees have their contacts in a second run, which paid for nothing", right, len(found))
	}
	// Which fields are asked for does not change by what a person is known, so nothing is bought again.
	for _, field := range []string{"email", "phone"} {
		rows := run(exitDone, "only-"+field, "contacts=1,email_count=1,phone_count=1", "--from", "v2", "--fields", field)
		for i, row := range rows {
			if row[field] != found[i][field] {
				t.Errorf("row %d has the %s %q, and %q with all fields", i+1, field, row[field], found[i][field])
			}
		}
	}
	// The operation cannot leave a value out. So an id is not asked about where one may not be used.
	for i, row := range run(exitCeiling, "none", "contacts=500,email_count=0,phone_count=500", "--workspace", "none") {
		if row["enrich_status"] != "not_attempted" || !strings.Contains(row["enrich_reason"], "email_count") {
			t.Errorf("row %d without emails is %s: %s", i+1, row["enrich_status"], row["enrich_reason"])
		}
	}
	named := run(exitDone, "named", "contacts=500,email_count=500,phone_count=500", "--prefer", "name", "--fallback=false")
	if _, others := checkOwn("by name", named); others == 0 {
		t.Error("no row got the contact of a namesake, so the test proves nothing")
	}
	fallen := run(exitDone, "fallen", "contacts=1,email_count=1,phone_count=1", "--prefer", "name")
	if right, others := checkOwn("by name, then by id", fallen); right != len(found) || others > 0 {
		t.Errorf("%d of %d employees got their own contacts, %d those of others", right, len(found), others)
	}
	batch(exitDone, "journal", "check")
}
