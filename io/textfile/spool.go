package textfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Spool keeps a stream as a private file, because a list is read several times. The file
// has no name as soon as it is open, where the system allows it: nobody else finds it, and
// it is gone with the process, however that ends. Remove is to be called when it
// is done with.
type Spool struct {
	Input
	left string // the file's path where it could not be removed at once
}

// NewSpool copies a stream into a new file in dir, as it comes, compressed or not. name stands for
// it in errors. When it fails nothing is left over.
func NewSpool(in io.Reader, dir, name string) (*Spool, error) {
	file, err := os.CreateTemp(dir, "spool-*") // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("keeping %s: %w", name, err)
	}
	s := &Spool{Input: Input{name: name, file: file}}
	if err := os.Remove(file.Name()); err != nil {
		s.left = file.Name()
	}
	if _, err := io.Copy(file, in); err != nil {
		return nil, errors.Join(fmt.Errorf("keeping %s: %w", name, err), s.Remove())
	}
	return s, nil
}

// Remove removes the file.
func (s *Spool) Remove() error {
	err := s.file.Close()
	if s.left == "" {
		return err
	}
	return errors.Join(err, os.Remove(s.left))
}
