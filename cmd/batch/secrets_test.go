package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/checkpoint/badgerstore"
	"payonce/io/sandbox/world"
)

// optionSecret is what no file of the state directory may have.
const optionSecret = "s3cretW0rd"

// secretValues are values of options that hold the secret.
func secretValues() []string {
	return []string{
		"https://user:" + optionSecret + "@api.example/v2", "https://hooks.example/in?key=" + optionSecret, "postgres://batch:" + optionSecret + "@db.example/lists",
		"host=db.example user=batch password=" + optionSecret, "Authorization: Bearer " + optionSecret, "a=https://user:" + optionSecret + "@api.example",
	}
}

// commandsOf returns a command and all below it.
func commandsOf(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, child := range cmd.Commands() {
		all = append(all, commandsOf(child)...)
	}
	return all
}

// TestEveryFlagIsRecordedWithoutASecret gives every flag of every command every kind of secret. Only the flags that are
// named here record any word that they are given: each names a thing of the user.
func TestEveryFlagIsRecordedWithoutASecret(t *testing.T) {
	t.Parallel()
	recordsWords := map[string]bool{}
	flags := 0
	for _, cmd := range commandsOf(newRootCommand(quietEnvironment(nil))) {
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			flags++
			alone := pflag.NewFlagSet("", pflag.ContinueOnError)
			alone.AddFlag(flag)
			for _, value := range append([]string{optionSecret}, secretValues()...) {
				if alone.Set(flag.Name, value) != nil {
					continue // its values have a form that holds no secret
				}
				if !strings.Contains(startCommandLine("batch run", nil, alone), optionSecret) {
					continue
				}
				if value == optionSecret {
					recordsWords[flag.Name] = true
					continue
				}
				t.Errorf("%s --%s=%s is recorded", cmd.CommandPath(), flag.Name, value)
			}
		})
	}
	if flags < 300 {
		t.Errorf("only %d flags were tried", flags)
	}
	named := map[string]bool{}
	for _, name := range []string{
		"candidates", "config", "encoding", "export", "from", "job", "list", "map", "map-file", "name", "new-values", "output", "plan", "priority",
		"rate-card", "rate-option", "rejects", "selected", "sheet", "state", "tables", "tables-format", "temp", "vendor", "workspace",
	} {
		named[name] = true
	}
	if diff := cmp.Diff(named, recordsWords); diff != "" {
		t.Errorf("flags that record any word (-want +got):\n%s", diff)
	}
}

