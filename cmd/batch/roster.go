package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/pipeline"
)

// A roster is kept beside the journal for each run, under the journal's version and behind
// a hash of all that it depends on, so that the output is written again without finding
// out anew who the rows are about. It is a cache: without it, or when anything has changed,
// the same is found out again.

// rosterFolder is where rosters are kept, in the journal's directory.
const rosterFolder = "rosters"

// rosterKey is what a roster depends on.
type rosterKey struct {
	Program  string // whatever is found out, another one may find out otherwise
	List     []byte // its mark
	Files    []string
	Encoding string
	Sheet    string
	Mapping  pipeline.Mapping
	Wanted   enrich.Fields
	Prefer   enrich.Pattern
	Journal  uint64 // its version
}

// rosterOf is the roster of a run.
type rosterOf struct {
	*session
	dir    string // where rosters are kept
	run    string // stands for the name of the run
	key    rosterKey
	roster *pipeline.Roster
	fresh  bool // it is not kept yet
}

// openRoster returns the roster that is kept of a run's list, or makes it. It is closed
// with the session.
func (s *session) openRoster(ctx context.Context, run string, scope pipeline.Scope, list *listFile) (*pipeline.Roster, error) {
	dir, err := s.workspaceDir()
	if err != nil {
		return nil, err
	}
	mark, err := list.Mark()
	if err != nil {
		return nil, asListError(err)
	}
	name := sha256.Sum256([]byte(run))
	s.roster = &rosterOf{
		session: s, dir: filepath.Join(dir, rosterFolder), run: hex.EncodeToString(name[:16]),
		key: rosterKey{
			List: mark, Files: list.paths, Encoding: s.encoding, Sheet: s.sheet,
			Mapping: scope.Mapping, Wanted: scope.Wanted, Prefer: scope.Prefer,
		},
	}
	if s.roster.roster, err = s.roster.kept(); err == nil {
		return s.roster.roster, nil
	}
	defer debug.SetGCPercent(debug.SetGCPercent(surveyGCPercent))
	s.roster.fresh = true
	s.roster.roster, err = scope.CallRoll(ctx, list, s.journal)
	return s.roster.roster, err
}

// programID tells this program from one that was built from another source: by its file
// too, because not every build tells what it was built from. It is asked for when the
// program starts: a run may take days, and another program may lie in that place when it
// ends.
func programID() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	build, _ := debug.ReadBuildInfo() // nil without modules
	return fmt.Sprint(version, info.Size(), info.ModTime().UnixNano(), build)
}

// errUnknownProgram says that nothing tells this program from others.
var errUnknownProgram = errors.New("nothing tells this program from others")

// sum returns the hash of what the roster depends on, as the journal is now.
func (r *rosterOf) sum() ([]byte, error) {
	if r.env.program == "" {
		return nil, errUnknownProgram
	}
	r.key.Program, r.key.Journal = r.env.program, r.journal.Version()
	text, err := json.Marshal(r.key)
	sum := sha256.Sum256(text)
	return sum[:], err
}

// era begins the names of all rosters that fit the journal as it is now.
func (r *rosterOf) era() string { return fmt.Sprintf("%016x-", r.journal.Version()) }

// path returns where the roster is kept as long as the journal is as it is now.
func (r *rosterOf) path() string { return filepath.Join(r.dir, r.era()+r.run) }

// errOtherKey says that a kept roster is of something else.
var errOtherKey = errors.New("the roster is of another list, scope or journal")

// kept opens the roster that is kept.
func (r *rosterOf) kept() (_ *pipeline.Roster, err error) {
	sum, err := r.sum()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(r.path())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Close() // nothing was written to it
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	found := make([]byte, len(sum))
	if _, err := file.ReadAt(found, 0); err != nil || !bytes.Equal(found, sum) {
		return nil, errors.Join(err, errOtherKey)
	}
	start := int64(len(sum))
	return pipeline.OpenRoster(fileFrom{io.NewSectionReader(file, start, info.Size()-start), file}, info.Size()-start)
}

// fileFrom is a part of a file.
type fileFrom struct {
	*io.SectionReader
	io.Closer
}

// keepRoster keeps the roster for the next time. It is called when nothing more is written
// to the journal. What cannot be kept is found out again.
func (s *session) keepRoster() {
	if s.roster != nil && s.roster.fresh {
		_ = s.roster.write()
	}
}

func (r *rosterOf) write() error {
	sum, err := r.sum()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	if err := r.clearUp(); err != nil {
		return err
	}
	file, err := atomicfile.Create(r.path())
	if err != nil {
		return err
	}
	defer file.Discard()
	if _, err := file.Write(sum); err != nil {
		return err
	}
	if _, err := r.roster.WriteTo(file); err != nil {
		return err
	}
	return file.Commit()
}

// clearUp removes the rosters that the journal has left behind, of whatever run, and what
// processes left that ended while they kept one. The journal is held, so no other process
// is keeping one now.
func (r *rosterOf) clearUp() error {
	files, err := os.ReadDir(r.dir)
	for _, file := range files {
		if !strings.HasPrefix(file.Name(), r.era()) {
			err = errors.Join(err, os.Remove(filepath.Join(r.dir, file.Name())))
		}
	}
	return err
}

func (r *rosterOf) close() error {
	if r == nil || r.roster == nil {
		return nil
	}
	return r.roster.Close()
}
