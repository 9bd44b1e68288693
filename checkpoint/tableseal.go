package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// tableSeal enters the tables that Badger writes while the store is open into the
// broken seal. Badger opens tables in goroutines of its own, where a panic on
// damaged bytes cannot be caught: damage has to be found before.
type tableSeal struct {
	dir  string
	sums map[string]fileSum
	seen time.Time // the directory's time of change when the tables were last listed
}

func newTableSeal(dir string, sums map[string]fileSum) *tableSeal {
	t := &tableSeal{dir: dir, sums: map[string]fileSum{}}
	for name, sum := range sums {
		if filepath.Ext(name) == tableEnding {
			t.sums[name] = sum
		}
	}
	return t
}

// update lists the tables again when files came or went.
func (t *tableSeal) update(db *badger.DB) error {
	info, err := os.Stat(t.dir)
	if err != nil {
		return fmt.Errorf("sealing the journal: %w", err)
	}
	if info.ModTime().Equal(t.seen) {
		return nil
	}
	t.seen = info.ModTime()
	sums := map[string]fileSum{}
	for _, table := range db.Tables() {
		name := fmt.Sprintf("%06d%s", table.ID, tableEnding)
		sum, known := t.sums[name]
		if !known {
			sum, err = sumFile(filepath.Join(t.dir, name))
		}
		switch {
		case errors.Is(err, os.ErrNotExist):
			err = nil // merged into another one meanwhile
		case err != nil:
			return fmt.Errorf("sealing the journal: %w", err)
		default:
			sums[name] = sum
		}
	}
	if maps.Equal(sums, t.sums) {
		return nil
	}
	t.sums = sums
	return writeSums(filepath.Join(t.dir, brokenName), sums)
}
