// This file keeps the entries of a ledger in a file: JSON lines that are only ever appended.

package kit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// LedgerFile is the file of the ledger. Each line is appended by one write, so that the
// death of the process leaves every line whole but perhaps the last. It is not
// synced: it outlives the process, not the machine.
//
// Several processes may have it open, but only one can write: an entry rests on all
// that stand before it, so whoever meets an entry that it has not read writes no more.
type LedgerFile[E any] struct {
	apply func(E) error

	file *os.File // nil: the ledger is kept in memory alone
	size int64    // of the file, as far as it was read and written here
	err  error    // the first failed write; nothing is written after it

	create func() error // opens a file that was not there when the ledger was opened; nil when it was
}

// OpenLedgerFileLater is OpenLedgerFile for a ledger that may never have an entry: a file that is not there is
// created by the first entry.
func OpenLedgerFileLater[E any](path, header string, apply func(E) error) (*LedgerFile[E], error) {
	if _, err := os.Stat(path); path == "" || !errors.Is(err, fs.ErrNotExist) {
		return OpenLedgerFile(path, header, apply)
	}
	l := &LedgerFile[E]{apply: apply}
	l.create = func() error {
		opened, err := OpenLedgerFile(path, header, func(E) error { return errOthersWrote })
		if err != nil {
			return err
		}
		l.file, l.size, l.create = opened.file, opened.size, nil
		return nil
	}
	return l, nil
}

// errOthersWrote says why nothing more can be written.
var errOthersWrote = errors.New("another process has written into it; end one of the two and start the other again")

// OpenLedgerFile opens or creates a file and calls apply for every entry after its header. The
// header is the first line, with its end; a file that begins in another way is
// somebody else's and is left alone. A last line without its end was never answered
// for: it is cut off. With an empty path nothing is kept.
func OpenLedgerFile[E any](path, header string, apply func(E) error) (*LedgerFile[E], error) {
	if path == "" {
		return &LedgerFile[E]{apply: apply}, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	l := &LedgerFile[E]{apply: apply, file: file}
	err = l.alone(func() error {
		if err := restore(file, header, l.replay); err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil {
			l.size = info.Size()
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ledger %s: %w", path, err), file.Close())
	}
	return l, nil
}

// replay applies the entry of a line again.
func (l *LedgerFile[E]) replay(line []byte) error {
	var entry E
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&entry); err != nil {
		return err
	}
	return l.apply(entry)
}

// alone does something with the file while no other process does. The lock is the
// kernel's, so that it ends with the process.
func (l *LedgerFile[E]) alone(do func() error) error {
	err := syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX)
	for errors.Is(err, syscall.EINTR) {
		err = syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return errors.Join(do(), syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN))
}

// restore reads the file from its start and makes it end after its last whole line.
func restore(file *os.File, header string, replay func([]byte) error) error {
	reader := bufio.NewReader(file)
	found, err := reader.ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if found != header {
		return begin(file, header, found)
	}
	whole, torn, err := replayLines(reader, replay)
	if err != nil || !torn {
		return err
	}
	return file.Truncate(int64(len(header)) + whole)
}

// begin writes the header of a file that has none, or only the start of one.
func begin(file *os.File, header, found string) error {
	if !strings.HasPrefix(header, found) {
		return errors.New("the file holds something else; name a new file, or move this one away")
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteString(header)
	return err
}

// replayLines hands the entries to replay. It returns the length of the whole
// lines, and whether a torn one follows them.
func replayLines(reader *bufio.Reader, replay func([]byte) error) (whole int64, torn bool, err error) {
	for number := 2; ; number++ {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF {
			return whole, len(line) > 0, nil
		}
		if err != nil {
			return 0, false, err
		}
		if err := replay(line); err != nil {
			return 0, false, fmt.Errorf("line %d: %w; repair the line, or move the file away to start again", number, err)
		}
		whole += int64(len(line))
	}
}

// Record makes an entry durable and then applies it. The write is the commit point: after a crash before it, the
// entry did not happen; after a later crash, it happened and was not answered.
func (l *LedgerFile[E]) Record(entry E) error {
	if err := l.append(entry); err != nil {
		return err
	}
	return l.apply(entry)
}

// append writes one entry as a line of JSON. After a failed write the ledger takes nothing more: the
// file may end in a torn line, which only opening it again cuts off.
func (l *LedgerFile[E]) append(entry E) error {
	if l.err == nil && l.create != nil {
		l.err = l.create()
	}
	if l.file == nil || l.err != nil {
		return l.err
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("an entry that cannot be written: %w", err)
	}
	if err := l.alone(func() error { return l.write(append(line, '\n')) }); err != nil {
		l.err = fmt.Errorf("write the ledger %s: %w", l.file.Name(), err)
	}
	return l.err
}

func (l *LedgerFile[E]) write(line []byte) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != l.size {
		return errOthersWrote
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	return err
}

// Close closes the file. Nothing is written any more.
func (l *LedgerFile[E]) Close() error {
	if l.err == nil {
		l.err = errors.New("the ledger is closed")
	}
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
