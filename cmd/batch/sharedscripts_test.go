package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/iotest"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v1"
)

var sharedScripts = flag.String("shared.scripts", "", "which scripts run on a shared journal: names with commas between them, or all")

// sharedScriptNames are the scripts that run on a shared journal: at least one with each command.
var sharedScriptNames = []string{
	"budget", "crm", "crm-doubt", "crm-exports", "crm-push", "figures-erased", "forget", "journal", "journal-prune",
	"keys", "ledger", "outputs", "people", "plan-file-steps", "profile", "reconcile", "report", "reveals", "searches", "unchanged",
	"watch-callback", "watch-companies",
}

// TestScriptsOnASharedJournal runs scripts again, with a journal in a database in place of a directory. So the commands
// say and do the same on both. The service is a separate one, because the embedded one has a journal of its own.
func TestScriptsOnASharedJournal(t *testing.T) {
	skipIfShort(t)
	names := sharedScriptNames
	switch *sharedScripts {
	case "":
	case "all":
		names = scriptNames(t)
	default:
		names = strings.Split(*sharedScripts, ",")
	}
	server := iotest.StartPostgres(t, "fsync=on")
	dir := t.TempDir()
	databases := 0
	newDatabase := func() string {
		databases++
		name := fmt.Sprint("script", databases)
		server.Exec("CREATE DATABASE " + name)
		return strings.Replace(server.URL(), "/postgres?", "/"+name+"?", 1)
	}
	var files []string
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", "script", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Join(dir, name+".txtar"))
		if err := os.WriteFile(files[len(files)-1], []byte(onDatabases(string(text), newDatabase)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runScripts(t, v1.REST, files...)
}

func scriptNames(t *testing.T) (names []string) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".txtar"))
	}
	return names
}

// onDatabases returns a script in which a database has the journal, and a separate service takes the place of the
// embedded one. A journal has one address of a service, so each service gets a database of its own.
func onDatabases(script string, newDatabase func() string) string {
	commands, files, _ := strings.Cut("\n"+script, "\n-- ")
	var lines []string
	add := func(line string) { lines = append(lines, line) }
	keyed := false
	journal := func() {
		add("env BATCH_JOURNAL=" + newDatabase())
		keyed = !keyed
		add("env BATCH_JOURNAL_KEY=" + strings.Repeat("5a", map[bool]int{true: 32}[keyed])) // each second one is encrypted
	}
	journal()
	if first, _, found := strings.Cut(commands, " --sandbox"); found && !strings.Contains(first, "\nserv") {
		add("service")
		add("env SERVICE_V2_BASE_URL=$SERVICE_ORIGIN/v2")
		add("env SERVICE_V2_API_KEY=" + sandboxv2.DefaultKey)
	}
	held := false
	for line := range strings.SplitSeq(commands, "\n") {
		word, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(line, "exec cp -r state ") || strings.HasPrefix(line, "# The embedded CRM") {
			break // what follows damages files of a journal in a directory, or is about the embedded service
		}
		if held = word == "hold" || held && word != "release"; held || word == "release" {
			continue // nobody owns a shared journal
		}
		if word == "service" || word == "serve" || strings.HasPrefix(line, "env BATCH_STATE=") {
			journal()
		}
		line = embeddedLedger.ReplaceAllString(strings.ReplaceAll(line, " --sandbox", ""), "")
		if !strings.Contains(line, "state/sandbox") { // files of a journal in a directory
			add(strings.ReplaceAll(line, `127\.0\.0\.1-`, "shared-"))
		}
	}
	commands = strings.Join(lines, "\n")
	if files == "" {
		return commands
	}
	return commands + "\n-- " + files
}

// TestCommandsSayTheSameOnBothJournals calls commands one after the other, with a journal in a directory and with one in a
// database. Each has a service of its own, with the same seed.
func TestCommandsSayTheSameOnBothJournals(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	inDirectory, onDatabase := newProgram(t, 6, startService(t, 5).listen(t)), newProgram(t, 6, startService(t, 5).listen(t))
	onDatabase.environ = []string{"BATCH_JOURNAL=" + server.URL()}
	for _, c := range []struct {
		command string
		exit    int
	}{
		{"doctor", exitDone},
		{"run LIST -o OUT --name trial --fields email,phone --max-spend 5 --yes --rate 1000/1s --concurrency 1", exitDone},
		{"account", exitDone},
		{"doctor", exitDone},
		{"doctor --max-units companies=2 --exclusive --settle-delay 10ms", exitDone},
		{"conformance --list LIST --limit 2 --max-spend 2 --max-units companies=2,contacts=2 --rate 1000/1s", exitRefused},
		{"report trial", exitDone},
		{"report --month 2026-01", exitDone},
		{"status", exitDone},
		{"runs", exitDone},
		{"show trial", exitDone},
		{"budget", exitDone},
		{"ledger", exitDone},
		{"journal check", exitDone},
		{"journal dump", exitDone},
		{"journal unpause", exitDone},
		{"journal prune --keep-answers 180d", exitDone},
		{"write trial -o OUT", exitDone},
	} {
		var said []string
		for _, p := range []*program{inDirectory, onDatabase} {
			p.v2Key = sandboxv2.DefaultKey
			args := strings.NewReplacer("LIST", p.list(), "OUT", p.output()).Replace(c.command)
			p.args = append(strings.Fields(args), "--json", "--state", p.state(), "--base-url-v2", strings.TrimSuffix(p.baseURL, "/api/v1")+"/v2")
			run := p.runToEnd(c.exit)
			text := strings.NewReplacer(p.dir, "DIR", strings.TrimSuffix(p.baseURL, "/api/v1"), "ADDRESS").Replace(run.stdout.String())
			lines := strings.Split(varies.ReplaceAllString(text, "*"), "\n")
			if c.command == "journal dump" {
				slices.Sort(lines) // the order of the keys is random
			}
			said = append(said, strings.Join(lines, "\n"))
		}
		if diff := cmp.Diff(said[0], said[1]); diff != "" {
			t.Errorf("batch %s (-directory +database):\n%s", c.command, diff)
		}
	}
}

// varies matches what two starts of a command say differently: times, directories, and random names.
var varies = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d[0-9:.]*|127\.0\.0\.1-[0-9a-f]{8}|shared-[0-9a-f]{8}|"[0-9a-f]{32,64}"|"[A-Za-z0-9+/]{22}=="|"process": \d+|("median"|"percentile_95"): [0-9.]+`)

// embeddedLedger matches the file of the embedded service in which it counts.
var embeddedLedger = regexp.MustCompile(` state/sandbox/\S*sandbox.jsonl`)
