package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A disk that fills up in the middle of a run stops the program before it sends
// anything that it could not record; with room again the same command goes on.
func TestFullDisk(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	// With a little room left the answers to what is in flight are still recorded.
	t.Run("nearly full", func(t *testing.T) { t.Parallel(); fillAndResume(t, 40<<20, exitDone) })
	t.Run("full", func(t *testing.T) { t.Parallel(); fillAndResume(t, 0, exitDone, exitDoubt) })
}

func fillAndResume(t *testing.T, left int64, resumed ...int) {
	const concurrency, first = 4, 60 // beyond the free allowance, of which no more is held than there is
	service, tap := newService(t, 8)
	p := newProgram(t, 200, tap.listen(t), "--max-spend", "60", "--concurrency", fmt.Sprint(concurrency))
	mountDisk(t, p.state(), "size=256m")
	reached, release := tap.holdMany(t, first, concurrency) // then nothing is being written
	run := p.start()
	receive(t, reached, "too few lookups")
	ballast := fillDisk(t, p.state(), left)
	close(release)
	if code := run.end(); code != exitInternal {
		t.Fatalf("exit code %d\n%s", code, run.stderr)
	}
	for _, text := range []string{"nothing more is sent", "; make room there and run the same command again\n"} {
		if !strings.Contains(run.stderr.String(), text) {
			t.Errorf("it does not say %q:\n%s", text, run.stderr)
		}
	}
	if sent := len(service.Ledger().Arrivals); sent >= first+concurrency {
		t.Errorf("%d lookups were sent, the disk was full at the %dth", sent, first)
	}
	p.runToEnd(exitInternal) // nothing is sent now
	if sent := len(service.Ledger().Arrivals); sent >= first+concurrency {
		t.Errorf("%d lookups were sent after the disk was full", sent)
	}

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	p.checkJournal()
	p.runToEnd(resumed...)
	p.checkExplained(service.Ledger())
	checkOutput(t, p, service.Ledger())
}

// An output for which there is surely no room is refused before anything is sent, with the room that all files need.
func TestNoRoomForTheOutputIsSeenBeforeAnythingIsSent(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	service, tap := newService(t, 11)
	p := newProgram(t, 60, tap.listen(t), "--max-spend", "60")
	small := filepath.Join(p.dir, "small")
	mountDisk(t, small, "size=24k")
	whole := p.args
	for _, files := range [][]string{
		{"-o", filepath.Join(small, "out.json")},
		{"-o", filepath.Join(small, "out.csv"), "--new-values", filepath.Join(small, "new.csv")},
	} {
		p.args = append(slices.Clone(whole), files...)
		run := p.runToEnd(exitInternal)
		want := regexp.MustCompile(regexp.QuoteMeta(small) +
			` has 24 kB left, and the files need about [2-9]\d kB there; nothing was sent: make room there and run the same command again\n`)
		if text := run.stderr.String(); !want.MatchString(text) {
			t.Errorf("it says:\n%s", text)
		}
		wantNoFiles(t, small)
	}
	if sent := len(service.Ledger().Arrivals); sent > 0 {
		t.Errorf("%d lookups were sent", sent)
	}
	p.args = append(slices.Clone(whole), "-o", filepath.Join(small, "out.csv"))
	p.runToEnd(exitDone)
}

// An output that finds no room, because the disk was filled meanwhile, costs nothing but a second start.
func TestNoRoomForTheOutput(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	const concurrency, first = 4, 60 // beyond the free allowance, of which no more is held than there is
	service, tap := newService(t, 10)
	p := newProgram(t, 200, tap.listen(t), "--max-spend", "60", "--concurrency", fmt.Sprint(concurrency))
	small := filepath.Join(p.dir, "small")
	mountDisk(t, small, "size=1m")
	whole := p.args
	p.args = append(slices.Clone(whole), "-o", filepath.Join(small, "out.csv"))
	reached, release := tap.holdMany(t, first, concurrency)
	run := p.start()
	receive(t, reached, "too few lookups")
	ballast := fillDisk(t, small, 8<<10)
	close(release)
	if code := run.end(); code != exitInternal {
		t.Fatalf("exit code %d\n%s", code, run.stderr)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if text := run.stderr.String(); !strings.Contains(text, "every answer that came is recorded, but "+small) {
		t.Errorf("it says:\n%s", text)
	}
	wantNoFiles(t, small)
	p.args = whole
	if view := decodeSummary(t, p.runToEnd(exitDone)); view.Posts > 0 {
		t.Errorf("%d lookups were sent again", view.Posts)
	}
	checkOutput(t, p, service.Ledger())
}

func wantNoFiles(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		t.Errorf("%s holds %v, %v", dir, files, err)
	}
}

// A limit of the system, as a quota is one, is not damage: who restores a backup for it
// loses what was paid for since.
func TestAFileSizeLimitIsNotReportedAsDamage(t *testing.T) {
	t.Parallel()
	service, tap := newService(t, 9)
	p := newProgram(t, 20, tap.listen(t), "--max-spend", "60")
	run := p.startAs(exec.Command("sh", append([]string{"-c", `ulimit -f 100; exec "$0" "$@"`, *programPath}, p.args...)...))
	if code := run.end(); code != exitInternal {
		t.Fatalf("exit code %d\n%s", code, run.stderr)
	}
	if text := run.stderr.String(); !strings.Contains(text, "file too large") || strings.Contains(text, "damaged") {
		t.Errorf("it says:\n%s", text)
	}
	if sent := len(service.Ledger().Arrivals); sent > 0 {
		t.Errorf("%d lookups were sent", sent)
	}
	p.runToEnd(exitDone)
}

// mountDisk mounts a disk in memory on a new directory.
func mountDisk(t *testing.T, dir, size string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, size); err != nil {
		t.Skipf("mounting a small disk needs more rights than this process has: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
}

// fillDisk fills the disk of dir with a file until left bytes are free.
func fillDisk(t *testing.T, dir string, left int64) (ballast string) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Fallocate(int(file.Fd()), 0, 0, int64(disk.Bavail)*disk.Bsize-left); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}
