package badgerstore

import (
	"fmt"
	"syscall"
)

// Badger writes through memory maps: on a full disk the kernel ends the process
// in the middle of a write. So the journal stops while there is still room for
// what a commit can cause, in bytes.
//
// New attempts end first: the rest is kept for the answers to those in flight.
const (
	// leastSpace is for opening, closing and copying: memory tables of earlierMemTableSize, and their logs.
	leastSpace = 4 * earlierMemTableSize
	// leastAnswersSpace is for a memory table of earlierMemTableSize and its log.
	leastAnswersSpace = earlierMemTableSize * 3 / 2
	// compactionSpace is for a compaction of level 0. It writes all new tables before it removes those that it has read:
	// the tables of level 0, and the level below. This one exceeds its size until its own compaction: it had 39 MB in a
	// test that only wrote, and may have 58.
	compactionSpace = 3*mostLevelZeroTables*memTableSize + baseLevelSize
	// attemptsSpace is for new attempts, their answers, and a compaction meanwhile.
	attemptsSpace = leastSpace + compactionSpace
)

// answerSpace is about how many bytes a lookup adds to a journal at most.
const answerSpace = 4 << 10

// NeededSpace returns about how many bytes a journal needs on its disk for a number of lookups.
func NeededSpace(lookups int64) int64 { return attemptsSpace + lookups*answerSpace }

// CheckSpace returns an error when the disk of dir is too full for a journal in it to
// begin lookups.
func CheckSpace(dir string) error { return needSpace(dir, attemptsSpace) }

// needSpace returns an error when the disk of dir has fewer than least bytes left.
func needSpace(dir string, least uint64) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return fmt.Errorf("looking for free space: %w", err)
	}
	if free := uint64(disk.Bavail) * uint64(disk.Bsize); free < least {
		return fmt.Errorf("%s has %d MB left and the journal needs %d MB to be safe: %w",
			dir, free>>20, least>>20, syscall.ENOSPC)
	}
	return nil
}
