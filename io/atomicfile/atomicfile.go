// Package atomicfile writes files that appear whole or not at all. A reader of the path finds the old file
// or the complete new one, also after a crash.
package atomicfile

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/zeebo/xxh3"
)

// File is a file that is being written. It is not buffered: every Write is a system call. Only one
// goroutine may use it.
type File struct {
	path      string // what Commit replaces
	pending   *os.File
	writeback writeback
	sum       xxh3.Hasher
	failed    error // of the first write that failed
	ended     bool  // Commit put the file in place, or Discard removed it
	// beginWriteback starts to write a range of the file to the disk.
	beginWriteback func(file *os.File, offset, size int64) error
	// syncDirectory makes a directory's entries durable.
	syncDirectory func(directory string) error
}

// Create starts a file that Commit puts at path. Until then the file has another name in the same directory, and path
// does not change. The file gets the mode of the file that it replaces. If there is none, it gets the given mode, or
// 0600 when that is zero. If path is a symbolic link, Commit replaces or creates its target. Create removes files
// that killed processes left when they wrote to the same path.
//
// Every File needs a Commit or a Discard.
func Create(path string, mode fs.FileMode) (*File, error) {
	target, err := replaceable(path)
	if err != nil {
		return nil, err
	}
	_, _ = RemoveLeftovers(target) // a file that cannot be removed does not prevent the write
	mode, err = modeOf(target, mode)
	if err != nil {
		return nil, cannotCreate(path, err)
	}
	pending, err := createPending(target)
	if err != nil {
		return nil, cannotCreate(path, err)
	}
	f := &File{path: target, pending: pending, beginWriteback: beginWriteback, syncDirectory: SyncDirectory}
	if err := pending.Chmod(mode); err != nil {
		f.Discard()
		return nil, cannotCreate(path, err)
	}
	return f, nil
}

// Replace puts what write writes at path, whole or not at all. The modes are those of Create.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	file, err := Create(path, mode)
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := write(file); err != nil {
		return err
	}
	return file.Commit()
}

// modeOf returns the mode of a file that is replaced. When there is none, it returns the given mode,
// or 0600 when that is zero.
func modeOf(path string, ofNew fs.FileMode) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(ofNew, 0o600), nil
	}
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// Write writes to the file. Its errors name the path, not the temporary file. After an error Commit fails.
func (f *File) Write(data []byte) (int, error) {
	written, err := f.pending.Write(data)
	_, _ = f.sum.Write(data[:written]) // never fails
	if failed, isPath := errors.AsType[*fs.PathError](err); isPath {
		failed.Path = f.path
	}
	if offset, size := f.writeback.add(written); size > 0 {
		// Writeback only saves time: Commit syncs the file in any case. But a full or broken disk may report its
		// error here, and not again in Commit.
		if begun := f.beginWriteback(f.pending, offset, size); err == nil && isDiskError(begun) {
			err = begun
		}
	}
	if f.failed == nil {
		f.failed = err
	}
	return written, err
}

// Commit makes the file durable and puts it at its path. If it fails before that, the path does not
// change and no file is left. If only the sync of the directory fails, the new file is at the path,
// but a crash may restore the old one.
func (f *File) Commit() error {
	if f.failed != nil {
		f.Discard()
		return fmt.Errorf("%s could not be written completely and was removed: %w", f.path, f.failed)
	}
	if err := f.replace(); err != nil {
		f.Discard()
		return fmt.Errorf("putting the new file at %s: %w", f.path, err)
	}
	// The rename is the commit point for every reader. It is durable only after this sync: before
	// it a crash may undo the rename.
	if err := f.syncDirectory(filepath.Dir(f.path)); err != nil {
		return fmt.Errorf("%s is written, but a crash may undo it: %w", f.path, err)
	}
	return nil
}

// replace makes the file durable under its own name and then renames it: a crash in between must not
// leave a file without its bytes at the path.
func (f *File) replace() error {
	if f.ended {
		return os.ErrClosed
	}
	if err := errors.Join(f.pending.Sync(), f.pending.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.pending.Name(), f.path); err != nil {
		return err
	}
	f.ended = true
	return nil
}

// Discard removes the file. After Commit or Discard it does nothing.
func (f *File) Discard() {
	if f.ended {
		return
	}
	f.ended = true
	// If this fails a pending file is left, but the file at the path is right.
	_ = os.Remove(f.pending.Name())
	_ = f.pending.Close()
}

// Target returns the Target of a File that is created at path.
func Target(path string) (string, error) { return replaceable(path) }

// Target returns the file that Commit replaces or creates: path, or what it links to.
func (f *File) Target() string { return f.path }

// Pending returns the path of the file until Commit. It has the ending of the target.
func (f *File) Pending() string { return f.pending.Name() }

// Size returns the number of bytes written.
func (f *File) Size() int64 { return f.writeback.written }

// ReadAt reads what was written.
func (f *File) ReadAt(data []byte, offset int64) (int, error) { return f.pending.ReadAt(data, offset) }

// Sum returns the hash of the bytes written, in hexadecimal digits.
func (f *File) Sum() string { return sumText(f.sum.Sum128()) }

func sumText(sum xxh3.Uint128) string {
	bytes := sum.Bytes()
	return hex.EncodeToString(bytes[:])
}

// SumOf returns the hash of a file, as Sum does.
func SumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := xxh3.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return sumText(hash.Sum128()), nil
}

// CheckWritable returns the error that Create would return. It leaves no file.
func CheckWritable(path string) error {
	f, err := Create(path, 0)
	if err != nil {
		return err
	}
	f.Discard()
	return nil
}

// replaceable returns the file that path leads to. It returns an error when path cannot be
// replaced by a file or has no directory.
func replaceable(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		if link, err := os.Readlink(path); err == nil { // to a file that does not exist yet
			if !filepath.IsAbs(link) {
				link = filepath.Join(filepath.Dir(path), link)
			}
			return replaceable(link)
		}
		return path, directoryOf(path)
	}
	if err != nil {
		return "", cannotCreate(path, err)
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return "", cannotCreate(path, err)
	case info.IsDir():
		return "", fmt.Errorf("%s is a directory; name a file in it", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a device or a pipe and cannot be replaced; name a file", path)
	}
	return target, nil
}

func directoryOf(path string) error {
	directory := filepath.Dir(path)
	switch info, err := os.Stat(directory); {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the directory %s does not exist; create it first: %w", directory, os.ErrNotExist)
	case err != nil:
		return cannotCreate(path, err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory; name a file in a directory", directory)
	}
	return nil
}

func cannotCreate(path string, err error) error {
	return fmt.Errorf("cannot create %s; check its directory and your permissions: %w", path, err)
}

// SyncDirectory makes the names in a directory survive a crash, where the file system can do that.
func SyncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	defer directory.Close()
	// Some file systems cannot sync a directory.
	if err := directory.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
