package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"payonce/checkpoint/record"
)

// smallDisk mounts a disk in memory.
func smallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("mounting a small disk needs more rights than this process has: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillDisk leaves some bytes of a disk free. The file that it returns takes the rest.
func fillDisk(t *testing.T, disk string, left int64) (ballast string) {
	t.Helper()
	file, err := os.Create(filepath.Join(disk, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var is syscall.Statfs_t
	if err := syscall.Statfs(disk, &is); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Fallocate(int(file.Fd()), 0, 0, int64(is.Bavail)*is.Bsize-left); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// TestAnErasureOnAFullDiskKeepsTheJournalReadable: what was paid for stays in reach, and the erasure goes
// on when there is room.
func TestAnErasureOnAFullDiskKeepsTheJournalReadable(t *testing.T) {
	const secret = "the value that is erased"
	long := strings.Repeat("long", 1<<19) // is kept outside the tables
	for name, c := range map[string]struct {
		others [][]byte // values that stay
		killed bool
		left   int64
	}{
		"a process that was killed":      {nil, true, leastSpace + 4<<10},
		"a copy that has no room":        {[][]byte{[]byte(long), []byte(long), []byte(long)}, false, leastSpace + 1<<20},
		"a copy that has room at first":  {[][]byte{[]byte(long), []byte(long), []byte(long)}, false, leastSpace + 4<<20},
		"a killed process, and its copy": {[][]byte{[]byte(long)}, true, leastSpace + 4<<10},
	} {
		t.Run(name, func(t *testing.T) {
			disk := smallDisk(t, "700m")
			dir := filepath.Join(disk, "journal")
			s, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			writes := []record.Write{{Key: []byte("a1"), Value: []byte(secret)}}
			for i, value := range c.others {
				writes = append(writes, record.Write{Key: []byte{'b', byte('0' + i)}, Value: value})
			}
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			check(s.Commit(writes))
			check(s.Opened("id"))
			check(s.Close())
			s, err = Open(dir, Options{})
			check(err)
			check(s.Erase())
			check(s.Commit([]record.Write{{Key: []byte("a1"), Value: []byte("gone")}}))
			if c.killed {
				killed := filepath.Join(disk, "killed")
				copyDir(t, dir, killed)
				dir = killed
			}
			s.erasing = false
			check(s.Close())
			seal := filepath.Join(dir, engineName, sealName)
			if c.killed {
				check(os.RemoveAll(filepath.Join(disk, "journal")))
			} else {
				sealed, _, err := readSeal(seal)
				check(err)
				sealed.Uncounted = true
				check(sealed.write(seal))
			}

			ballast := fillDisk(t, disk, c.left)
			s, err = Open(dir, Options{})
			if err != nil {
				t.Fatalf("on the full disk: %v", err)
			}
			if value, err := s.Get([]byte("a1")); err != nil || string(value) != "gone" {
				t.Errorf("on the full disk it has %q, error %v", value, err)
			}
			if !c.killed && s.Whole() {
				t.Error("the records count as counted")
			}
			check(os.Remove(ballast))
			check(s.Close())
			s, err = Open(dir, Options{})
			check(err)
			for i, want := range c.others {
				if value, err := s.Get([]byte{'b', byte('0' + i)}); err != nil || string(value) != string(want) {
					t.Errorf("value %d has %d bytes, error %v", i, len(value), err)
				}
			}
			if !c.killed && s.Whole() {
				t.Error("the records count as counted after the erasure")
			}
			check(s.Close())
			if found, err := isErasing(dir); found || err != nil {
				t.Errorf("the erasure is not finished, error %v", err)
			}
			if readable(t, dir, nil, secret) > 0 {
				t.Error("the erased value is still there")
			}
		})
	}
}

// TestACopyWithoutRoomIsNotTaken rewrites a store on a disk that fills up.
func TestACopyWithoutRoomIsNotTaken(t *testing.T) {
	disk := smallDisk(t, "256m")
	dir := filepath.Join(disk, "journal")
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	long := randomText(2 << 20) // it cannot be compressed
	for _, key := range []string{"a", "b", "c"} {
		if err := s.Commit([]record.Write{{Key: []byte(key), Value: []byte(long)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Opened("id"), s.Close()); err != nil {
		t.Fatal(err)
	}
	ballast := fillDisk(t, disk, leastSpace+4<<20)
	if err := Rewrite(dir, Options{}, Copy{Verify: func(record.Store) error { return nil }}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want that the disk is full", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	if value, err := s.Get([]byte("c")); err != nil || string(value) != long {
		t.Errorf("it has a value of %d bytes, error %v", len(value), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestACompactionHasRoom writes to stores on small disks until they refuse to. Badger writes tables through memory maps,
// so without room for a compaction the kernel would end this process.
func TestACompactionHasRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for _, left := range []int64{10, 60, 120} { // in MB, besides attemptsSpace
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			disk := smallDisk(t, "700m")
			dir := filepath.Join(disk, "journal")
			s, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			ballast := fillDisk(t, disk, attemptsSpace+left<<20)
			value := randomText(longestPart) // it cannot be compressed
			keys := 0
			key := func(number int) []byte { return fmt.Appendf(nil, "%08x", uint32(number)*2654435761) } // in no order
			write := func() {
				t.Helper()
				if err := s.Commit([]record.Write{{Key: key(keys), Value: []byte(value)}}); err != nil {
					t.Fatalf("write %d: %v", keys, err)
				}
				keys++
				compacted := int64(0) // by a compaction of level 0 that begins now
				for _, level := range s.db.Levels() {
					if level.Level == 0 || level.IsBaseLevel {
						compacted += level.Size
					}
				}
				if compacted > compactionSpace {
					t.Fatalf("after %d writes a compaction takes %d bytes, and %d are left for it", keys, compacted, compactionSpace)
				}
			}
			for s.Room() == nil {
				write()
			}
			for range 256 { // answers of calls in flight
				write()
			}
			check := func(s *Store) {
				t.Helper()
				for number := range keys {
					if got, err := s.Get(key(number)); err != nil || string(got) != value {
						t.Fatalf("value %d of %d has %d bytes, error %v", number, keys, len(got), err)
					}
				}
			}

			if err := errors.Join(os.Remove(ballast), s.Opened("id"), s.Close()); err != nil {
				t.Fatal(err)
			}
			// It can be read on a disk that has no room for a compaction.
			full := filepath.Join(smallDisk(t, "700m"), "journal")
			copyDir(t, dir, full)
			fillDisk(t, filepath.Dir(full), leastSpace+20<<20)
			opened, err := Open(full, Options{})
			if err != nil {
				t.Fatal(err)
			}
			check(opened)
			if err := opened.Room(); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("error %v, want that the disk is full", err)
			}
			if err := opened.Close(); err != nil {
				t.Error(err)
			}

			if s, err = Open(dir, Options{}); err != nil {
				t.Fatal(err)
			}
			check(s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
