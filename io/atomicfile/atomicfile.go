// Package atomicfile writes a file that appears whole or not at all: whoever opens
// its path, also after a crash, finds the old file or the complete new one.
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

// File is a file in the making. It is not buffered: every Write is a system call. It
// is used by one goroutine.
type File struct {
	path      string // what Commit replaces
	pending   *renameio.PendingFile
	writeback writeback
	failed    error // of the first write that failed; the file is not whole
	// beginWriteback has a range of the file put on the disk.
	beginWriteback func(file *os.File, offset, size int64) error
	// syncDirectory makes a directory's entries durable.
	syncDirectory func(directory string) error
}

// Create begins a file that Commit puts at path. Until then it stands in the same
// directory under another name, and path is untouched. It gets the mode of the file
// that it replaces, or 0600. A symbolic link at path stays and its target is replaced, or
// created.
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
	return &File{path: target, pending: pending, beginWriteback: beginWriteback, syncDirectory: syncDirectory}, nil
}

// Write writes to the file in the making. After an error, which names the path and not
// the file in the making, Commit refuses.
func (f *File) Write(data []byte) (int, error) {
	written, err := f.pending.Write(data)
	if failed, isPath := errors.AsType[*fs.PathError](err); isPath {
		failed.Path = f.path
	}
	if offset, size := f.writeback.add(written); size > 0 {
		// It only saves time: a file system that cannot do it is synced in Commit as well.
		// But a disk that is full or broken may tell it here, and not once more in Commit.
		if begun := f.beginWriteback(f.pending.File, offset, size); err == nil && ofTheDisk(begun) {
			err = begun
		}
	}
	if f.failed == nil {
		f.failed = err
	}
	return written, err
}

// Commit makes the file durable and puts it at its path. When it fails before that,
// the path is untouched and nothing is left over. When only the sync of the directory
// fails, the file is in its place, but a crash may still bring the old one back.
func (f *File) Commit() error {
	if f.failed != nil {
		f.Discard()
		return fmt.Errorf("%s was not written whole and is discarded: %w", f.path, f.failed)
	}
	if err := f.pending.CloseAtomicallyReplace(); err != nil {
		f.Discard()
		return fmt.Errorf("putting the new file at %s: %w", f.path, err)
	}
	// The rename is the commit point for every reader, but it is durable only with the
	// directory: before this sync a crash may undo it, after it nothing does.
	if err := f.syncDirectory(filepath.Dir(f.path)); err != nil {
		return fmt.Errorf("%s is written, but a crash may undo it: %w", f.path, err)
	}
	return nil
}

// Discard removes the file in the making. After Commit or Discard it does nothing.
func (f *File) Discard() {
	// What cannot be removed is a left-over beside the path; the path is right anyway.
	_ = f.pending.Cleanup()
}

// CheckWritable reports early, before there is anything to write, whether Create would
// succeed. It leaves no file behind.
func CheckWritable(path string) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	f.Discard()
	return nil
}

// replaceable returns the file that path stands for, and an error when there is
// something at path that must not be replaced by a file, or nowhere to put one.
func replaceable(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		if link, err := os.Readlink(path); err == nil { // to a file that is still to come
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
		return "", fmt.Errorf("%s is a device or a pipe, which cannot be replaced; name a file", path)
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
	return fmt.Errorf("cannot create %s; check its directory and your rights to it: %w", path, err)
}

func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	defer directory.Close()
	// Some file systems cannot sync a directory and say so; nothing more can be done there.
	if err := directory.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
