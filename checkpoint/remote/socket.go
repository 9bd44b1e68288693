package remote

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// socketName is the file of the socket in the journal's directory.
const socketName = "SOCKET"

// maxPath is the longest path of a socket, in bytes: systems allow 103 or 107.
const maxPath = 100

// withSocketPath calls do with a path of the socket in dir. A path that is too long for the system goes
// through a symbolic link, which exists only during the call.
func withSocketPath(dir string, do func(path string) error) (err error) {
	path := filepath.Join(dir, socketName)
	if len(path) <= maxPath {
		return do(path)
	}
	target, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	short, err := os.MkdirTemp("", "batch")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(short)) }()
	link := filepath.Join(short, "j")
	if err := os.Symlink(target, link); err != nil {
		return err
	}
	return do(filepath.Join(link, socketName))
}

// listen makes the socket in dir, for this user alone. A socket of an owner that was killed is removed
// first: the caller owns the journal, so no process listens on it.
func listen(dir string) (listener *net.UnixListener, err error) {
	if err := os.Remove(filepath.Join(dir, socketName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = withSocketPath(dir, func(path string) error {
		listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // its path may be that of the link
	if err := os.Chmod(filepath.Join(dir, socketName), 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// dial connects to the socket in dir.
func dial(dir string, within time.Duration) (conn net.Conn, err error) {
	err = withSocketPath(dir, func(path string) error {
		conn, err = net.DialTimeout("unix", path, within)
		return err
	})
	return conn, err
}
