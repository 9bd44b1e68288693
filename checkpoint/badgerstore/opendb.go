package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"payonce/checkpoint/record"
)

// openDB opens Badger. An error that is not the system's or the key's is damage.
func openDB(dir string, o Options) (db *badger.DB, err error) {
	defer asCorrupt(&err)
	db, err = badger.OpenManaged(settingsFor(dir, o))
	switch {
	case errors.Is(err, badger.ErrEncryptionKeyMismatch):
		return nil, keyError(dir, o.EncryptionKey)
	case err != nil && isSystemError(err):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w; %s", record.ErrCorrupt, err, record.Restore)
	}
	return db, nil
}

// settingsFor returns how Badger opens the database in dir.
func settingsFor(dir string, o Options) badger.Options {
	settings := badger.DefaultOptions(dir).
		WithSyncWrites(false).      // engine.commit does
		WithDetectConflicts(false). // there is one writer
		WithMetricsEnabled(false).
		WithLogger(nil).
		WithNumCompactors(2).
		WithNumMemtables(2).     // one is written to the disk while the other fills
		WithBlockSize(16 << 10). // a smaller block would stay empty in large part, because a second answer does not fit
		WithMemTableSize(memTableSizeFor(dir)).
		WithBaseTableSize(baseTableSize).
		WithNumLevelZeroTablesStall(mostLevelZeroTables).
		WithBaseLevelSize(baseLevelSize).
		WithValueThreshold(2 * longestPart). // longer than any value, so the value log stays empty
		WithValueLogFileSize(128 << 20).
		WithBlockCacheSize(8 << 20).
		WithIndexCacheSize(64 << 20).
		WithChecksumVerificationMode(options.OnBlockRead).
		WithEncryptionKey(o.EncryptionKey)
	if o.InOrder {
		settings = settings.WithBlockCacheSize(1 << 20) // Badger needs a cache, here a small one
	}
	if o.InOrder || errors.Is(CheckSpace(dir), syscall.ENOSPC) {
		// A compaction would take about 40 MB of memory, or more room than the disk has. The next run does it. Writes would wait
		// for one that never comes, so the number of tables does not limit them.
		settings = settings.WithNumCompactors(0).WithNumLevelZeroTablesStall(math.MaxInt)
	}
	if o.smallTables {
		// A stream writer makes tables of 32 times this size, and writes up to 16 of them at a time.
		settings = settings.WithBaseTableSize(64 << 10)
	}
	return settings
}

// A compaction of level 0 begins when it has 5 tables. When it has mostLevelZeroTables, commits wait for one.
const (
	mostLevelZeroTables = 8
	baseLevelSize       = 10 << 20 // of the level below, in bytes
)

// Sizes of tables, in bytes. Badger limits a commit to 15 % of a memory table. To write one to the disk it allocates a
// set of buffers: the first one has twice the base size, each further one twice the size of the one before. For these
// sizes 0.5, 1, 2 and 4 MB suffice. Badger keeps up to 8 sets. As many others may be in use, because a compaction
// builds a dozen tables at a time.
const (
	memTableSize  = 3 << 20
	baseTableSize = 256 << 10
	// earlierMemTableSize is the largest of earlier versions.
	earlierMemTableSize = 16 << 20
)

// memTableSizeFor returns the size of memory tables for a database. After a crash Badger reads each log into one memory
// table, so that of an earlier version needs a larger one: when it does not fit, Badger ends the process. A log takes
// twice the size of a memory table, until it was read once: then Badger cuts it to its content. A short one fits in any
// case, as its entries take less than twice their room in a memory table.
func memTableSizeFor(dir string) int64 {
	entries, _ := os.ReadDir(dir) // Badger reads it again and returns the error
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != logEnding {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Size() != 2*memTableSize && info.Size() > memTableSize/2 {
			return earlierMemTableSize
		}
	}
	return memTableSize
}

// isSystemError reports whether the operating system refused something that says
// nothing about the records. Of what Badger wraps nothing but the text is left.
func isSystemError(err error) bool {
	for _, system := range []error{
		fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN,
	} {
		if errors.Is(err, system) || strings.Contains(err.Error(), system.Error()) {
			return true
		}
	}
	return false
}

// asCorrupt turns a panic, which Badger raises on damaged bytes, into an error. It tells
// which one, for it may be a mistake in a program as well.
func asCorrupt(err *error) {
	if failure := recover(); failure != nil {
		*err = fmt.Errorf("%w: its files cannot be read: %v; %s", record.ErrCorrupt, failure, record.Restore)
	}
}
