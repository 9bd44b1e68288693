package badgerstore

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dgraph-io/badger/v4"
)

// Badger writes through memory maps: on a full disk the kernel ends the process
// in the middle of a write. So the journal stops while there is still room for
// what a commit can cause: a memory table of earlierMemTableSize written to the disk, its
// log, and besides these a merge of tables (mergeSpace).
//
// New attempts end first: the rest is kept for the answers to those in flight.
const (
	leastSpace        = 4 * earlierMemTableSize
	leastAnswersSpace = earlierMemTableSize * 3 / 2
	// When so few memory tables are missing until a merge begins, it has to have room too. Answers to attempts in flight
	// fill less than the difference.
	tablesAhead        = 6
	answersTablesAhead = 2
)

// answerSpace is about how many bytes a lookup adds to a journal at most.
const answerSpace = 4 << 10

// NeededSpace returns about how many bytes a journal needs on its disk for a number of lookups.
func NeededSpace(lookups int64) int64 { return leastSpace + lookups*answerSpace }

// CheckSpace returns an error when the disk of dir is too full for a journal in it to
// begin lookups.
func CheckSpace(dir string) error { return needSpace(dir, leastSpace) }

// plenty is so much room, in bytes, that no merge of tables can take it.
const plenty = 1 << 30

// needSpace returns an error when the disk of dir has fewer than least bytes left, or fewer than a merge of tables takes
// besides them.
func needSpace(dir string, least uint64) error { return needSpaceFor(dir, least, tablesAhead) }

// needSpaceFor is needSpace, with how many memory tables may be missing until the merge begins.
func needSpaceFor(dir string, least uint64, ahead int) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return fmt.Errorf("looking for free space: %w", err)
	}
	free := uint64(disk.Bavail) * uint64(disk.Bsize)
	if free >= least+plenty {
		return nil
	}
	merge := mergeSpace(dir, ahead)
	if free < least+merge {
		return fmt.Errorf("%s has %d MB left and the journal needs %d MB to be safe: %w",
			dir, free>>20, (leastSpace+merge)>>20, syscall.ENOSPC)
	}
	return nil
}

// mergeSpace returns how many more bytes the next merge of the tables in dir takes, 0 while more than ahead memory tables
// are missing until it begins. A merge writes all of its tables before it removes those that it has read: the memory
// tables, and the whole level below them.
func mergeSpace(dir string, ahead int) (bytes uint64) {
	file, err := os.Open(filepath.Join(dir, manifestName))
	if err != nil {
		return 0 // a new journal
	}
	defer file.Close()
	manifest, _, err := badger.ReplayManifestFile(file, 0, badger.Options{})
	if err != nil || len(manifest.Levels) == 0 || len(manifest.Levels[0].Tables) < tablesBeforeMerge-ahead {
		return 0 // opening the journal says what is wrong with its manifest
	}
	below := len(manifest.Levels)
	for level := len(manifest.Levels) - 1; level > 0; level-- {
		if len(manifest.Levels[level].Tables) > 0 {
			below = level
		}
	}
	entries, _ := os.ReadDir(dir) // the system's errors come with the next write
	written := uint64(0)          // by a merge that has begun
	for _, entry := range entries {
		var id uint64
		if _, err := fmt.Sscanf(entry.Name(), "%d"+tableEnding, &id); err != nil {
			continue
		}
		var file syscall.Stat_t
		if syscall.Stat(filepath.Join(dir, entry.Name()), &file) != nil {
			continue // it was removed meanwhile
		}
		switch table, known := manifest.Tables[id]; {
		case !known:
			written += uint64(file.Blocks) * 512 // st_blocks counts 512 bytes on every system
		case table.Level == 0 || int(table.Level) == below:
			bytes += uint64(file.Size)
		}
	}
	return bytes - min(bytes, written)
}
