package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"payonce/io/service/v1"
	"payonce/pipeline/report"
)

// Not one lookup is lost when the user or the system interrupts, or the terminal closes:
// those in flight are waited for.
func TestInterruptDrains(t *testing.T) {
	t.Parallel()
	overEachTransport(t, func(t *testing.T, transport v1.Transport) {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(signal.String(), func(t *testing.T) {
				t.Parallel()
				interruptAndResume(t, transport, signal)
			})
		}
	})
}

func interruptAndResume(t *testing.T, transport v1.Transport, signal os.Signal) {
	service, tap := newService(t, 3)
	p := newProgram(t, 60, tap.listen(t), "--max-spend", "40", "--concurrency", "4").over(transport)
	reached, release := tap.hold(t, 10)
	run := p.start()
	receive(t, reached, "no tenth lookup")
	run.Process.Signal(signal)
	run.stderr.await(t, "interrupted: waiting for the lookups in flight")
	run.Process.Signal(syscall.SIGHUP) // a terminal that closes sends one after the shell's
	close(release)
	if code := run.end(); code != exitInterrupted {
		t.Fatalf("exit code %d\n%s", code, run.stderr)
	}
	view := decodeSummary(t, run)
	if view.Stop == nil || *view.Stop != "interrupted" || view.InDoubt != 0 || view.Rows["not_attempted"] == 0 {
		t.Errorf("summary: %s", run.stdout.String())
	}
	checkOutput(t, p, service.Ledger())
	p.checkJournal()

	view = decodeSummary(t, p.runToEnd(exitDone))
	if view.Rows["not_attempted"] != 0 || view.InDoubt != 0 {
		t.Errorf("resumed: %v", view.Rows)
	}
	checkOutput(t, p, service.Ledger())
}

// Who says nohup wants the run to go on when the terminal closes.
func TestARunUnderNohupIgnoresSIGHUP(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 8)
	p := newProgram(t, 60, tap.listen(t), "--max-spend", "40", "--concurrency", "4")
	reached, release := tap.hold(t, 10)
	run := p.startAs(exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$0" "$@"`, *programPath}, p.args...)...))
	receive(t, reached, "no tenth lookup")
	run.Process.Signal(syscall.SIGHUP)
	close(release)
	if code := run.end(); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, run.stderr)
	}
	checkOutput(t, p, service.Ledger())
}

// A second interrupt ends the program at once; the lookups that were in flight
// are not sent again.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	overEachTransport(t, interruptTwice)
}

func interruptTwice(t *testing.T, transport v1.Transport) {
	service, tap := newService(t, 4)
	p := newProgram(t, 60, tap.listen(t), "--max-spend", "40", "--concurrency", "4").over(transport)
	reached, release := tap.hold(t, 10)
	run := p.start()
	receive(t, reached, "no tenth lookup")
	run.Process.Signal(syscall.SIGINT)
	run.stderr.await(t, "interrupted: waiting for the lookups in flight")
	run.Process.Signal(os.Interrupt)
	if code := run.end(); code != exitInterrupted {
		t.Fatalf("exit code %d\n%s", code, run.stderr)
	}
	if !strings.Contains(run.stderr.String(), "stopped at once") {
		t.Errorf("it does not say that it stopped at once:\n%s", run.stderr)
	}
	close(release)
	p.checkJournal()
	p.runToEnd(exitDone, exitDoubt)
	checkOutput(t, p, service.Ledger())
	p.checkExplained(service.Ledger())
}

// An interrupt while the output is written is answered, and the output is written whole.
func TestInterruptWhileTheOutputIsWritten(t *testing.T) {
	t.Parallel()
	const rows = 2000
	_, tap := newService(t, 9)
	p := newProgram(t, rows, tap.listen(t), "--max-spend", "40", "--max-lookups", "3", "--json=false", "-o", "-")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	command := exec.Command(*programPath, p.args...)
	command.Stdout = writer
	run := p.startAs(command)
	writer.Close()
	begin := make([]byte, 1)
	if _, err := reader.Read(begin); err != nil { // the pipe does not hold the rest
		t.Fatalf("%v\n%s", err, run.stderr)
	}
	run.Process.Signal(os.Interrupt)
	run.stderr.await(t, "interrupted: all answers are recorded, and the output is being written")
	records, err := csv.NewReader(io.MultiReader(bytes.NewReader(begin), reader)).ReadAll()
	if code := run.end(); code != exitCeiling || err != nil || len(records) != rows+1 {
		t.Errorf("exit code %d, %d records, %v\n%s", code, len(records), err, run.stderr)
	}
}

// Two runs at once would not know of each other's lookups: the second one ends.
func TestSecondRunIsRefused(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 5)
	p := newProgram(t, 30, tap.listen(t), "--max-spend", "40")
	reached, release := tap.hold(t, 1)
	first := p.start()
	receive(t, reached, "no lookup")
	second := p.runToEnd(exitLocked)
	if text := second.stderr.String(); !strings.Contains(text, `held by "batch run list" (process `) {
		t.Errorf("it does not name the holder: %s", text)
	}
	close(release)
	if code := first.end(); code != exitDone {
		t.Fatalf("the first run: exit code %d\n%s", code, first.stderr)
	}
	checkOutput(t, p, service.Ledger())
	p.checkExplained(service.Ledger())
}

// What the program says it spent is what its output says and what the service charged.
func TestSummaryOutputAndLedgerAgree(t *testing.T) {
	t.Parallel()
	overEachTransport(t, compareSummary)
}

func compareSummary(t *testing.T, transport v1.Transport) {
	service, tap := newService(t, 6)
	p := newProgram(t, 200, tap.listen(t), "--max-spend", "60").over(transport)
	view := decodeSummary(t, p.runToEnd(exitDone))
	ledger := service.Ledger()
	if view.Spent != ledger.Charged || view.SpentNow != ledger.Charged {
		t.Errorf("spent %s (now %s), the service charged %s", view.Spent, view.SpentNow, ledger.Charged)
	}
	if int(view.Posts) != len(ledger.Arrivals) {
		t.Errorf("%d posts, the service counted %d", view.Posts, len(ledger.Arrivals))
	}
	checkOutput(t, p, ledger)
}

func decodeSummary(t *testing.T, run *process) report.RunSummary {
	t.Helper()
	var view report.RunSummary
	if err := json.Unmarshal(run.stdout.Bytes(), &view); err != nil {
		t.Fatalf("%v in %q", err, run.stdout.String())
	}
	return view
}
