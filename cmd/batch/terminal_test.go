package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/io/iotest"
	"payonce/io/sandbox"
)

// widths are the widths of the terminals in which every screen is shown.
var widths = []int{80, 120}

// start starts a command on the program's journal at a terminal.
func (p *program) startAtTerminal(columns int, args ...string) *iotest.Terminal {
	p.t.Helper()
	variables := []string{"SERVICE_BASE_URL=" + p.baseURL, "SERVICE_API_KEY=" + sandbox.DefaultKey, "BATCH_STATE=" + p.state()}
	return iotest.StartTerminal(p.t, p.dir, columns, variables, *programPath, args...)
}

// lines returns how many lines of a screen begin with a text.
func lines(screen, text string) (found int) {
	for line := range strings.Lines(screen) {
		if strings.HasPrefix(line, text) {
			found++
		}
	}
	return found
}

// A run at a terminal asks, shows its progress in one line, and tells how it went. Its status is shown
// beside it until it ends.
func TestARunAtATerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range widths {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			_, tap := newService(t, 5)
			p := newProgram(t, 30, tap.listen(t))
			reached, release := tap.hold(t, 10)
			run := p.startAtTerminal(columns, "run", "list.csv", "-o", "out.csv", "--name", "list", "--fields", "email,phone", "--max-spend", "40",
				"--rate", "100000/1s", "--settle-delay", "100ms", "--concurrency", "1")
			asked := run.Shows("lookups and spend at most $")
			if lines(asked, "Send ") != 1 || strings.Contains(asked, "reading the list") {
				t.Errorf("the question:\n%s", asked)
			}
			run.Press("y" + enter)
			receive(t, reached, "no tenth lookup")
			sending := run.Shows("sending: ")
			if lines(sending, "sending: ") != 1 || !strings.Contains(sending, " lookups, $") {
				t.Errorf("the progress:\n%s", sending)
			}
			status := p.startAtTerminal(columns, "status", "--watch=10ms")
			status.Shows("done                      9 of ")
			shown := status.Shows("\nends  ") // the last line
			for _, want := range []string{"run list\n", "process  ", "step                      1 of 1: email,phone\n", "spent  ", "closest limit  ", "ends  "} {
				if !strings.Contains("\n"+shown, "\n"+want) {
					t.Errorf("the status has no %q:\n%s", want, shown)
				}
			}
			close(release)
			ended := run.Shows("free allowance used")
			run.End(exitDone)
			if lines(ended, "sending: ") > 0 || strings.Contains(ended, "writing the output") {
				t.Errorf("the summary stands below a line of progress:\n%s", ended)
			}
			status.Shows("nothing runs")
			status.End(exitDone)
		})
	}
}

// An interrupted run leaves nothing of its line on the terminal.
func TestAnInterruptedRunAtATerminal(t *testing.T) {
	t.Parallel()
	_, tap := newService(t, 5)
	p := newProgram(t, 30, tap.listen(t))
	reached, release := tap.hold(t, 10)
	run := p.startAtTerminal(80, "run", "list.csv", "-o", "out.csv", "--fields", "email,phone", "--max-spend", "40", "--yes",
		"--rate", "100000/1s", "--settle-delay", "100ms", "--concurrency", "1")
	receive(t, reached, "no tenth lookup")
	if sending := run.Shows("% ["); lines(sending, "sending: ") != 1 {
		t.Errorf("the progress:\n%s", sending)
	}
	run.Press("\x03")
	run.Shows("interrupt")
	close(release)
	run.End(exitInterrupted)
	if ended := run.Text(); strings.Contains(ended, "sending: ") || strings.Contains(ended, "% [") {
		t.Errorf("the line of progress is still there:\n%s", ended)
	}
}

// What is erased is shown before the question, which takes one line.
func TestQuestionsBeforeAnErasureAtATerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range widths {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			p := &program{t: t, dir: t.TempDir()}
			if err := os.WriteFile(p.list(), []byte("first_name,last_name,company\nAnn,Lee,Acme\nBob,Ray,Beta\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			stdout, stderr, code := runHere(t, "run", p.list(), "--sandbox", "--state", p.state(), "--rate", "1000/1s", "--max-spend", "3", "--yes")
			if code != exitDone {
				t.Fatal(stdout, stderr)
			}
			prune := p.startAtTerminal(columns, "journal", "prune", "--sandbox", "--keep-answers", "0s", "--export", "old.csv")
			asked := prune.Shows("for ever? [y/N]")
			for _, want := range []string{"lookups to erase  ", "answers to erase  ", "export to                 old.csv", "Erase "} {
				if lines(asked, want) != 1 {
					t.Errorf("no line %q:\n%s", want, asked)
				}
			}
			prune.Press("n" + enter)
			prune.Shows("not confirmed; nothing was erased")
			prune.End(exitApproval)
			if left, _ := filepath.Glob(filepath.Join(p.dir, "old.csv")); len(left) > 0 {
				t.Error("the export is there without approval")
			}
			forget := p.startAtTerminal(columns, "forget", "--sandbox", "--email", "ann@nobody.example", "--yes")
			forget.Shows("persons forgotten         0")
			forget.End(exitDone)
			found := p.startAtTerminal(columns, "forget", "--sandbox", "--first-name", "Ann", "--last-name", "Lee", "--company-name", "Acme")
			asked = found.Shows("? [y/N]")
			if lines(asked, "Erase 1 lookup? [y/N]") != 1 {
				t.Errorf("the question:\n%s", asked)
			}
			found.Press("\x03")
			found.Shows("interrupted: nothing was erased")
			found.End(exitInterrupted)
		})
	}
}

// Colours are for terminals, unless NO_COLOR is set.
func TestColoursFollowTheEnvironment(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]bool{"NO_COLOR=": true, "NO_COLOR=1": false, "TERM=dumb": false} {
		at := iotest.StartTerminal(t, listInDir(t), 80, []string{"NO_COLOR=", variable}, *programPath, "plan", "none.csv", "--sandbox")
		at.Shows("there is no file none.csv")
		at.End(exitUsage)
		if got := at.Coloured("batch:"); got != want {
			t.Errorf("%s: coloured %t", variable, got)
		}
	}
}
