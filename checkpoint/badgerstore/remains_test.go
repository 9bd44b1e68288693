package badgerstore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A kill can hit Badger between the two steps by which it creates and removes files.
func TestEmptyFilesOfAKilledProcessAreAccepted(t *testing.T) {
	for _, name := range []string{"000900.sst", "00900.mem", "000900.vlog"} {
		t.Run(name, func(t *testing.T) {
			killed := images(t)["killed"]
			s := filepath.Join(killed, engineName)
			seal, _, err := readSeal(filepath.Join(s, brokenName))
			if err != nil {
				t.Fatal(err)
			}
			seal.Files[name] = fileSum{Size: 4711} // as it was before the store merged it into another
			err = errors.Join(
				seal.write(filepath.Join(s, brokenName)),
				os.WriteFile(filepath.Join(s, name), nil, 0o600))
			if err != nil {
				t.Fatal(err)
			}
			if mustBeWholeOrRefused(t, killed) {
				t.Error("the journal is refused")
			}
		})
	}
}

// A file whose records are missed is damage, empty or not.
func TestAJournalWithEmptiedFilesIsRefused(t *testing.T) {
	for _, ending := range []string{".sst", ".mem"} {
		killed := images(t)["killed"]
		files, err := filepath.Glob(filepath.Join(killed, engineName, "*"+ending))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s files, %v", ending, err)
		}
		for _, file := range files {
			if err := os.Truncate(file, 0); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // also when it is tried again
			if !mustBeWholeOrRefused(t, killed) {
				t.Errorf("a journal with emptied %s files is opened", ending)
			}
		}
	}
}
