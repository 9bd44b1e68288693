package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMain writes half a file and stays, when the environment names one, until it is killed.
func TestMain(m *testing.M) {
	path := os.Getenv("ATOMICFILE_WRITE")
	if path == "" {
		os.Exit(m.Run())
	}
	f, err := Create(path, 0)
	if err == nil {
		_, err = f.Write([]byte("half of the ne"))
	}
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("written\n")
	select {}
}

// pendingFiles returns the files in the directory of path except it.
func pendingFiles(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != filepath.Base(path) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func TestWhatAKilledProcessLeavesIsRemovedByTheNextCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), "ATOMICFILE_WRITE="+path)
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if removed, err := RemoveLeftovers(path); removed != 0 || err != nil {
		t.Errorf("%d files of a running process were removed, %v", removed, err)
	}
	if names := pendingFiles(t, path); len(names) != 1 || filepath.Ext(names[0]) != ".csv" {
		t.Errorf("while the process writes there are %v", names)
	}
	if err := writer.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = writer.Wait() // it was killed
	if names := pendingFiles(t, path); len(names) != 1 {
		t.Errorf("after the process was killed there are %v", names)
	}
	f, err := Create(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Discard()
	if names := pendingFiles(t, path); len(names) != 0 {
		t.Errorf("left over: %v", names)
	}
}

func TestRemoveLeftoversLeavesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	prefix, suffix := pendingParts(path)
	others := []string{
		"list.csv", ".out.csv123", prefix + "12x" + suffix, prefix + suffix, ".batch-00000000-12" + suffix, prefix + "12.another.csv",
	}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, prefix+"34"+suffix), 0o700); err != nil {
		t.Fatal(err)
	}
	leftover := filepath.Join(dir, prefix+"56"+suffix)
	if err := os.WriteFile(leftover, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if removed, err := RemoveLeftovers(path); removed != 1 || err != nil {
		t.Errorf("%d files were removed, %v", removed, err)
	}
	if _, err := os.Stat(leftover); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover is there: %v", err)
	}
	if names := pendingFiles(t, path); len(names) != len(others)+1 {
		t.Errorf("left: %v", names)
	}
	if removed, err := RemoveLeftovers(filepath.Join(dir, "missing", "out.csv")); removed != 0 || err != nil {
		t.Errorf("of a directory that does not exist %d were removed, %v", removed, err)
	}
}

func TestSumIsTheHashOfTheWrittenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	f, err := Create(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	for _, text := range []string{"one\n", "", "two\n"} {
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	sum := f.Sum()
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if of, err := SumOf(path); of != sum || len(sum) != 32 || err != nil {
		t.Errorf("the hash of the file is %s, %v; want %s", of, err, sum)
	}
	if err := os.WriteFile(path, []byte("one\nTwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if of, err := SumOf(path); of == sum || err != nil {
		t.Errorf("the hash of the changed file is the same, %v", err)
	}
}
