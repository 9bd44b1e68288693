// Package starts records every start of a run in a file beside the journal, failed ones too. A start that
// cannot open the journal is recorded as well, because many processes may append to the file.
package starts

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
	"time"

	"payonce/cost"
)

// fileName is the file in the journal's directory. Each line is one JSON object: a start, or its end.
const fileName = "STARTS"

// Start is one start of a run.
type Start struct {
	At      time.Time `json:"at"`
	User    string    `json:"user"`
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Output  string    `json:"output,omitempty"`
	End     *End      `json:"end"` // null while it runs, and when it was killed
}

// End says how a start ended.
type End struct {
	At      time.Time  `json:"at"`
	Exit    int        `json:"exit"`
	Reason  string     `json:"reason,omitempty"` // "" when every row has its outcome
	Lookups int64      `json:"lookups"`
	Spent   cost.Money `json:"spent_usd"`
}

// String says who started a run, when, and how the start ended.
func (s Start) String() string {
	text := fmt.Sprintf("%s  %s on %s", s.At.Format("2006-01-02 15:04"), s.User, s.Host)
	if s.End == nil {
		return text + "  not ended: it runs, or was killed"
	}
	text += fmt.Sprintf("  exit %d, lookups %d, $%s", s.End.Exit, s.End.Lookups, s.End.Spent)
	if s.End.Reason != "" {
		text += ": " + s.End.Reason
	}
	return text
}

// line is a line of the file. A start has an End when its exit code is known.
type line struct {
	ID string `json:"id"` // joins the end with the start
	Start
}

// Record is the record of one start.
type Record struct {
	path  string
	line  line
	begun bool // the start is in the file
}

// Begin records a start in the journal's directory. The first start of a journal makes that directory
// later: call Continue then.
func Begin(dir string, start Start) (*Record, error) {
	if account, err := user.Current(); err == nil {
		start.User = account.Username
	}
	start.Host, _ = os.Hostname() // "" when it is not known
	r := &Record{path: filepath.Join(dir, fileName), line: line{
		ID: start.At.UTC().Format(time.RFC3339Nano) + "-" + strconv.Itoa(os.Getpid()), Start: start,
	}}
	return r, r.Continue()
}

// Continue records the start if there was no directory before and there is one now.
func (r *Record) Continue() error {
	if r.begun {
		return nil
	}
	return r.append()
}

// End records how the start ended. Without a journal's directory nothing is recorded.
func (r *Record) End(end End) error {
	r.line.End = &end
	return r.append()
}

// append adds the line to the file, in one write, so that lines of several processes do not mix.
func (r *Record) append() error {
	if _, err := os.Stat(filepath.Dir(r.path)); err != nil {
		return nil // opening the journal says what is wrong with it
	}
	text, err := json.Marshal(r.line)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	// The first line end closes a line that a crash of the machine may have torn.
	_, err = file.Write(slices.Concat([]byte("\n"), text, []byte("\n")))
	err = errors.Join(err, file.Close())
	r.begun = r.begun || err == nil
	return err
}

// Read returns the starts that are recorded in the journal's directory, the oldest first. A line that
// cannot be read is left out. A crash of the machine can leave such a line.
func Read(dir string) ([]Start, error) {
	text, err := os.ReadFile(filepath.Join(dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Start
	known := map[string]int{}
	for text := range bytes.Lines(text) {
		var l line
		if json.Unmarshal(text, &l) != nil || l.ID == "" {
			continue
		}
		if at, found := known[l.ID]; found {
			all[at] = l.Start
			continue
		}
		known[l.ID] = len(all)
		all = append(all, l.Start)
	}
	return all, nil
}
