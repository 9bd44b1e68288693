// This file runs parts of tests without the rights of root. Root may read and write everything, so tests of
// permissions need another user.

package iotest

import (
	"os"
	"testing"
)

// UserDir returns a temporary directory that belongs to the user of Run. It is removed when the
// test ends. Other than that of t.TempDir, this user may enter the directories above it.
func UserDir(t testing.TB) string {
	t.Helper()
	return userDirIn(t, "")
}

// userDirIn is UserDir with the directory above it; "" is the usual one.
func userDirIn(t testing.TB, parent string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "payonce-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, user, -1); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// user is the user nobody, who owns no files.
const user = 65534
