// This file records every start of a command that spends or that changes a journal or an output, in a file in the
// journal's directory. Many processes may append to the file. So a start is recorded, too, when the journal cannot
// be opened.

package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/cost"
)

// fileName is the file in the journal's directory. Each line is one JSON object: a start, or its end.
const fileName = "STARTS"

// Start is one start of a command.
type Start struct {
	At      time.Time `json:"at"`
	User    string    `json:"user"`
	Host    string    `json:"host"`
	Process int       `json:"process,omitempty"`
	Command string    `json:"command"`
	Output  string    `json:"output,omitempty"`
	End     *StartEnd `json:"end"` // null while it runs, and when it was killed
	// State is not in the file. The reader of the file finds it out.
	State StartState `json:"state,omitempty"`
}

// StartState says how a start stands.
type StartState string

// The states of a start.
const (
	startEnded   StartState = "ended"
	startRunning StartState = "running" // its process owns the journal
	startKilled  StartState = "killed"  // its process is gone
	// startUnknown is a start whose process waits for the journal or was killed. On another host nobody can see
	// whether a process is there. A process of this host with the same number can be another one.
	startUnknown StartState = "unknown"
)

// StartEnd says how a start ended.
type StartEnd struct {
	At      time.Time  `json:"at"`
	Exit    int        `json:"exit"`
	Reason  string     `json:"reason,omitempty"` // "" when every row has its outcome
	Lookups int64      `json:"lookups"`
	Spent   cost.Money `json:"spent_usd"`
}

// IsRun reports whether the command is a run of a list.
func (s Start) IsRun() bool { return strings.HasPrefix(s.Command+" ", "batch run ") }

// Who says when, where and by which user the command was started.
func (s Start) Who() string {
	return fmt.Sprintf("%s  %s on %s", s.At.Format("2006-01-02 15:04"), s.User, s.Host)
}

// Outcome says how the start ended, or how it stands.
func (s Start) Outcome() string {
	switch {
	case s.End == nil && s.State == startRunning:
		return fmt.Sprintf("running, process %d", s.Process)
	case s.End == nil && s.State == startKilled:
		return "killed"
	case s.End == nil:
		return "not ended: it runs, or was killed"
	}
	text := fmt.Sprintf("exit %d, lookups %d, $%s", s.End.Exit, s.End.Lookups, s.End.Spent)
	if s.End.Reason != "" {
		text += ": " + s.End.Reason
	}
	return text
}

// String says who started the command, when, and how the start ended.
func (s Start) String() string { return s.Who() + "  " + s.Outcome() }

// StartStateOf returns how a start stands. Owns reports whether the process with that number on this host has opened
// the journal to write, and alive whether there is such a process.
func StartStateOf(s Start, owns, alive func(process int) bool) StartState {
	host, _ := os.Hostname() // "" when it is not known, as in the start
	switch {
	case s.End != nil:
		return startEnded
	case s.Process == 0 || s.Host != host:
		return startUnknown
	case owns(s.Process):
		return startRunning
	case !alive(s.Process):
		return startKilled
	}
	return startUnknown
}

// line is a line of the file. A start has an End when its exit code is known.
type line struct {
	ID string `json:"id"` // joins the end with the start
	Start
}

// StartRecord is the record of one start.
type StartRecord struct {
	path string
	line line
}

// BeginStart records a start in the journal's directory. Without that directory nothing is recorded before the
// end.
func BeginStart(dir string, start Start) (*StartRecord, error) {
	if account, err := user.Current(); err == nil {
		start.User = account.Username
	}
	start.Host, _ = os.Hostname() // "" when it is not known
	start.Process = os.Getpid()
	r := &StartRecord{path: filepath.Join(dir, fileName), line: line{
		ID: start.At.UTC().Format(time.RFC3339Nano) + "-" + strconv.Itoa(os.Getpid()), Start: start,
	}}
	return r, r.append()
}

// End records how the start ended. Without a journal's directory nothing is recorded.
func (r *StartRecord) End(end StartEnd) error {
	r.line.End = &end
	return r.append()
}

// append adds the line to the file, in one write, so that lines of several processes do not mix.
func (r *StartRecord) append() error {
	if _, err := os.Stat(filepath.Dir(r.path)); err != nil {
		return nil // opening the journal says what is wrong with it
	}
	text, err := json.Marshal(r.line)
	if err != nil {
		return err
	}
	if err := rotate(r.path, maxSize); err != nil {
		return err
	}
	file, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	// The first line end closes a line that a crash of the machine may have torn.
	_, err = file.Write(slices.Concat([]byte("\n"), text, []byte("\n")))
	return errors.Join(err, file.Close())
}

// ReadStarts returns the starts that are recorded in the journal's directory, the oldest first. A line that
// cannot be read is left out. A crash of the machine can leave such a line.
func ReadStarts(dir string) ([]Start, error) {
	path := filepath.Join(dir, fileName)
	// The file is read before the older one: a line that is moved meanwhile is read twice rather than never.
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	older, err := readFile(path + olderEnding)
	if err != nil {
		return nil, err
	}
	var all []Start
	known := map[string]int{}
	for text := range bytes.Lines(slices.Concat(older, []byte("\n"), text)) {
		var l line
		if json.Unmarshal(text, &l) != nil || l.ID == "" {
			continue
		}
		if at, found := known[l.ID]; found {
			if l.End != nil || all[at].End == nil {
				all[at] = l.Start
			}
			continue
		}
		known[l.ID] = len(all)
		all = append(all, l.Start)
	}
	return all, nil
}

// readFile returns the content of a file, nothing when it is not there.
func readFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}
