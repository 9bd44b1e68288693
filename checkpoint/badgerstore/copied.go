package badgerstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"payonce/checkpoint/record"
)

// copiedName is a file that says that the journal was copied elsewhere. Two journals that go on would each buy what the
// other one has.
const copiedName = "COPIED"

// Copied says where a journal was copied, and that nothing may be paid from it any more.
type Copied struct {
	To string    `json:"to"` // in words, without a password
	At time.Time `json:"at"`
	// Done is false while it is copied, and after a copy that broke off.
	Done bool `json:"done"`
}

// CopiedError says that a journal may only be read, because it was copied elsewhere.
type CopiedError struct {
	Dir string
	Copied
}

func (e *CopiedError) Error() string {
	at := e.At.UTC().Format("2006-01-02 15:04")
	if !e.Done {
		return fmt.Sprintf("a copy of the journal in %s to %s began at %s UTC and did not end; nothing is paid from it", e.Dir, e.To, at)
	}
	return fmt.Sprintf("the journal in %s was copied to %s at %s UTC; nothing is paid from it any more", e.Dir, e.To, at)
}

// CopiedTo returns where the journal in dir was copied; found is false when it was not.
func CopiedTo(dir string) (copied Copied, found bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, copiedName))
	if errors.Is(err, fs.ErrNotExist) {
		return copied, false, nil
	}
	if err == nil {
		if json.Unmarshal(text, &copied) != nil {
			err = fmt.Errorf("%w: %s cannot be read", record.ErrCorrupt, filepath.Join(dir, copiedName))
		}
	}
	return copied, true, err
}

// SetCopied records where the journal of the store is copied. It is durable when it returns.
func (s *Store) SetCopied(copied Copied) error {
	text, err := json.Marshal(copied)
	if err != nil {
		return err
	}
	return writeSynced(filepath.Join(s.dir, copiedName), string(text)+"\n")
}

// UnsetCopied removes what SetCopied recorded.
func (s *Store) UnsetCopied() error {
	if err := os.Remove(filepath.Join(s.dir, copiedName)); err != nil {
		return err
	}
	return syncDir(s.dir)
}

// mustNotBeCopied refuses a journal that was copied elsewhere, unless the options allow it.
func mustNotBeCopied(dir string, options Options) error {
	copied, found, err := CopiedTo(dir)
	if err == nil && found && !options.Copied {
		err = &CopiedError{dir, copied}
	}
	return err
}
