package iotest

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// Terminal is a program at a terminal with a size.
type Terminal struct {
	t       *testing.T
	screen  vt10x.Terminal
	keys    io.Writer
	process *os.Process
	changed chan struct{}
	ended   chan error
}

// StartTerminal starts a program in a directory, at a terminal of 24 lines. Variables are added to the environment.
func StartTerminal(t *testing.T, dir string, columns int, variables []string, program string, args ...string) *Terminal {
	t.Helper()
	process := exec.Command(program, args...)
	process.Dir = dir
	process.Env = append(append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=1"), variables...)
	device, err := pty.StartWithSize(process, &pty.Winsize{Rows: 24, Cols: uint16(columns)})
	if err != nil {
		t.Fatal(err)
	}
	at := &Terminal{t, vt10x.New(vt10x.WithSize(columns, 24)), device, process.Process, make(chan struct{}, 1), make(chan error, 1)}
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

// Text returns the lines of the screen without the blanks behind them.
func (at *Terminal) Text() string {
	var lines []string
	for line := range strings.Lines(at.screen.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// Shows waits until the screen has a text, and returns the screen.
func (at *Terminal) Shows(want string) string {
	at.t.Helper()
	limit, text := time.After(time.Minute), at.Text()
	for ; !strings.Contains(text, want); text = at.Text() {
		select {
		case _, running := <-at.changed:
			if !running && !strings.Contains(at.Text(), want) {
				at.t.Fatalf("the program ended without %q:\n%s", want, at.Text())
			}
		case <-limit:
			at.t.Fatalf("the screen does not show %q:\n%s", want, at.Text())
		}
	}
	return text
}

// Coloured reports whether the first line that begins with a text begins in another colour than the usual one.
func (at *Terminal) Coloured(text string) bool {
	at.t.Helper()
	at.screen.Lock()
	defer at.screen.Unlock()
	columns, rows := at.screen.Size()
	for row := range rows {
		var line strings.Builder
		for column := range columns {
			line.WriteRune(at.screen.Cell(column, row).Char)
		}
		if strings.HasPrefix(line.String(), text) {
			return at.screen.Cell(0, row).FG != vt10x.DefaultFG
		}
	}
	at.t.Fatalf("no line begins with %q", text)
	return false
}

// Press types keys.
func (at *Terminal) Press(keys string) {
	at.t.Helper()
	if _, err := io.WriteString(at.keys, keys); err != nil {
		at.t.Fatal(err)
	}
}

// End waits until the program ends, which has to be with an exit code.
func (at *Terminal) End(want int) {
	at.t.Helper()
	err := <-at.ended
	code := 0
	if exit, is := err.(*exec.ExitError); is {
		code = exit.ExitCode()
	} else if err != nil {
		at.t.Fatal(err)
	}
	if code != want {
		at.t.Fatalf("exit code %d, not %d:\n%s", code, want, at.Text())
	}
}

// Kill ends the program as kill -9 does, and waits until it has ended.
func (at *Terminal) Kill() {
	at.t.Helper()
	if err := at.process.Kill(); err != nil {
		at.t.Fatal(err)
	}
	<-at.ended
}
