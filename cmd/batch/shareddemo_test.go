package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"payonce/cost"
	"payonce/io/iotest"
)

// TestTheDemoOfASharedJournalSpendsExactlyTheCeiling runs what "make demo-shared" runs.
func TestTheDemoOfASharedJournalSpendsExactlyTheCeiling(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin"); err != nil || len(found) == 0 {
		t.Skip("PostgreSQL is not installed; install Debian's package postgresql")
	}
	program, err := exec.LookPath(*programPath)
	if err != nil {
		t.Fatal(err)
	}
	temporary := iotest.UserDir(t)
	if err := os.Chmod(temporary, 0o711); err != nil { // the user of the database enters it
		t.Fatal(err)
	}
	demo := exec.Command("sh", filepath.Join(demoDir(t), "demo-shared.sh"))
	demo.Env = append(os.Environ(), "BATCH="+program, "TMPDIR="+temporary)
	said, err := demo.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var sum cost.Money
	for _, spent := range regexp.MustCompile(`(?m)^(?:anna|ben) spent \$([0-9.]+); the output has (\d+) of (\d+) rows\.$`).FindAllStringSubmatch(string(said), -1) {
		amount, err := cost.ParseMoney(spent[1])
		if err != nil || spent[2] != spent[3] || spent[2] == "0" {
			t.Errorf("%q, %v", spent[0], err)
		}
		sum += amount
	}
	if sum != 5*cost.Dollar || !strings.Contains(string(said), "$5.00 settled, $0.00 held, $0.00 left of $5.00") {
		t.Errorf("$%s spent of $5.00:\n%s", sum, said)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}
