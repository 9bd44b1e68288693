package atomicfile

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNeededRoomIsAddedUpByFileSystem of the directories, also of those that are not there yet.
func TestNeededRoomIsAddedUpByFileSystem(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mounting a small disk needs more rights than this process has: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	other, tables := t.TempDir(), filepath.Join(disk, "new", "tables")
	for title, test := range map[string]struct {
		all, others []Needed
		want        int64 // in all; 0 for no error
	}{
		"each fits":                {[]Needed{{disk, 40 << 10}, {other, 40 << 10}}, nil, 0},
		"both do not":              {[]Needed{{disk, 40 << 10}, {tables, 40 << 10}}, nil, 80 << 10},
		"one does not":             {[]Needed{{other, 1}, {tables, 65 << 10}}, nil, 65 << 10},
		"with what else is there":  {[]Needed{{disk, 40 << 10}}, []Needed{{tables, 30 << 10}}, 70 << 10},
		"what else is on its own":  {[]Needed{{other, 1}}, []Needed{{disk, 1 << 20}}, 0},
		"exactly":                  {[]Needed{{disk, 64 << 10}}, nil, 0},
		"a disk that is not there": {[]Needed{{filepath.Join(disk, "x\x00y"), 1 << 40}}, nil, 0},
	} {
		t.Run(title, func(t *testing.T) {
			err := CheckRoom(test.all, test.others...)
			full, isFull := errors.AsType[*RoomError](err)
			switch {
			case test.want == 0 && err != nil:
				t.Error(err)
			case test.want > 0 && (!isFull || full.Bytes != test.want || full.Free != 64<<10 || !errors.Is(err, syscall.ENOSPC)):
				t.Errorf("%v, want an error that %d bytes are needed and 65536 left", err, test.want)
			}
		})
	}
}
