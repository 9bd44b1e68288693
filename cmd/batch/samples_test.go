package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/pipeline/columns"
	"payonce/pipeline/report"
)

// refusedSamples are the sample lists that leave something for a person to decide.
var refusedSamples = []string{
	"duplicate-headers.csv", "two-doubts.csv", "mailchimp.csv", "excel-two-sheets.xlsx",
	"no-header.csv", "no-header-emails.csv", "no-header-profiles.txt", "two-row-header.csv", "excel-two-row-header.xlsx",
	"datev.csv",
}

// readSamples are sample lists of which a golden file has the first rows as they are looked up: lists of events,
// reports with totals and notes, workbooks, and lists in other languages.
var readSamples = []string{
	"czech.csv", "directories-bars.txt", "dynamics.csv", "event-attendees.csv", "event-orders.csv", "event-speakers.csv",
	"event-teilnehmer.csv", "french-switchboard.csv",
	"excel-helpers.csv", "excel-notes.xlsx", "excel-sep.csv", "french-utf16.txt", "german-totals.csv", "groups.csv",
	"mixed-contacts.csv", "norwegian.csv", "polish.csv", "printed-pages.csv", "quoted-lines.csv", "salesforce-report.csv",
	"swedish.csv",
}

// runSample runs the program in the directory of the sample lists.
func runSample(t *testing.T, command string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	process := exec.Command(*programPath, append([]string{command}, args...)...)
	return endOf(t, process)
}

// endOf runs a process among the sample lists until its end.
func endOf(t *testing.T, process *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	return endIn(t, filepath.Join(demoDir(t), "lists"), process)
}

