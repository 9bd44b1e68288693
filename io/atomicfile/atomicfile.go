// Package atomicfile writes files that appear whole or not at all. A reader of the path finds the old file
// or the complete new one, also after a crash.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// File is a file that is being written. It is not buffered: every Write is a system call. Only one
// goroutine may use it.
type File struct {
	path      string // what Commit replaces
	pending   *renameio.PendingFile
	writeback writeback
	failed    error // of the first write that failed
	// beginWriteback starts to write a range of the file to the disk.
	beginWriteback func(file *os.File, offset, size int64) error
	// syncDirectory makes a directory's entries durable.
	syncDirectory func(directory string) error
}

// Create starts a file that Commit puts at path. Until then the file has another name in the same
// directory, and path does not change. The file gets the mode of the file that it replaces, or
// 0600. If path is a symbolic link, Commit replaces or creates its target.
//
// Every File needs a Commit or a Discard.
func Create(path string) (*File, error) {
	target, err := replaceable(path)
	if err != nil {
		return nil, err
	}
	pending, err := renameio.NewPendingFile(target,
		renameio.WithTempDir(filepath.Dir(target)), renameio.WithExistingPermissions())
	if err != nil {
		return nil, cannotCreate(path, err)
	}
	return &File{
		path: target, pending: pending, beginWriteback: beginWriteback, syncDirectory: syncDirectory,
	}, nil
}

// Write writes to the file. Its errors name the path, not the temporary file. After an error Commit fails.
func (f *File) Write(data []byte) (int, error) {
	written, err := f.pending.Write(data)
	if failed, isPath := errors.AsType[*fs.PathError](err); isPath {
		failed.Path = f.path
	}
	if offset, size := f.writeback.add(written); size > 0 {
		// Writeback only saves time: Commit syncs the file in any case. But a full or broken disk may report its
		// error here, and not again in Commit.
		if begun := f.beginWriteback(f.pending.File, offset, size); err == nil && isDiskError(begun) {
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
	if err := f.pending.CloseAtomicallyReplace(); err != nil {
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

// Discard removes the file. After Commit or Discard it does nothing.
func (f *File) Discard() {
	// If this fails a temporary file is left, but the file at the path is right.
	_ = f.pending.Cleanup()
}

// CheckWritable returns the error that Create would return. It leaves no file.
func CheckWritable(path string) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	f.Discard()
	return nil
}

// replaceable returns the file that path stands for. It returns an error when path cannot be
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

func syncDirectory(path string) error {
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
