package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// doubtfulList has two columns of companies, one of pages in a network, and characters of double width.
const doubtfulList = "First Name,Last Name,companyUrl,Company,Company,Email,E-mail 2 Address,Mobile,Notes that are longer than any screen has room for\n" +
	"Ann,Lee,https://www.linkedin.com/company/acme,山田株式会社山田株式会社山田株式会社,Acme Holding,,ann@acme.example,+49 170 1234567,\n" +
	"Bob,Ray,https://www.linkedin.com/company/acme,Acme,Acme Holding,,,,A note that is longer than any screen has room for\n"

// terminal is a program at a terminal with a size.
type terminal struct {
	t       *testing.T
	screen  vt10x.Terminal
	keys    io.Writer
	changed chan struct{}
	ended   chan error
}

// startAtTerminal starts the program in a directory with the list.
func startAtTerminal(t *testing.T, dir string, columns int, args ...string) *terminal {
	t.Helper()
	process := exec.Command(*programPath, args...)
	process.Dir = dir
	process.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=1", "SERVICE_BASE_URL=", "SERVICE_API_KEY=")
	device, err := pty.StartWithSize(process, &pty.Winsize{Rows: 24, Cols: uint16(columns)})
	if err != nil {
		t.Fatal(err)
	}
	at := &terminal{t, vt10x.New(vt10x.WithSize(columns, 24)), device, make(chan struct{}, 1), make(chan error, 1)}
	go func() {
		data := make([]byte, 4096)
		for {
			n, err := device.Read(data)
			_, _ = at.screen.Write(data[:n])
			select {
			case at.changed <- struct{}{}:
			default:
			}
			if err != nil { // the program has ended
				at.ended <- process.Wait()
				close(at.changed)
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = device.Close()
	})
	return at
}

// text returns the lines of the screen without the blanks behind them.
func (at *terminal) text() string {
	var lines []string
	for line := range strings.Lines(at.screen.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// shows waits until the screen has a text, and returns the screen.
func (at *terminal) shows(want string) string {
	at.t.Helper()
	limit := time.After(time.Minute)
	for !strings.Contains(at.text(), want) {
		select {
		case _, running := <-at.changed:
			if !running && !strings.Contains(at.text(), want) {
				at.t.Fatalf("the program ended without %q:\n%s", want, at.text())
			}
		case <-limit:
			at.t.Fatalf("the screen does not show %q:\n%s", want, at.text())
		}
	}
	return at.text()
}

func (at *terminal) press(keys string) {
	at.t.Helper()
	if _, err := io.WriteString(at.keys, keys); err != nil {
		at.t.Fatal(err)
	}
}

func (at *terminal) end(want int) {
	at.t.Helper()
	err := <-at.ended
	code := 0
	if exit, is := err.(*exec.ExitError); is {
		code = exit.ExitCode()
	} else if err != nil {
		at.t.Fatal(err)
	}
	if code != want {
		at.t.Fatalf("exit code %d, not %d:\n%s", code, want, at.text())
	}
}

// listInDir writes the doubtful list to a directory of its own.
func listInDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "list.csv"), []byte(doubtfulList), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const down, enter = "\x1b[B", "\r"

// TestMapScreens shows every screen of batch map in terminals of 80 and 120 columns.
func TestMapScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []struct {
		columns int
		name    string
	}{{80, "80"}, {120, "120"}} {
		t.Run(width.name, func(t *testing.T) {
			t.Parallel()
			dir := listInDir(t)
			at := startAtTerminal(t, dir, width.columns, "map", "list.csv")
			shown := at.shows("q leave without saving")
			at.press(strings.Repeat(down, 4))
			at.shows("#5: ")
			at.press(enter)
			shown += "----\n" + at.shows("What is column #5")
			at.press(strings.Repeat("k", 20) + strings.Repeat("j", 5) + enter) // company_name
			shown += "----\n" + at.shows("#5: you said so")
			at.press("\t")
			shown += "----\n" + at.shows("press any key to go back")
			at.press("x")
			at.shows("s save")
			at.press("s")
			at.end(exitDone)
			golden(t, "map."+width.name+".txt", []byte(shown))
			saved, err := os.ReadFile(filepath.Join(dir, "list.csv.map.yaml"))
			if err != nil || !strings.Contains(string(saved), "company_name: ['#5']\n") {
				t.Errorf("%v\n%s", err, saved)
			}
		})
	}
}

// TestMapScreenSavesNothingUnasked leaves the screen in every way but by saving.
func TestMapScreenSavesNothingUnasked(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "\x1b", "\x03"} {
		dir := listInDir(t)
		at := startAtTerminal(t, dir, 80, "map", "list.csv")
		at.shows("q leave without saving")
		at.press(key)
		at.end(exitDone)
		if _, err := os.Stat(filepath.Join(dir, "list.csv.map.yaml")); err == nil {
			t.Errorf("%q saved the mapping", key)
		}
	}
}

// TestMapAsksSimpleQuestions answers the questions of --plain.
func TestMapAsksSimpleQuestions(t *testing.T) {
	t.Parallel()
	dir := listInDir(t)
	at := startAtTerminal(t, dir, 80, "map", "list.csv", "--plain")
	at.shows("\nprofile_url []:")
	for _, role := range []string{"first_name", "last_name", "company_domain", "company_name"} {
		at.press(enter)
		at.shows("\n" + role + " [")
	}
	at.shows("company_name [#4 Company]:")
	at.press("Company" + enter)
	at.shows("are all called \"Company\"")
	at.press("#5" + enter)
	at.shows("email [#6 Email]:")
	at.press("-")
	for _, role := range []string{"phone", "full_name", "held_email", "held_phone", "Save"} {
		at.press(enter)
		at.shows("\n" + role + " ")
	}
	at.shows("Save this in list.csv.map.yaml? [Y/n]")
	at.press(enter)
	at.shows("Saved in list.csv.map.yaml")
	at.end(exitDone)
	saved, err := os.ReadFile(filepath.Join(dir, "list.csv.map.yaml"))
	if err != nil || !strings.Contains(string(saved), "company_name: ['#5']\n    email: []\n") {
		t.Errorf("%v\n%s", err, saved)
	}
}

// TestPlanOffersToLookAtDoubtfulColumns plans a list whose columns somebody chooses first.
func TestPlanOffersToLookAtDoubtfulColumns(t *testing.T) {
	t.Parallel()
	dir := listInDir(t)
	at := startAtTerminal(t, dir, 80, "plan", "list.csv", "--offline", "--sandbox", "--state", dir)
	at.shows("Choose the columns now? [y/N]")
	at.press("y" + enter)
	at.shows("q leave without saving")
	at.press(strings.Repeat(down, 4) + enter)
	at.shows("What is column #5")
	at.press(strings.Repeat("j", 5) + enter)
	at.shows("#5: you said so")
	at.press("s")
	at.shows("\nmaximum spend ")
	at.end(exitDone)
}

// TestPlanEndsWhenNobodyWantsToLook answers no.
func TestPlanEndsWhenNobodyWantsToLook(t *testing.T) {
	t.Parallel()
	dir := listInDir(t)
	at := startAtTerminal(t, dir, 80, "plan", "list.csv", "--offline", "--sandbox", "--state", dir)
	at.shows("Choose the columns now? [y/N]")
	at.press("n" + enter)
	at.shows("For example: batch plan")
	at.end(exitUsage)
}
