// This file writes the files that start jobs, and tells whether somebody has edited them.

package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"payonce/io/atomicfile"
)

// unitSetup says what is started, and where.
type unitSetup struct {
	Program string // as all other paths an absolute one
	File    string // the jobs file
	Dir     string // in which relative names of the jobs file begin
	State   string // the directory of the journals
	EnvFile string // with the variables of the environment, such as keys
	Account string // that units of the system run as
	User    bool   // units of a user, not of the system
	Jobs    []UnitJob
}

// UnitJob is a job with a schedule.
type UnitJob struct {
	Name  string
	Times Times
	Zone  string   // of the times; "" for the machine's
	Write []string // directories of outputs
}

// unitFile is a file that starts jobs.
type unitFile struct{ Name, Text string }

// markForm begins a file that Sealed returned.
const markForm = "# Written by batch jobs install. SHA-256 of the lines below: "

// sealed returns a file that tells whether somebody has edited it.
func sealed(name, text string) unitFile { return unitFile{name, markForm + hashOf(text) + "\n" + text} }

func hashOf(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

// EditedError says that a file is not as it was written.
type EditedError struct{ Path string }

func (e *EditedError) Error() string {
	return e.Path + " was edited or comes from elsewhere, so nothing was written; move it away, or print the files " +
		"and change yours by hand"
}

// writeUnits writes files into a directory. It replaces files that it wrote before, and writes nothing when one of them
// was edited since. It returns the paths of the files that changed.
func writeUnits(dir string, files []unitFile) (changed []string, err error) {
	var stale []unitFile
	for _, file := range files {
		path := filepath.Join(dir, file.Name)
		kept, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			stale = append(stale, file)
		case err != nil:
			return nil, err
		case string(kept) == file.Text:
		case edited(string(kept)):
			return nil, &EditedError{path}
		default:
			stale = append(stale, file)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, file := range stale {
		path := filepath.Join(dir, file.Name)
		if err := writeUnit(path, file.Text); err != nil {
			return changed, err
		}
		changed = append(changed, path)
	}
	return changed, nil
}

// edited reports whether a text is not as sealed returned it.
func edited(text string) bool {
	first, rest, _ := strings.Cut(text, "\n")
	hash, marked := strings.CutPrefix(first, markForm)
	return !marked || hash != hashOf(rest)
}

func writeUnit(path, text string) error {
	return atomicfile.Replace(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
