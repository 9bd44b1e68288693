// This file lets the processes of one machine that work on a shared journal know what each of them does. A journal in a
// directory has one owner, with a socket in the directory. Each process here has such a socket in a directory of its
// own.

package workspace

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"payonce/checkpoint/record"
	"payonce/checkpoint/remote"
)

// processesName is the directory of the sockets, in the directory of the local files of a shared journal.
const processesName = "processes"

// participant is the store of a shared journal that this process has opened to write.
type participant struct {
	record.Shared
	silence func()
}

// Close implements record.Store.
func (p *participant) Close() error {
	p.silence()
	return p.Shared.Close()
}

// announce answers other processes that ask what this one does, until the returned function is called. Where a socket
// cannot be made, it does nothing, and the command continues.
func announce(processes string, about func() Owner) (end func()) {
	nothing := func() {}
	if about == nil || os.MkdirAll(processes, 0o700) != nil {
		return nothing
	}
	dir, err := os.MkdirTemp(processes, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nothing
	}
	server, err := remote.Serve(dir, nil, remote.Options{
		Opening: true, // always: other processes read the records in the database
		Owner: func() []byte {
			text, _ := json.Marshal(about()) // cannot fail: it has only texts and numbers
			return text
		},
	})
	if err != nil {
		_ = os.Remove(dir) // if this fails, a reader removes the directory
		return nothing
	}
	return func() {
		_ = server.Close()
		_ = os.Remove(dir)
	}
}

// staleTime is the age from which a socket that nobody serves is one of a process that was killed. A younger one may be
// about to be served.
const staleTime = time.Minute

// announced asks the processes of this machine about themselves. It removes the sockets of those that were killed.
func announced(processes string) (owners []Owner, err error) {
	entries, err := os.ReadDir(processes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		dir := filepath.Join(processes, entry.Name())
		owner, ownerErr := ownerOf(dir)
		if ownerErr == nil {
			owners = append(owners, owner)
			continue
		}
		info, infoErr := entry.Info()
		if errors.Is(ownerErr, syscall.ECONNREFUSED) && infoErr == nil && time.Since(info.ModTime()) > staleTime {
			_ = os.RemoveAll(dir) // the next reader tries again
		}
	}
	slices.SortStableFunc(owners, func(a, b Owner) int { return a.Since.Compare(b.Since) })
	return owners, err
}
