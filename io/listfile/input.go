// This file opens files of text by name, compressed or not, and writes compressed text.

package listfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// TextInput is a file to read. It can be opened any number of times.
type TextInput struct {
	name, path string
	file       *os.File // of a spool; it has no path
}

// TextAt returns the file at path.
func TextAt(path string) TextInput { return TextInput{name: path, path: path} }

// Name returns the name of the file for messages.
func (i TextInput) Name() string { return i.name }

// Path returns the path of the file. It is empty for a spool.
func (i TextInput) Path() string { return i.path }

// Stat returns the FileInfo of the file.
func (i TextInput) Stat() (fs.FileInfo, error) {
	if i.file != nil {
		return i.file.Stat()
	}
	return os.Stat(i.path)
}

// OpenBytes opens the file without decompressing it.
func (i TextInput) OpenBytes() (io.ReadCloser, error) {
	if i.file == nil {
		return os.Open(i.path)
	}
	info, err := i.file.Stat()
	if err != nil {
		return nil, err
	}
	return io.NopCloser(io.NewSectionReader(i.file, 0, info.Size())), nil
}

// Open opens the file and decompresses it. The first bytes tell the compression. A fault of the
// compressed data is an error of Read.
func (i TextInput) Open() (io.ReadCloser, error) {
	info, err := i.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name the files in it", i.name)
	}
	file, err := i.OpenBytes()
	if err != nil {
		return nil, err
	}
	text, err := decompress(file, i.name)
	if err != nil {
		_ = file.Close() // nothing was written to it
		return nil, fmt.Errorf("reading %s: %w", i.name, err)
	}
	return text, nil
}

// ExpandPatterns returns the files that the patterns match, in the order of the patterns, and by name
// within a pattern. If a file has the pattern as its name, the pattern stands for that file. A file
// that is named twice is an error.
func ExpandPatterns(patterns ...string) ([]TextInput, error) {
	var inputs []TextInput
	seen := map[string]bool{}
	for _, pattern := range patterns {
		paths, err := expand(pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			real := realPath(path)
			if seen[real] {
				return nil, fmt.Errorf("%s is named twice, so its rows would be in the list twice; name it once", path)
			}
			seen[real] = true
			inputs = append(inputs, TextAt(path))
		}
	}
	return inputs, nil
}

// realPath returns the absolute path of a file without symbolic links.
func realPath(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return path
}

func expand(pattern string) ([]string, error) {
	_, err := os.Lstat(pattern)
	if err == nil {
		return []string{pattern}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; write \\[ for a [ in a file name", pattern, err)
	}
	if len(paths) == 0 {
		return nil, missing{pattern}
	}
	return paths, nil
}

// missing says that no file has the name, or matches the pattern.
type missing struct{ pattern string }

func (m missing) Error() string { return "there is no file " + m.pattern }

func (m missing) Unwrap() error { return fs.ErrNotExist }
