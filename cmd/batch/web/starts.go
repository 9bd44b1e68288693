// This file starts runs as separate processes, finds them again, and stops them.

package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"payonce/io/atomicfile"
	"payonce/pipeline/report"
)

// starts are the starts of runs from the page. Each run has a directory:
//
//	lock    locked (flock) until the process of a run ends: the process inherits the open file
//	N.json  the record of start N, written before its process begins
//	N.pid   the ID of its process
//	N.out   its standard output, JSON
//	N.err   its standard error
//	N.stop  exists when the process got SIGTERM: a second signal would end it before it has drained
//
// So a server that is killed at any time, and started again, knows whether a run is alive, and never takes another
// process for it.
type starts struct {
	dir        string
	executable string
	now        func() time.Time
	mu         sync.Mutex             // held while a lock is checked or a process begins
	begun      map[*os.Process]string // the paths of their files without endings
	draining   bool
	ended      sync.WaitGroup // of the processes that this server began
}

// start is one start of a run.
type start struct {
	Plan    string    `json:"plan"` // the checksum of the kept plan
	At      time.Time `json:"at"`
	Output  string    `json:"output"`
	Number  int       `json:"-"` // 0 for none
	Running bool      `json:"-"`
	Process int       `json:"-"` // 0 when it is not known
	// Failure is why the process ended without a run; nil when it did not.
	Failure *report.Failure `json:"-"`
	// Ended says that the process has printed how it ended: it was not killed.
	Ended bool `json:"-"`
}

// errStarted says that a run was started after its plan was shown.
var errStarted = errors.New("the run was started already")

// errDraining says that the server ends.
var errDraining = &refusal{503, "The server is stopping, so nothing was started. Approve again when it runs again."}

func (s *starts) directory(run string) string {
	hash := sha256.Sum256([]byte(run))
	return filepath.Join(s.dir, hex.EncodeToString(hash[:16]))
}

// last returns the last start of a run from the page; its number is 0 for none.
func (s *starts) last(run string) (start, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read(s.directory(run))
}

func (s *starts) read(dir string) (last start, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, name := range names {
		if n, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(name), ".json")); err == nil {
			last.Number = max(last.Number, n)
		}
	}
	if err != nil || last.Number == 0 {
		return last, err
	}
	base := filepath.Join(dir, strconv.Itoa(last.Number))
	text, err := os.ReadFile(base + ".json")
	if err == nil {
		err = json.Unmarshal(text, &last)
	}
	if err != nil {
		return last, fmt.Errorf("the record of a start of a run: %w", err)
	}
	lock, err := lockFile(dir)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		last.Running = true
		pid, _ := os.ReadFile(base + ".pid")
		last.Process, _ = strconv.Atoi(string(pid)) // not known when the server was killed before it wrote it
		return last, nil
	case err != nil:
		return last, err
	}
	_ = lock.Close() // nothing was written
	printed, err := os.ReadFile(base + ".out")
	if errors.Is(err, fs.ErrNotExist) {
		return last, nil
	}
	failed := struct{ Error *report.Failure }{}
	if json.Unmarshal(bytes.TrimSpace(printed), &failed) == nil {
		last.Ended, last.Failure = true, failed.Error
	}
	return last, err
}

// lockFile opens and locks the lock of a run. It returns EWOULDBLOCK while the run is alive.
func lockFile(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// begin starts a run that had a number of starts. It returns errStarted when the run had another start since, or is
// alive. The process has a session of its own: it continues when this one is killed or its terminal closes.
func (s *starts) begin(run string, after int, of start, arguments []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return errDraining
	}
	dir := s.directory(run)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	last, err := s.read(dir)
	if err != nil {
		return err
	}
	if last.Running || last.Number != after {
		return errStarted
	}
	lock, err := lockFile(dir)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errStarted // by another server at this moment
	}
	if err != nil {
		return err
	}
	defer lock.Close() // the process has inherited the lock
	of.At = s.now().UTC()
	text, err := json.Marshal(of)
	if err != nil {
		return err
	}
	base := filepath.Join(dir, strconv.Itoa(after+1))
	// From here on the start counts, even if its process never begins. Then the next approval can start the run.
	err = atomicfile.Replace(base+".json", 0o600, func(w io.Writer) error { _, err := w.Write(text); return err })
	if err != nil {
		return err
	}
	return s.spawn(base, lock, arguments)
}

// spawn begins the process of a start.
func (s *starts) spawn(base string, lock *os.File, arguments []string) error {
	out, err := os.OpenFile(base+".out", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	notes, err := os.OpenFile(base+".err", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer notes.Close()
	cmd := &exec.Cmd{
		Path: s.executable, Args: append([]string{"batch"}, arguments...), Stdout: out, Stderr: notes, ExtraFiles: []*os.File{lock},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if s.begun == nil {
		s.begun = map[*os.Process]string{}
	}
	s.begun[cmd.Process] = base
	s.ended.Add(1)
	go func() {
		defer s.ended.Done()
		_ = cmd.Wait() // what it printed says how it ended
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.begun, cmd.Process)
	}()
	return os.WriteFile(base+".pid", []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
}

// stop drains the process of a run that is alive. It reports whether the process is known.
func (s *starts) stop(run string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := s.directory(run)
	last, err := s.read(dir)
	if err != nil || last.Process == 0 {
		return false, err
	}
	return true, interrupt(last.Process, filepath.Join(dir, strconv.Itoa(last.Number))+".stop")
}

// interrupt sends a process SIGTERM, so that it drains. It makes the file told and sends nothing when the file exists,
// because a second signal would end the process before it has drained.
func interrupt(process int, told string) error {
	file, err := os.OpenFile(told, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := syscall.Kill(process, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// drain drains the runs that this server began, and waits until they have ended. From then on no run begins.
func (s *starts) drain() {
	s.mu.Lock()
	s.draining = true
	for process, base := range s.begun {
		_ = interrupt(process.Pid, base+".stop") // a process that cannot be signalled ends when its run ends
	}
	s.mu.Unlock()
	s.ended.Wait()
}

func (s *starts) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}
