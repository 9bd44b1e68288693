package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"payonce/io/iotest"
)

// crmList is an export of a CRM.
const crmList = "Record Id,First Name,Last Name,Account Name,Website,Email,Phone\n" +
	"zcrm_1,Ann,Lee,Acme Testing,acme.example,,\n" +
	"zcrm_2,Bob,Ray,Beta Works,beta.example,bob@beta.example,\n" +
	"zcrm_3,Flo,Gay,Zeta,zeta.example,,\n" +
	"zcrm_9,Ida,Joy,Iota,iota.example,,\n"

// reviewed is a directory with crmList and a journal in which a run has looked it up.
type reviewed struct {
	t   *testing.T
	dir string
}

func newReviewed(t *testing.T) reviewed {
	t.Helper()
	r := reviewed{t, t.TempDir()}
	if err := os.WriteFile(filepath.Join(r.dir, "crm.csv"), []byte(crmList), 0o600); err != nil {
		t.Fatal(err)
	}
	r.run("run", "crm.csv", "-o", "out.csv", "--fields", "email,phone", "--max-spend", "5", "--yes", "--name", "june", "--sandbox")
	return r
}

func (r reviewed) variables() []string {
	return []string{"SERVICE_BASE_URL=", "SERVICE_API_KEY=", "BATCH_STATE=" + filepath.Join(r.dir, "state")}
}

// run runs a command without a terminal.
func (r reviewed) run(args ...string) {
	r.t.Helper()
	command := exec.Command(*programPath, args...)
	command.Dir, command.Env = r.dir, append(os.Environ(), r.variables()...)
	if text, err := command.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, text)
	}
}

// review starts the screen.
func (r reviewed) review(columns int) *iotest.Terminal {
	r.t.Helper()
	return iotest.StartTerminal(r.t, r.dir, columns, r.variables(), *programPath, "crm", "review", "june", "--sandbox")
}

// TestReviewScreensMatchTheirGoldenFiles shows the screens of a review in terminals of 80 and 120 columns.
func TestReviewScreensMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for _, columns := range widths {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			r := newReviewed(t)
			at := r.review(columns)
			shown := at.Shows("q leave; saved at once")
			at.Press("a")
			shown += "----\n" + at.Shows("1 approved")
			at.Press("r")
			at.Shows("1 rejected")
			at.Press("/phone ann" + "\x7f\x7f\x7f" + "flo")
			shown += "----\n" + at.Shows("search: phone flo_")
			at.Press(enter)
			at.Shows("saved at once")
			at.Press("nn")
			at.Shows("record zcrm_3")
			at.Press("q")
			at.End(exitDone)
			golden(t, "review."+fmt.Sprint(columns)+".txt", []byte(shown))
		})
	}
}

// TestAKilledReviewLosesNoDecision decides and kills the program. The next review and the export have the decision.
func TestAKilledReviewLosesNoDecision(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	at := r.review(80)
	at.Shows("q leave; saved at once")
	at.Press("a")
	at.Shows("1 approved")
	at.Press("r")
	at.Shows("1 rejected")
	at.Kill()
	at = r.review(80)
	at.Shows("1 approved, 1 rejected")
	at.Press("\x03")
	at.End(exitDone)
	r.run("crm", "export", "june", "-o", "import.csv", "--sandbox")
	text, err := os.ReadFile(filepath.Join(r.dir, "import.csv"))
	if err != nil || !strings.HasPrefix(string(text), "Record Id,Email\nzcrm_1,ann@acme.example\n") || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%v\n%s", err, text)
	}
}
