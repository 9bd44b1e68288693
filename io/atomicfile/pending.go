package atomicfile

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A pending file is named .batch-HOST-NUMBER.NAME, so that it has the ending of the file that it
// will become. Its process holds a lock on it. A pending file without a lock was left by a process
// that ended before Commit. HOST is a hash of the host's name: locks need not reach other hosts.
const pendingMark = ".batch-"

// maxBase is how many bytes of the target's name a pending file's name has. File systems allow 255 in all.
const maxBase = 200

// pendingParts returns the text before and after the number in the name of a pending file.
func pendingParts(target string) (prefix, suffix string) {
	host, _ := os.Hostname() // without a name all files count as those of one host
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(host)) // never fails
	base := filepath.Base(target)
	return fmt.Sprintf("%s%08x-", pendingMark, hash.Sum32()), "." + base[max(len(base)-maxBase, 0):]
}

// createPending creates a pending file for target and locks it.
func createPending(target string) (*os.File, error) {
	prefix, suffix := pendingParts(target)
	for {
		file, err := os.CreateTemp(filepath.Dir(target), prefix+"*"+suffix)
		if err != nil {
			return nil, err
		}
		_ = lock(file) // without locks RemoveLeftovers removes nothing
		if isAt(file, file.Name()) {
			return file, nil
		}
		_ = file.Close() // RemoveLeftovers of another process removed it before it was locked
	}
}

// isAt reports whether the file is the one at path.
func isAt(file *os.File, path string) bool {
	own, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(own, there)
}

// RemoveLeftovers removes the pending files for path that processes of this host left when they
// were killed. It returns how many it removed. It leaves a file that a process is writing.
func RemoveLeftovers(path string) (removed int, err error) {
	target, err := replaceable(path)
	if err != nil {
		return 0, nil // nothing can have been written there
	}
	prefix, suffix := pendingParts(target)
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return 0, nil // Create says what is wrong with the directory
	}
	for _, entry := range entries {
		number, begins := strings.CutPrefix(entry.Name(), prefix)
		number, ends := strings.CutSuffix(number, suffix)
		if !begins || !ends || !isNumber(number) || !entry.Type().IsRegular() {
			continue
		}
		switch removedThis, removeErr := removeUnlocked(filepath.Join(filepath.Dir(target), entry.Name())); {
		case removeErr != nil:
			err = errors.Join(err, removeErr)
		case removedThis:
			removed++
		}
	}
	return removed, err
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// removeUnlocked removes a file that no process has locked.
func removeUnlocked(path string) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil // it is gone, or another user's
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	if lock(file) != nil || !isAt(file, path) {
		return false, nil
	}
	return true, os.Remove(path)
}