// TestNoSecretOfAnOptionReachesTheStateDirectory runs every command with a secret in each of its flags and in its
// argument, and a job whose list and alerts have secrets. It looks for the secret in every file below the state
// directory and in the dump of the journal.
func TestNoSecretOfAnOptionReachesTheStateDirectory(t *testing.T) {
	skipIfShort(t) // it starts every command once for each of its flags
	dir := t.TempDir()
	t.Chdir(dir) // files and directories get names that hold the secret
	path := func(name string) string { return filepath.Join(dir, name) }
	state := path("state")
	env := quietEnvironment(map[string]string{
		"PGURL": "postgres://batch:" + optionSecret + "@127.0.0.1:1/lists", "HOOK": "http://127.0.0.1:1/" + optionSecret,
		"HOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "BATCH_STATE": state, "SERVICE_API_KEY": "key-" + optionSecret, "SERVICE_V2_API_KEY": "key2-" + optionSecret,
	})
	env.after = time.After // for commands that would serve
	var list bytes.Buffer
	if err := world.WriteListCSV(&list, world.DefaultList(3, 2)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("list.csv"), list.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	run := []string{"run", path("list.csv"), "-o", path("out.csv"), "--name", "first", "--max-spend", "5", "--yes", "--sandbox"}
	if _, stderr, code := executeIn(t.Context(), env, run...); code != 0 {
		t.Fatal(stderr)
	}
	begun := map[string][]string{ // what a command needs to begin
		"batch run":              run[1:],
		"batch plan":             {path("list.csv"), "--max-spend", "5", "--sandbox", "--out", filepath.Join(state, "plan.json")},
		"batch write":            {"first", "-o", path("again.csv"), "--sandbox"},
		"batch reconcile":        {"--sandbox"},
		"batch forget":           {"--sandbox", "--email", "nobody@a.example"},
		"batch conformance":      {"--sandbox", "--max-spend", "1"},
		"batch journal prune":    {"--sandbox", "--keep-answers", "90d"},
		"batch journal unpause":  {"--sandbox"},
		"batch search companies": {"-o", path("found.csv"), "--max-units", "companies=1", "--sandbox"},
	}
	ended, end := context.WithCancel(t.Context())
	end() // for commands that would serve
	for _, cmd := range commandsOf(newRootCommand(env)) {
		ctx, args := ended, []string{"--sandbox"}
		if needs, is := begun[cmd.CommandPath()]; is {
			ctx, args = t.Context(), needs
		}
		words := strings.Fields(cmd.CommandPath())[1:]
		if len(words) == 0 || words[0] == "completion" || words[0] == "help" {
			continue
		}
		var given [][]string
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			for _, value := range secretValues() {
				if flag.Value.Set(value) == nil {
					given = append(given, []string{"--" + flag.Name + "=" + value})
					break
				}
			}
		})
		for _, value := range secretValues() {
			given = append(given, []string{value})
		}
		for _, more := range given {
			executeIn(ctx, env, slices.Concat(words, args, more)...)
			if flag := more[0]; strings.HasPrefix(flag, "--base-url") || strings.HasPrefix(flag, "--mcp-url") {
				executeIn(ctx, env, slices.Concat(words, slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--sandbox" }), more)...)
			}
		}
	}
	if err := os.WriteFile("list.sh", []byte("echo password="+optionSecret+" >&2; cat list.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("jobs.yaml", []byte(`
defaults: {sandbox: true, max-spend: 5}
jobs:
  command: {list-command: sh list.sh, output: `+path("command.csv")+`}
  query: {list-query: "SELECT '`+optionSecret+`' AS email", list-connection: '${PGURL}', output: query.csv}
alerts:
  hook: {type: webhook, url: '${HOOK}', secret: '${HOOK_SECRET}', on: [success, failure]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for job, want := range map[string]int{"command": 0, "query": 2} {
		if _, stderr, code := executeIn(t.Context(), env, "jobs", "run", job, "--now"); code != want {
			t.Errorf("the job %s ended with %d: %s", job, code, stderr)
		}
	}
	var starts []byte
	var journals []string
	err := filepath.WalkDir(state, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && entry.Name() == "store" {
			journals = append(journals, filepath.Dir(path))
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.HasPrefix(entry.Name(), "STARTS") {
			starts = append(starts, text...)
		}
		if i := bytes.Index(text, []byte(optionSecret)); i >= 0 {
			t.Errorf("%s has the secret: %.300s", path, text[max(i-200, 0):])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(journals) == 0 {
		t.Error("there is no journal")
	}
	for _, dir := range journals { // its files are compressed
		records := 0
		err := badgerstore.EachVersion(dir, nil, func(key, value []byte) {
			records++
			if bytes.Contains(key, []byte(optionSecret)) || bytes.Contains(value, []byte(optionSecret)) {
				t.Errorf("the record %q of %s has the secret: %q", key, dir, value)
			}
		})
		if err != nil || records == 0 {
			t.Errorf("%s: %d records, error %v", dir, records, err)
		}
	}
	for _, command := range []string{
		"run", "write", "reconcile", "forget", "conformance", "journal prune", "journal unpause",
	} {
		if !bytes.Contains(starts, []byte(`"command":"batch `+command)) {
			t.Errorf("no start of %s is recorded", command)
		}
	}
	for _, words := range []string{" '[not recorded]' ", "--rejects=[not recorded]", path("command.csv")} {
		if !bytes.Contains(starts, []byte(words)) {
			t.Errorf("no start has %s", words)
		}
	}
	dump, stderr, code := executeIn(t.Context(), env, "journal", "dump", "--sandbox")
	if code != 0 || strings.Contains(dump, optionSecret) {
		t.Errorf("the dump ended with %d, and has the secret: %t\n%s", code, strings.Contains(dump, optionSecret), stderr)
	}
}
