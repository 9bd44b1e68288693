package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestErasedValuesLeaveTheFiles of a plain and of an encrypted journal. Nothing that was replaced is left.
func TestErasedValuesLeaveTheFiles(t *testing.T) {
	for name, options := range map[string]Options{"plain": {}, "encrypted": {EncryptionKey: bytes.Repeat([]byte{7}, 32)}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inTables(t, dir, options)
			j, err := openJournal(dir, options)
			if err != nil {
				t.Fatal(err)
			}
			forget(t, j, "p7@b.example")
			closeJournal(t, j)
			wantErased(t, dir, options)
			versions := map[string]int{}
			err = EachVersion(dir, options.EncryptionKey, func(key, _ []byte) { versions[string(key)]++ })
			if err != nil || len(versions) == 0 {
				t.Fatalf("%d records, error %v", len(versions), err)
			}
			for key, count := range versions {
				if count > 1 {
					t.Errorf("%q has %d versions", key, count)
				}
			}
		})
	}
}

// TestAnErasureTellsHowMuchIsCopied from nothing to all, and only where something is erased.
func TestAnErasureTellsHowMuchIsCopied(t *testing.T) {
	dir := t.TempDir()
	inTables(t, dir, Options{})
	var told [][2]int64
	options := Options{Copying: func(done, all int64) { told = append(told, [2]int64{done, all}) }}
	j, err := openJournal(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	closeJournal(t, j)
	if len(told) > 0 {
		t.Fatalf("nothing is erased, and it tells %v", told)
	}
	if j, err = openJournal(dir, options); err != nil {
		t.Fatal(err)
	}
	forget(t, j, "p7@b.example")
	closeJournal(t, j)
	if len(told) < 2 || told[0][0] != 0 || told[len(told)-1][0] != told[0][1] || told[0][1] < 100 {
		t.Errorf("it tells %v", told)
	}
}

// TestAnErasureLeavesAStoreThatWasNotSealed replaces the files of an open store. They are not those that
// the erasure is about, so nothing in them changes.
func TestAnErasureLeavesAStoreThatWasNotSealed(t *testing.T) {
	dir := t.TempDir()
	inTables(t, dir, Options{})
	files, copied := filepath.Join(dir, engineName), filepath.Join(dir, "copy")
	j, err := openJournal(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	forget(t, j, "p7@b.example")
	moved := filepath.Join(dir, "moved")
	if err := errors.Join(os.CopyFS(copied, os.DirFS(files)), os.Rename(files, moved), os.Rename(copied, files)); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, dir)
	_ = j.Close() // says that the directory was replaced, or nothing
	if found, err := isErasing(dir); !found || err != nil {
		t.Errorf("the erasure counts as finished, error %v", err)
	}
	after := filesOf(t, dir)
	for file, info := range before {
		if !os.SameFile(info, after[file]) {
			t.Errorf("%s was rewritten or is gone", file)
		}
	}
	// The files that were moved are as a crash left them. This process still has them open.
	if err := errors.Join(os.RemoveAll(files), os.CopyFS(files, os.DirFS(moved))); err != nil {
		t.Fatal(err)
	}
	if j, err = openJournal(dir, Options{}); err != nil { // which finishes the erasure
		t.Fatal(err)
	}
	closeJournal(t, j)
	wantErased(t, dir, Options{})
}

// TestAStoreKeepsReplacedValuesUnlessTheyAreErased: otherwise Erase would have nothing to do.
func TestAStoreKeepsReplacedValuesUnlessTheyAreErased(t *testing.T) {
	for _, erase := range []bool{false, true} {
		for _, size := range []int{100, 3 << 19} { // in a table, and beside it
			dir := t.TempDir()
			s, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := randomText(size)
			commits := [][]record.Write{
				{{Key: []byte("a1"), Value: []byte(text)}, {Key: []byte("a2"), Value: []byte("other")}},
				{{Key: []byte("a1"), Value: []byte("erased")}},
			}
			err = s.Commit(commits[0])
			if erase {
				err = errors.Join(err, s.Erase())
			}
			if err = errors.Join(err, s.Commit(commits[1]), s.Close()); err != nil {
				t.Fatal(err)
			}
			if found := readable(t, dir, nil, text[:60]) == 1; found == erase {
				t.Errorf("erase %t, %d bytes: the replaced value is in the files: %t", erase, size, found)
			}
			if s, err = Open(dir, Options{}); err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]string{"a1": "erased", "a2": "other"} {
				if value, err := s.Get([]byte(key)); err != nil || string(value) != want {
					t.Errorf("%s is %.20q, error %v", key, value, err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAnErasureThatAProcessLeftIsFinished ends a process at each step of an erasure. The next opening
// finishes it.
func TestAnErasureThatAProcessLeftIsFinished(t *testing.T) {
	base := t.TempDir()
	inTables(t, base, Options{})
	killed := filepath.Join(t.TempDir(), "killed") // after the erasure was committed
	erased := filepath.Join(t.TempDir(), "closed") // after the store was closed
	dir := copyOf(t, base)
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, err := checkpoint.New(s, checkpoint.Options{
		Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1, Window: time.Minute}, Now: func() time.Time { return start },
	})
	if err != nil {
		t.Fatal(err)
	}
	forget(t, j, "p7@b.example")
	copyInto(t, dir, killed)
	s.erasing = false // as if the process ended before Close finished the erasure
	closeJournal(t, j)
	copyInto(t, dir, erased)
	finished := copyOf(t, erased)
	if err := finishErasure(finished, Options{}); err != nil {
		t.Fatal(err)
	}
	engineOf := func(dir string) string { return filepath.Join(dir, engineName) }
	for name, prepare := range map[string]func(dir string){
		"killed after the commit": func(dir string) { copyInto(t, killed, dir) },
		"before the tables":       func(dir string) { copyInto(t, erased, dir) },
		"among the tables": func(dir string) {
			copyInto(t, erased, dir)
			copyInto(t, engineOf(finished), engineOf(dir)+freshSuffix)
			remove(t, filepath.Join(engineOf(dir)+freshSuffix, sealName))
		},
		"with all tables": func(dir string) {
			copyInto(t, erased, dir)
			copyInto(t, engineOf(finished), engineOf(dir)+freshSuffix)
		},
		"in the middle of the swap": func(dir string) {
			copyInto(t, erased, dir)
			copyInto(t, engineOf(finished), engineOf(dir)+freshSuffix)
			rename(t, engineOf(dir), engineOf(dir)+spentSuffix)
		},
		"after the swap": func(dir string) {
			copyInto(t, finished, dir)
			copyInto(t, engineOf(erased), engineOf(dir)+spentSuffix)
			copyFile(t, filepath.Join(erased, erasingName), filepath.Join(dir, erasingName))
		},
		"of an earlier version, which said what was erased": func(dir string) {
			copyInto(t, erased, dir)
			if err := os.WriteFile(filepath.Join(dir, erasingName), []byte("0000000000000024 6172 6d1b5ce1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "journal")
			prepare(dir)
			if _, err := os.Stat(filepath.Join(dir, erasingName)); err != nil {
				t.Fatal(err)
			}
			closeJournal(t, openDir(t, dir))
			wantErased(t, dir, Options{})
		})
	}
}

// TestPrunedIdentitiesAndAnswersLeaveTheFiles counts how many of many persons can be read in the files.
func TestPrunedIdentitiesAndAnswersLeaveTheFiles(t *testing.T) {
	const many = 900 // fewer than the slots of the window
	dir := t.TempDir()
	j := openDir(t, dir)
	var texts []string
	draw := rand.New(rand.NewPCG(3, 4))
	for range many {
		texts = append(texts, fmt.Sprintf("%016x", draw.Uint64()))
	}
	var all sync.WaitGroup
	for part := range slices.Chunk(texts, many/60) {
		all.Go(func() {
			for _, text := range part {
				_, ticket, err := begin(j, enrich.Identity{ProfileURL: "https://" + text})
				if err == nil {
					_, err = j.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, WorkEmail: text + "@b.example"}))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	closeJournal(t, j)
	if n := readable(t, dir, nil, texts...); n != many {
		t.Fatalf("%d of %d can be read before", n, many)
	}
	j = openDir(t, dir)
	if erased, err := j.Prune(start.Add(time.Hour)); err != nil || erased.Attempts != many || erased.Answers != many {
		t.Fatalf("erased %+v, error %v", erased, err)
	}
	closeJournal(t, j)
	if n := readable(t, dir, nil, texts...); n != 0 {
		t.Errorf("%d of %d can be read after", n, many)
	}
	summary, err := checkJournal(dir, Options{}, func(p verify.Problem) { t.Errorf("%s %s", p.Record, p.Text) })
	if err != nil || summary.Erased != many {
		t.Errorf("the journal has %+v, error %v", summary, err)
	}
}

// leftErasure makes a closed journal in which the erasure of person 7 is not finished.
func leftErasure(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	inTables(t, dir, Options{})
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, err := checkpoint.New(s, checkpoint.Options{
		Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1, Window: time.Minute}, Now: func() time.Time { return start },
	})
	if err != nil {
		t.Fatal(err)
	}
	forget(t, j, "p7@b.example")
	s.erasing = false // as if the process ended before Close finished the erasure
	closeJournal(t, j)
	return dir
}

// TestAnErasureRefusesFilesThatChanged puts another table in the place of one before the erasure goes
// on. Its records must not be taken for those of the journal.
func TestAnErasureRefusesFilesThatChanged(t *testing.T) {
	dir := leftErasure(t)
	tables := slices.Sorted(maps.Keys(filesOf(t, dir)))
	copyFile(t, filepath.Join(dir, engineName, tables[1]), filepath.Join(dir, engineName, tables[2]))
	s, err := Open(dir, Options{})
	if err == nil {
		t.Fatal(s.Close())
	}
	if !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("error %v", err)
	}
}

// TestAnErasureNeedsTheKey opens an encrypted journal with another key before the erasure goes on.
func TestAnErasureNeedsTheKey(t *testing.T) {
	dir, key := t.TempDir(), bytes.Repeat([]byte{7}, 32)
	s, err := Open(dir, Options{EncryptionKey: key})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit([]record.Write{{Key: []byte("a1"), Value: []byte("one")}}), s.Erase()); err != nil {
		t.Fatal(err)
	}
	s.erasing = false
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string][]byte{"none": nil, "another": bytes.Repeat([]byte{8}, 32)} {
		if _, err := Open(dir, Options{EncryptionKey: other}); !errors.Is(err, record.ErrEncryptionKey) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestACopyWithoutReplacedValuesIsCountedLater has a store of which nobody has counted the records
// since some may have been lost.
func TestACopyWithoutReplacedValuesIsCountedLater(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit([]record.Write{{Key: []byte("a1"), Value: []byte(randomText(2 << 20))}}), s.Close()); err != nil {
		t.Fatal(err)
	}
	engineDir := filepath.Join(dir, engineName)
	path := filepath.Join(engineDir, sealName)
	for _, uncounted := range []bool{true, false} {
		sealed, _, err := readSeal(path)
		if err != nil {
			t.Fatal(err)
		}
		sealed.Uncounted = uncounted
		if err := errors.Join(sealed.write(path), copyWithoutReplaced(engineDir, Options{})); err != nil {
			t.Fatal(err)
		}
		if sealed, _, err = readSeal(path); err != nil || sealed.Uncounted != uncounted {
			t.Errorf("uncounted %t, want %t, error %v", sealed.Uncounted, uncounted, err)
		}
	}
}
