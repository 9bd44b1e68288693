package listfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Spool keeps a stream in a private file, because a list is read several times. Where the system
// allows it, the file is removed from its directory at once: no other process can open it, and it
// ends with the process. Every Spool needs a Remove.
type Spool struct {
	TextInput
	left string // path of the file, if it could not be removed at once
}

// NewSpool copies a stream to a new file in dir without decompressing it. name is its name in
// errors. If it fails, no file is left.
func NewSpool(in io.Reader, dir, name string) (*Spool, error) {
	file, err := os.CreateTemp(dir, "spool-*") // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("copying %s to a temporary file: %w", name, err)
	}
	s := &Spool{TextInput: TextInput{name: name, file: file}}
	if err := os.Remove(file.Name()); err != nil {
		s.left = file.Name()
	}
	if _, err := io.Copy(file, in); err != nil {
		return nil, errors.Join(fmt.Errorf("copying %s to a temporary file: %w", name, err), s.Remove())
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