// copied returns a directory with a copy of a sample list.
func copied(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(demoDir(t), "lists", name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// endIn runs a process in a directory until its end.
func endIn(t *testing.T, dir string, process *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, errors bytes.Buffer
	process.Dir = dir
	process.Env = append(os.Environ(), "BATCH_STATE="+t.TempDir(), "SERVICE_BASE_URL=", "SERVICE_API_KEY=")
	process.Stdout, process.Stderr = &out, &errors
	if err := process.Run(); err != nil && process.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errors.String(), process.ProcessState.ExitCode()
}

// TestSampleListsArePlanned plans lists in the shape of exports without flags. What is refused shows a command
// that works when it is pasted.
func TestSampleListsArePlanned(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(filepath.Join(demoDir(t), "lists"))
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	for _, file := range files {
		if strings.HasSuffix(file.Name(), ".plan.txt") || strings.HasSuffix(file.Name(), ".golden") {
			continue
		}
		samples++
		t.Run(file.Name(), func(t *testing.T) {
			t.Parallel()
			_, stderr, code := runSample(t, "plan", file.Name(), "--sandbox", "--offline", "--fields", "email,phone")
			refused := slices.Contains(refusedSamples, file.Name())
			if refused != (code == exitUsage) || !refused && code != exitDone {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			if !refused {
				checkRequests(t, file.Name())
				return
			}
			_, after, found := strings.Cut(stderr, "\nFor example: ")
			if !found {
				t.Fatalf("no command is shown:\n%s", stderr)
			}
			if _, stderr, code := endIn(t, copied(t, file.Name()), exec.Command("sh", "-c", after)); code != exitDone {
				t.Errorf("%s ends with %d\n%s", after, code, stderr)
			}
		})
	}
	if samples < 30 {
		t.Errorf("%d samples", samples)
	}
}

// checkRequests looks at the rows of a list as they would be requested. No company has the domain of a network,
// a directory or a mail provider, and no profile is that of a company.
func checkRequests(t *testing.T, name string) {
	t.Helper()
	stdout, stderr, code := runSample(t, "map", name, "--json", "--fields", "email,phone")
	var shown report.Mapping
	if err := json.Unmarshal([]byte(stdout), &shown); err != nil || code != exitDone {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	asked := 0
	for _, row := range shown.Rows {
		if row.Identity == nil {
			continue
		}
		asked++
		if domain := row.Identity.CompanyDomain; domain != "" && enrich.SharedHostOf([]byte(domain)) != enrich.NotSharedHost {
			t.Errorf("row %d sends the domain %s", row.Row, domain)
		}
		if profile := []byte(row.Identity.ProfileURL); len(profile) > 0 && columns.KindOf(profile) != columns.PersonPage {
			t.Errorf("row %d sends the profile %s", row.Row, profile)
		}
	}
	if asked == 0 {
		t.Error("nothing would be looked up")
	}
}

// TestRowsOfSampleListsAreReadAsGoldenFilesShow shows who the rows of samples are about: of persons, and of registers
// and directories of companies. Nothing of a directory names a company.
func TestRowsOfSampleListsAreReadAsGoldenFilesShow(t *testing.T) {
	t.Parallel()
	companies, err := filepath.Glob(filepath.Join(demoDir(t), "companies", "[dr]*.csv"))
	if err != nil || len(companies) < 10 {
		t.Fatalf("%d lists, %v", len(companies), err)
	}
	for i := range companies {
		companies[i] = filepath.Join("..", "companies", filepath.Base(companies[i]))
	}
	for kind, fields := range map[string]string{"lists": "email,phone", "companies": "company"} {
		names := map[string][]string{"lists": readSamples, "companies": companies}[kind]
		var text strings.Builder
		for _, name := range names {
			stdout, stderr, code := runSample(t, "map", name, "--json", "--fields", fields)
			var shown report.Mapping
			if err := json.Unmarshal([]byte(stdout), &shown); err != nil || code != exitDone {
				t.Fatalf("%s: exit code %d, %v\n%s", name, code, err, stderr)
			}
			text.WriteString(filepath.Base(name) + "\n")
			for _, row := range shown.Rows {
				text.WriteString(strings.TrimRight(fmt.Sprintf("  %d %s; %s", row.Row, row.Text(), row.Note), "; ") + "\n")
			}
		}
		golden(t, filepath.Join(kind, "rows.golden"), []byte(text.String()))
	}
}

// TestPresetsHaveGoldenPlans plans a sample of every preset, which its headers tell.
func TestPresetsHaveGoldenPlans(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	mask := func(text string) []byte { return masker(dir, dir)([]byte(text)) }
	for _, name := range columns.PresetNames() {
		stdout, stderr, code := runSample(t, "plan", name+".csv", "--sandbox", "--offline", "--fields", "email,phone", "--name", name)
		if code != exitDone || !strings.Contains(stdout, "\npreset                    "+name+"\n") {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		golden(t, filepath.Join("lists", name+".plan.txt"), mask(stdout))
		named, _, _ := runSample(t, "plan", name+".csv", "--sandbox", "--offline", "--fields", "email,phone", "--name", name, "--preset", name)
		if !bytes.Equal(mask(named), mask(stdout)) {
			t.Errorf("--preset %s plans otherwise than what the headers tell:\n%s", name, named)
		}
	}
}

// TestListsOfObjectsHaveGoldenPlans plans samples of JSON.
func TestListsOfObjectsHaveGoldenPlans(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	for _, name := range []string{"nested.ndjson", "array.json", "hubspot-api.jsonl.gz", "google-people.ndjson"} {
		stdout, stderr, code := runSample(t, "plan", name, "--sandbox", "--offline", "--fields", "email,phone", "--name", "sample")
		if code != exitDone {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		golden(t, filepath.Join("lists", name+".plan.txt"), masker(dir, dir)([]byte(stdout)))
	}
}

// TestPresetThatDoesNotFitIsRefused names a preset of another program.
func TestPresetThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	_, stderr, code := runSample(t, "plan", "german-excel.csv", "--sandbox", "--offline", "--preset", "pipedrive")
	if code != exitUsage || !strings.Contains(stderr, "the preset pipedrive: the list has none of its columns") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
