package main

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"payonce/checkpoint/badgerstore"
	"payonce/pipeline/report"
)

// household is a state directory in which every kind of person is known.
type household struct {
	t      *testing.T
	dir    string
	vars   map[string]string
	key    []byte
	people [][]string // of a search: profile URL, first and last name
	owner  string     // the name of a shareholder
}

const (
	asked    = "Zyxanna Quorlley" // by name and company, with the first interface
	filtered = "Quincuncia Vexley"
)

func newHousehold(t *testing.T, key string) *household {
	t.Helper()
	h := &household{t: t, dir: t.TempDir(), vars: map[string]string{}}
	if key != "" {
		h.vars["BATCH_JOURNAL_KEY"] = key
		h.key, _ = hex.DecodeString(key)
	}
	h.write("asked.csv", "first_name,last_name,company\nZyxanna,Quorlley,Acme\nZyxanna,Quorlley,Beta\nBob,Ray,Gamma\n")
	h.batch("run", h.path("asked.csv"), "--name", "asked", "--fields", "email,phone", "--max-spend", "3", "--rate", "1000/1s", "--yes", "-o", h.path("asked-out.csv"))
	h.write("companies.csv", "company_id\n47\n")
	h.batch("run", h.path("companies.csv"), "--name", "owners", "--fields", "company,insights,ownership", "--max-units", "companies=9", "--max-units", "ownership=9",
		"--max-units", "digital_insights=9", "--tables", h.path("tables"), "--tables-format", "csv", "--yes", "-o", h.path("companies-out.csv"))
	h.batch("search", "people", "--seniority", "vp", "--max", "30", "--max-units", "contacts=9", "--yes", "-o", h.path("people.csv"))
	h.batch("search", "employees", h.path("companies.csv"), "--where", "full_name="+filtered, "--max-units", "contacts=9", "--yes", "-o", h.path("employees.csv"))
	rows := h.rows("people.csv")
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, row := range rows[1:] {
		h.people = append(h.people, []string{row[column("profile_url")], row[column("first_name")], row[column("last_name")]})
	}
	h.write("profiles.csv", "profile_url\n"+h.people[0][0]+"\n")
	h.batch("run", h.path("profiles.csv"), "--name", "profiles", "--fields", "contact", "--max-units", "contacts=99",
		"--max-units", "email_count=9", "--max-units", "phone_count=9", "--yes", "-o", h.path("profiles-out.csv"))
	h.owner = h.rows("tables/shareholders.csv")[1][2]
	h.makeLedgerOlder()
	lists := filepath.Join(h.journal(), "lists", "paused")
	if err := os.MkdirAll(lists, 0o700); err != nil {
		t.Fatal(err)
	}
	h.write("state/sandbox/default/lists/paused/2026-11-20-0100.csv", "company,surname,given\nAcme,Quorlley,Zyxanna\n")
	h.write("state/sandbox/default/lists/paused/2026-11-21-0100.csv", "company,surname,given\nAcme,Ray,Bob\n")
	return h
}

