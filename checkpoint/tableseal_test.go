package checkpoint

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestTablesAreSealedWhileTheStoreIsOpen kills a store that has written tables
// since it was opened, damages one, and opens it: Badger itself would panic.
func TestTablesAreSealedWhileTheStoreIsOpen(t *testing.T) {
	dir := t.TempDir()
	store, err := openBadger(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	source := rand.NewChaCha8([32]byte{})
	broken := filepath.Join(dir, brokenName)
	for n := byte(0); len(store.tables.sums) == 0; n++ {
		if n == 255 {
			t.Fatal("no table was written")
		}
		value := make([]byte, 900<<10)
		source.Read(value)
		if err := store.Commit([]Write{{[]byte{'x', n}, value}}); err != nil {
			t.Fatal(err)
		}
	}
	sums, found, err := readSeal(broken)
	if err != nil || !found || len(sums) == 0 {
		t.Fatalf("the broken seal holds %v, %t, %v", sums, found, err)
	}
	for name := range sums {
		killed := t.TempDir()
		err := errors.Join(
			copySparse(broken, filepath.Join(killed, brokenName)),
			copySparse(filepath.Join(dir, name), filepath.Join(killed, name)),
			os.Truncate(filepath.Join(killed, name), sums[name].Size/2))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openBadger(killed, nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a damaged table is told as %v", err)
		}
	}
}
