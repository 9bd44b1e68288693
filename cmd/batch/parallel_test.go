package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"payonce/checkpoint/record"
)

// TestServeRunsJobsOfOneAccountInTurnAndOfTwoAtTheSameTime serves three jobs that are due at once. Two of them use
// one account, with a journal each. Both accounts hold their first lookup until the other one has got one too. Then
// the job of the second account comes to its end while the first account still holds its lookup.
func TestServeRunsJobsOfOneAccountInTurnAndOfTwoAtTheSameTime(t *testing.T) {
	t.Parallel()
	shared, other := startService(t, 5), startService(t, 6)
	p, account := newProgram(t, 3, ""), shared.listen(t)
	writeFile(t, filepath.Join(p.dir, "jobs.yaml"), `
defaults: {time-zone: UTC, schedule: 0 0 1 1 *, catch-up: 366d, list: list.csv, max-spend: 60, rate: 100000/1s, settle-delay: 100ms}
jobs:
  first: {base-url: "`+account+`", state: state-first, output: first.csv}
  second: {base-url: "`+account+`", state: state-second, output: second.csv}
  other: {base-url: "`+other.listen(t)+`", state: state-other, output: other.csv}
`)
	start := func(args ...string) *process {
		command := exec.Command(*programPath, args...)
		command.Dir = p.dir
		return p.startAs(command)
	}
	sharedReached, releaseShared := shared.hold(t, 1)
	otherReached, releaseOther := other.hold(t, 1)
	scheduler := start("jobs", "serve")
	receive(t, sharedReached, "no job of the first account sent anything")
	receive(t, otherReached, "the job of the second account waits for those of the first one")
	close(releaseOther)
	scheduler.stderr.await(t, ": exit 0")
	close(releaseShared)
	for _, name := range []string{"first", "second"} {
		scheduler.stderr.await(t, " "+name+" ")
	}
	if err := scheduler.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if code := scheduler.end(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, scheduler.stderr)
	}
	ran := map[string]record.Occurrence{}
	history := start("jobs", "history", "--json")
	var view struct{ Occurrences []record.Occurrence }
	if code := history.end(); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, history.stderr)
	}
	if err := json.Unmarshal(history.stdout.Bytes(), &view); err != nil {
		t.Fatal(err)
	}
	for _, one := range view.Occurrences {
		if ran[one.Job] = one; one.Exit != exitDone || one.Ended.IsZero() || one.Lookups == 0 {
			t.Errorf("%+v", one)
		}
	}
	if len(ran) != 3 {
		t.Fatalf("%d jobs ran\n%s", len(ran), scheduler.stderr)
	}
	inTurn := []record.Occurrence{ran["first"], ran["second"]}
	slices.SortFunc(inTurn, func(a, b record.Occurrence) int { return a.Began.Compare(b.Began) })
	if inTurn[1].Began.Before(inTurn[0].Ended) {
		t.Errorf("%s began before %s ended, though both use one account", inTurn[1].Job, inTurn[0].Job)
	}
	if inTurn[0].Ended.Before(ran["other"].Ended) {
		t.Errorf("%s ended before the job of the other account", inTurn[0].Job)
	}
}
