package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"payonce/io/service/v1"
)

// update rewrites the golden files and the expected outputs inside the scripts.
var update = flag.Bool("update", false, "rewrite the golden files and the shipped demo list")

// raceOptions keep programs that are built with the race detector from waiting for
// a second before they end.
const raceOptions = "atexit_sleep_ms=10"

// longWait lets completions end on a busy machine.
const longWait = time.Minute

func runPatiently() {
	stop := startProfile(os.Getenv(profileVariable))
	code := runProgram(environment{now: time.Now, after: time.After, completionWait: longWait})
	stop()
	os.Exit(code)
}

// TestMain makes the test binary also the program: scripts and tests that start a
// process find it as "batch" on the PATH.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", raceOptions)
	testscript.Main(m, map[string]func(){"batch": runPatiently, "batch-night": runAtNight, "batch-campaign": runInCampaign})
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, v1.REST, unlessShort(files)...)
}

// unlessShort returns the scripts of whole runs alone for a run with -short: under the race
// detector the others, which compare what commands say, take minutes and tell nothing more.
func unlessShort(files []string) []string {
	if !testing.Short() {
		return files
	}
	return slices.DeleteFunc(files, func(file string) bool {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		return !slices.Contains([]string{"ceilings", "duplicates", "journal-held", "lost", "priority", "reconcile"}, name)
	})
}

// What is lost, refused and reconciled over REST is so over MCP.
func TestScriptsOverMCP(t *testing.T) {
	var files []string
	for _, name := range []string{"lost", "refusals", "reconcile", "profile"} {
		files = append(files, filepath.Join("testdata", "script", name+".txtar"))
	}
	runScripts(t, v1.MCP, unlessShort(files)...)
}

// runScripts runs scripts in which $TRANSPORT is the transport.
func runScripts(t *testing.T, transport v1.Transport, files ...string) {
	demo, err := filepath.Abs(filepath.Join("..", "..", "testdata", "demo.csv"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files:              files,
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "GORACE="+raceOptions, "DEMO="+demo, "TRANSPORT="+string(transport), "BATCH_STATE="+filepath.Join(env.WorkDir, "state"))
			env.Values[scriptKey{}] = &scriptWorld{}
			return os.Mkdir(filepath.Join(env.WorkDir, "tmp"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exitsCommand, "pasted": pastedCommand, "service": serviceCommand, "serve": serveCommand, "fault": faultCommand, "revoke": revokeCommand, "newkey": newKeyCommand, "price": priceCommand,
			"contact": contactCommand, "audit": auditCommand, "books": ledgerCommand, "hold": holdCommand, "release": releaseCommand,
		},
	})
}
