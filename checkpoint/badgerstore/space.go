package badgerstore

import (
	"fmt"
	"sync"
	"syscall"
	"time"
)

// Badger writes through memory maps: on a full disk the kernel ends the process
// in the middle of a write. So the journal stops while there is still room for
// what a commit can cause: a memory table of memTableSize written to the disk, its
// log, and a merge of tables.
//
// New attempts end first: the rest is kept for the answers to those in flight.
const (
	memTableSize      = 16 << 20
	leastSpace        = 4 * memTableSize
	leastAnswersSpace = memTableSize * 3 / 2
)

// CheckSpace returns an error when the disk of dir is too full for a journal in it to
// begin lookups.
func CheckSpace(dir string) error { return needSpace(dir, leastSpace) }

// spaceLook is how long a look at the free space holds: no disk that a journal can
// be kept on fills by a tenth of leastSpace in that time.
const spaceLook = 5 * time.Millisecond

// space remembers how much was free a moment ago, so that not every decision has to
// ask the system.
type space struct {
	dir    string
	mu     sync.Mutex
	looked time.Time
	err    error
}

// left returns an error when there is not enough space left for new attempts.
func (s *space) left() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.looked) > spaceLook {
		s.looked, s.err = now, needSpace(s.dir, leastSpace)
	}
	return s.err
}

// needSpace returns an error when the disk of dir has less than so many bytes left.
func needSpace(dir string, least uint64) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return fmt.Errorf("looking for free space: %w", err)
	}
	if free := uint64(disk.Bavail) * uint64(disk.Bsize); free < least {
		return fmt.Errorf("%s has %d MB left and the journal needs %d MB to be safe; free some and run the same command again: %w",
			dir, free>>20, leastSpace>>20, syscall.ENOSPC)
	}
	return nil
}
