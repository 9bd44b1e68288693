package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/io/iotest"
)

// doubtfulList has two columns of companies, one of pages in a network, and characters of double width.
const doubtfulList = "First Name,Last Name,companyUrl,Company,Company,Email,E-mail 2 Address,Mobile,Notes that are longer than any screen has room for\n" +
	"Ann,Lee,https://www.linkedin.com/company/acme,山田株式会社山田株式会社山田株式会社,Acme Holding,,ann@acme.example,+49 170 1234567,\n" +
	"Bob,Ray,https://www.linkedin.com/company/acme,Acme,Acme Holding,,,,A note that is longer than any screen has room for\n"

// atTerminal starts this program in a directory, at a terminal.
func atTerminal(t *testing.T, dir string, columns int, args ...string) *iotest.Terminal {
	t.Helper()
	return iotest.StartTerminal(t, dir, columns, []string{"SERVICE_BASE_URL=", "SERVICE_API_KEY="}, *programPath, args...)
}

// listInDir writes the doubtful list to a directory of its own.
func listInDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "list.csv"), []byte(doubtfulList), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const down, enter = "\x1b[B", "\r"

// TestMapScreensMatchTheirGoldenFiles shows every screen of batch map in terminals of 80 and 120 columns.
func TestMapScreensMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for _, width := range []struct {
		columns int
		name    string
	}{{80, "80"}, {120, "120"}} {
		t.Run(width.name, func(t *testing.T) {
			t.Parallel()
			dir := listInDir(t)
			at := atTerminal(t, dir, width.columns, "map", "list.csv")
			shown := at.Shows("q leave without saving")
			at.Press(strings.Repeat(down, 4))
			at.Shows("#5: ")
			at.Press(enter)
			shown += "----\n" + at.Shows("What is column #5")
			at.Press(strings.Repeat("k", 20) + strings.Repeat("j", 5) + enter) // company_name
			shown += "----\n" + at.Shows("#5: you said so")
			at.Press("\t")
			shown += "----\n" + at.Shows("press any key to go back")
			at.Press("x")
			at.Shows("s save")
			at.Press("s")
			at.End(exitDone)
			golden(t, "map."+width.name+".txt", []byte(shown))
			saved, err := os.ReadFile(filepath.Join(dir, "list.csv.map.yaml"))
			if err != nil || !strings.Contains(string(saved), "company_name: ['#5']\n") {
				t.Errorf("%v\n%s", err, saved)
			}
		})
	}
}

// TestMapSavesTheMappingOnlyWhenAsked leaves the screen in every way but by saving.
func TestMapSavesTheMappingOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "\x1b", "\x03"} {
		dir := listInDir(t)
		at := atTerminal(t, dir, 80, "map", "list.csv")
		at.Shows("q leave without saving")
		at.Press(key)
		at.End(exitDone)
		if _, err := os.Stat(filepath.Join(dir, "list.csv.map.yaml")); err == nil {
			t.Errorf("%q saved the mapping", key)
		}
	}
}

// TestMapAsksSimpleQuestions answers the questions of --plain.
func TestMapAsksSimpleQuestions(t *testing.T) {
	t.Parallel()
	dir := listInDir(t)
	at := atTerminal(t, dir, 80, "map", "list.csv", "--plain")
	at.Shows("\nprofile_url []:")
	for _, role := range []string{"first_name", "last_name", "company_domain", "company_name"} {
		at.Press(enter)
		at.Shows("\n" + role + " [")
	}
	at.Shows("company_name [#4 Company]:")
	at.Press("Company" + enter)
	at.Shows("are all called \"Company\"")
	at.Press("#5" + enter)
	at.Shows("email [#6 Email]:")
	at.Press("-")
	for _, role := range []string{"phone", "full_name", "held_email", "held_phone", "contact_id", "record_id", "record_modified", "Save"} {
		at.Press(enter)
		at.Shows("\n" + role + " ")
	}
	at.Shows("Save this in list.csv.map.yaml? [Y/n]")
	at.Press(enter)
	at.Shows("Saved in list.csv.map.yaml")
	at.End(exitDone)
	saved, err := os.ReadFile(filepath.Join(dir, "list.csv.map.yaml"))
	if err != nil || !strings.Contains(string(saved), "company_name: ['#5']\n    email: []\n") {
		t.Errorf("%v\n%s", err, saved)
	}
}

// TestPlanOffersToChooseDoubtfulColumns plans a list whose columns somebody chooses first.
func TestPlanOffersToChooseDoubtfulColumns(t *testing.T) {
	t.Parallel()
	dir := listInDir(t)
	at := atTerminal(t, dir, 80, "plan", "list.csv", "--offline", "--sandbox", "--state", dir)
	at.Shows("Choose the columns now? [y/N]")
	at.Press("y" + enter)
	at.Shows("q leave without saving")
	at.Press(strings.Repeat(down, 4) + enter)
	at.Shows("What is column #5")
	at.Press(strings.Repeat("j", 5) + enter)
	at.Shows("#5: you said so")
	at.Press("s")
	at.Shows("\nmaximum spend ")
	at.End(exitDone)
}

// TestPlanEndsWithUsageWhenColumnsAreNotChosen answers no.
func TestPlanEndsWithUsageWhenColumnsAreNotChosen(t *testing.T) {
	t.Parallel()
	dir := listInDir(t)
	at := atTerminal(t, dir, 80, "plan", "list.csv", "--offline", "--sandbox", "--state", dir)
	at.Shows("Choose the columns now? [y/N]")
	at.Press("n" + enter)
	at.Shows("For example: batch plan")
	at.End(exitUsage)
}
