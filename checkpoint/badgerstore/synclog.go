package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// syncedLog is the log that Badger writes commits to, the one with the highest number.
// The store syncs it by itself. Badger would do so as well, but would sync its value log
// with it, which stays empty, and the disk makes no difference between the two: every
// commit would wait twice.
//
// Badger writes a commit into one log. It begins the next one, with the next number, only
// at the beginning of a commit and when the last one is full. So when Badger has taken a
// commit and the newest log is synced then, the commit is on the disk.
type syncedLog struct {
	dir    string
	number int
	file   *os.File
}

func logName(number int) string { return fmt.Sprintf("%05d%s", number, logEnding) }

// openSyncedLog opens the newest log of an open store. It syncs all that are there: a
// process that was killed may have left some that the disk does not have yet, and what
// is built on them must not outlive them.
func openSyncedLog(dir string) (*syncedLog, error) {
	names, err := storeFiles(dir)
	if err != nil {
		return nil, err
	}
	last := lastLog(names)
	number, err := strconv.Atoi(strings.TrimSuffix(last, logEnding))
	if err != nil {
		return nil, fmt.Errorf("the store in %s has no log", dir)
	}
	for _, name := range names {
		if !isLog(name) || name == last {
			continue
		}
		if err := syncLog(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	l := &syncedLog{dir: dir}
	return l, l.turnTo(number)
}

// syncLog syncs a log, which may be gone already: its records stand in a table then.
func syncLog(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(syncData(file), file.Close())
}

// turnTo makes the log of that number, which is there, the one that is synced.
func (l *syncedLog) turnTo(number int) error {
	file, err := os.Open(filepath.Join(l.dir, logName(number)))
	if err != nil {
		return err
	}
	l.number, l.file = number, file
	return errors.Join(syncData(file), syncDir(l.dir))
}

// sync makes durable what Badger has written.
func (l *syncedLog) sync() error {
	for {
		_, err := os.Lstat(filepath.Join(l.dir, logName(l.number+1)))
		if errors.Is(err, os.ErrNotExist) {
			return syncData(l.file)
		}
		if err == nil {
			err = errors.Join(l.close(), l.turnTo(l.number+1))
		}
		if err != nil {
			return err
		}
	}
}

// close syncs the log for the last time.
func (l *syncedLog) close() error { return errors.Join(syncData(l.file), l.file.Close()) }