// makeLedgerOlder writes an identity into the ledger of the embedded service, as earlier versions did.
func (h *household) makeLedgerOlder() {
	h.t.Helper()
	path := filepath.Join(h.journal(), "sandbox.jsonl")
	ledger, err := os.ReadFile(path)
	if err != nil || bytes.Contains(ledger, []byte("zyxanna")) {
		h.t.Fatalf("the ledger names somebody, or error %v", err)
	}
	concealed := regexp.MustCompile(`"identity":"name\\u001f#[0-9a-f]+"`)
	if at := concealed.FindIndex(ledger); at == nil {
		h.t.Fatalf("the ledger has no identity: %s", ledger)
	} else {
		ledger = slices.Concat(ledger[:at[0]], []byte(`"identity":"name\u001fzyxanna\u001fquorlley\u001fcompany\u001facme"`), ledger[at[1]:])
	}
	if err := os.WriteFile(path, ledger, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *household) path(name string) string { return filepath.Join(h.dir, name) }
func (h *household) journal() string         { return h.path("state/sandbox/default") }

func (h *household) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(h.path(name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *household) rows(name string) [][]string {
	h.t.Helper()
	data, err := os.ReadFile(h.path(name))
	if err != nil {
		h.t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) < 2 {
		h.t.Fatalf("%s has %d rows, error %v", name, len(rows), err)
	}
	return rows
}

// batch runs a command with the journal of the embedded service.
func (h *household) batch(args ...string) string {
	h.t.Helper()
	if !slices.Contains(args, "--sandbox") {
		args = append(args, "--sandbox", "--state", h.path("state"))
	}
	stdout, stderr, code := executeIn(h.t.Context(), quietEnvironment(h.vars), args...)
	if code != exitDone && code != exitCeiling {
		h.t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout
}

// forget forgets somebody and returns the report.
func (h *household) forget(args ...string) (erased report.Erasure) {
	h.t.Helper()
	text := h.batch(append([]string{"forget", "--json", "--yes"}, args...)...)
	if err := json.Unmarshal([]byte(text), &erased); err != nil {
		h.t.Fatal(err)
	}
	return erased
}

// contents is everything under the state directory: the bytes of every file, every version of every record of the
// store, decrypted and decompressed, and the answers as they are read.
func (h *household) contents() string {
	h.t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(h.path("state"), func(path string, entry fs.DirEntry, err error) error {
		all.WriteString(path + "\n")
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	records := 0
	err = badgerstore.EachVersion(h.journal(), h.key, func(key, value []byte) {
		all.Write(key)
		all.Write(value)
		records++
	})
	if err != nil || records < 20 {
		h.t.Fatalf("%d records, error %v", records, err)
	}
	all.WriteString(h.batch("journal", "dump", "--values"))
	return strings.ToLower(all.String())
}

// count returns how often texts occur in the state directory.
func (h *household) count(texts ...string) (count int) {
	h.t.Helper()
	contents := h.contents()
	for _, text := range texts {
		count += strings.Count(contents, strings.ToLower(text))
	}
	return count
}

// wantGone fails unless none of the texts occurs anywhere.
func (h *household) wantGone(texts ...string) {
	h.t.Helper()
	contents := h.contents()
	for _, text := range texts {
		text = strings.ToLower(text)
		if at := strings.Index(contents, text); at >= 0 {
			h.t.Errorf("%q is in %q", text, contents[max(0, at-200):min(len(contents), at+200)])
		}
	}
}

// alone returns a person of the search whose name nobody else has, from a place on.
func (h *household) alone(from int) []string {
	h.t.Helper()
	for _, person := range h.people[from:] {
		name := person[1] + " " + person[2]
		same := func(other []string) bool { return other[1]+" "+other[2] == name }
		others := slices.DeleteFunc(slices.Clone(h.people), func(other []string) bool { return !same(other) })
		if len(others) == 1 && name != h.owner {
			return person
		}
	}
	h.t.Fatal("all have namesakes")
	return nil
}

// TestForgetLeavesNoForgottenNameInTheStateDirectory forgets persons of every kind, one after the other.
func TestForgetLeavesNoForgottenNameInTheStateDirectory(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"plain": "", "encrypted": strings.Repeat("0b", 32)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHousehold(t, key)
			before := h.totals()

			if names := strings.Count(h.contents(), "quorlley"); names < 3 {
				t.Fatalf("the name is there %d times before", names)
			}
			byName := []string{"--first-name", "Zyxanna", "--last-name", "Quorlley", "--company-name"}
			erased := h.forget(append(byName, "ACME")...)
			if erased.Answers != 1 || len(erased.Namesakes) != 1 || erased.Namesakes[0].Identity != asked+", Beta" || erased.Namesakes[0].Run != "asked" {
				t.Errorf("the person at one of two companies: %+v", erased)
			}
			if len(erased.Lists) != 1 || !strings.HasSuffix(erased.Lists[0], "2026-11-20-0100.csv") || !slices.Equal(erased.Outputs, []string{h.path("asked-out.csv")}) {
				t.Errorf("the lists of jobs %q, the outputs %q", erased.Lists, erased.Outputs)
			}
			if h.count("quorlley") == 0 || h.count("acme\n") > 0 {
				t.Error("the namesake is gone, or the list of a job is not")
			}
			if erased = h.forget("--name", "Quorlley, zyxanna"); len(erased.Namesakes) != 1 || erased.Persons > 0 {
				t.Errorf("a name forgets %+v", erased)
			}
			h.forget("--name", asked, "--also", erased.Namesakes[0].Record)
			h.wantGone("zyxanna", "quorlley")

			contact := h.people[0]
			person := h.alone(1)
			for _, p := range [][]string{person, contact} {
				slug := strings.TrimPrefix(p[0], "https://")
				if h.count(slug) == 0 || h.count(p[1]+" "+p[2]) == 0 {
					t.Fatalf("%q is not there before", p)
				}
				erased := h.forget("--profile-url", p[0])
				if want := map[bool]int{true: 1, false: 0}[p[0] == contact[0]]; erased.Mentions != 1 || erased.Answers != want {
					t.Errorf("%q: %+v", p, erased)
				}
				h.wantGone(slug)
			}
			h.wantGone(person[1] + " " + person[2])
			h.forget("--name", contact[1]+" "+contact[2], "--all-namesakes")
			h.wantGone(contact[1] + " " + contact[2])

			if h.count(filtered) == 0 {
				t.Fatal("the filter is not there before")
			}
			if erased = h.forget("--name", filtered, "--all-namesakes"); erased.Attempts != 1 {
				t.Errorf("a search for the person: %+v", erased)
			}
			h.wantGone(filtered, "vexley", "quincuncia")

			if h.count(h.owner) == 0 {
				t.Fatal("the shareholder is not there before")
			}
			found := h.forget("--name", h.owner)
			var chosen []string
			for _, held := range found.Namesakes {
				chosen = append(chosen, "--also", held.Record)
			}
			if len(found.Namesakes) == 0 || !strings.HasPrefix(found.Namesakes[0].Mention, "shareholders[") || found.Namesakes[0].Identity != "company 47" {
				t.Errorf("the namesakes are %+v", found.Namesakes)
			}
			if erased = h.forget(append(chosen, "--name", h.owner)...); erased.Mentions != len(found.Namesakes) {
				t.Errorf("the shareholder: %+v", erased)
			}
			h.wantGone(h.owner)

			if again := h.forget(append(chosen, "--name", h.owner)...); again.Mentions+again.Attempts > 0 || len(again.NotFound) != len(found.Namesakes) {
				t.Errorf("the same again: %+v", again)
			}
			if after := h.totals(); !maps.Equal(after, before) {
				t.Errorf("the money record was %v and is %v", before, after)
			}
			h.wantRestOfAnswers()
		})
	}
}

// TestAForgetThatIsKilledIsFinishedByTheNext kills the command when its erasure begins, and when the files are written
// again. The same command, whose chosen records may be gone by then, finishes it.
func TestAForgetThatIsKilledIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	h := newHousehold(t, "")
	killed := 0
	for n, file := range []string{"ERASING", "store.new"} {
		name := []string{asked, h.owner}[n]
		args := []string{"forget", "--name", name, "--yes", "--sandbox", "--state", h.path("state")}
		for _, held := range h.forget("--name", name).Namesakes {
			args = append(args, "--also", held.Record)
		}
		command := exec.Command("batch", args...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		for waiting := true; waiting; {
			_, err := os.Stat(filepath.Join(h.journal(), file))
			select {
			case <-ended:
				waiting = false
			default:
				if err == nil {
					killed++
					_ = command.Process.Kill()
					<-ended
					waiting = false
				}
			}
		}
		h.batch(args...)
		h.wantGone(name)
	}
	t.Logf("%d of 2 were killed", killed)
	h.totals()
}

// totals returns the money record of the journal.
func (h *household) totals() map[string]string {
	h.t.Helper()
	var check struct {
		Problems int
		Totals   map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(h.batch("journal", "check", "--json")), &check); err != nil || check.Problems > 0 {
		h.t.Fatalf("%+v, error %v", check, err)
	}
	totals := map[string]string{}
	for name, value := range check.Totals {
		totals[name] = string(value)
	}
	return totals
}

// wantRestOfAnswers writes the companies again, with what their answers still have, and asks nothing.
func (h *household) wantRestOfAnswers() {
	h.t.Helper()
	h.batch("write", "owners", "-o", h.path("again.csv"), "--tables", h.path("tables-again"), "--tables-format", "csv")
	was, is := h.rows("companies-out.csv"), h.rows("again.csv")
	for i, cell := range was[1] {
		isOfOwner := was[0][i] == "ownership" || strings.HasPrefix(was[0][i], "ownership_shareholder_")
		if !isOfOwner && is[1][i] != cell || is[1][i] == h.owner {
			h.t.Errorf("the column %s was %q and is %q", was[0][i], cell, is[1][i])
		}
	}
	for _, table := range []string{"group_structure.csv", "insights.csv", "visits.csv", "technologies.csv"} {
		before, err := os.ReadFile(h.path("tables/" + table))
		if err != nil {
			continue // there are no such rows
		}
		after, err := os.ReadFile(h.path("tables-again/" + table))
		if err != nil || !bytes.Equal(before, after) {
			h.t.Errorf("%s was\n%s\nand is\n%s, error %v", table, before, after, err)
		}
	}
	after, err := os.ReadFile(h.path("tables-again/shareholders.csv"))
	if err == nil && strings.Contains(string(after), h.owner) {
		h.t.Errorf("the shareholders are\n%s", after)
	}
	again := h.batch("run", h.path("companies.csv"), "--name", "owners", "--fields", "company,insights,ownership", "--max-units", "companies=9",
		"--max-units", "ownership=9", "--max-units", "digital_insights=9", "--yes", "--json", "-o", h.path("companies-out.csv"))
	if !strings.Contains(again, `"posts": 0,`) {
		h.t.Errorf("something is asked again: %s", again)
	}
}
