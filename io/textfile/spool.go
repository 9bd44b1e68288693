package textfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Spool keeps a stream as a private file, because a list is read several times. Nobody
// else may read the file, and Remove is to be called when it is done with.
type Spool struct {
	Input
	file *os.File
}

// NewSpool copies a stream into a new file in dir, as it comes, compressed or not. name stands for
// it in errors. When it fails nothing is left over.
func NewSpool(in io.Reader, dir, name string) (*Spool, error) {
	file, err := os.CreateTemp(dir, "spool-*") // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("keeping %s: %w", name, err)
	}
	s := &Spool{Input{name: name, path: file.Name()}, file}
	if _, err := io.Copy(file, in); err != nil {
		return nil, errors.Join(fmt.Errorf("keeping %s: %w", name, err), s.Remove())
	}
	return s, nil
}

// Remove removes the file.
func (s *Spool) Remove() error {
	return errors.Join(s.file.Close(), os.Remove(s.path))
}
