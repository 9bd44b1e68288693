package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/enrich"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/io/service/v1"
)

const answered = 40

// images makes the directory of a journal that was closed, and of one whose
// process was killed after it had acknowledged its last answer.
func images(t *testing.T) map[string]string {
	t.Helper()
	live := filepath.Join(t.TempDir(), "live")
	j := openDir(t, live)
	answer(t, j, 0, answered/2)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = openDir(t, live)
	answer(t, j, answered/2, answered)
	killed := filepath.Join(t.TempDir(), "killed")
	copyDir(t, live, killed)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"closed": live, "killed": killed}
}

// copyDir copies a directory, with holes where the files have zeros.
func copyDir(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, relative), 0o700)
		}
		return copySparse(path, filepath.Join(to, relative))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copySparse(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	data := make([]byte, min(info.Size(), 4<<20)) // what lies behind is not written yet
	if _, err := source.ReadAt(data, 0); err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		return err
	}
	return os.Truncate(to, info.Size())
}

// mustBeWholeOrRefused opens a journal and fails the test when it opens without
// a word and lacks an acknowledged answer, or says so only when it is too late.
func mustBeWholeOrRefused(t *testing.T, dir string) (refused bool) {
	t.Helper()
	return mustBeWholeOrRefusedWith(t, dir, Options{})
}

func mustBeWholeOrRefusedWith(t *testing.T, dir string, options Options) (refused bool) {
	t.Helper()
	refusal := func(err error) bool {
		if err != nil && !errors.Is(err, record.ErrCorrupt) && !errors.Is(err, record.ErrEncryptionKey) { // a damaged KEYREGISTRY fits no key
			t.Errorf("refused with an error that does not wrap store.ErrCorrupt: %v", err)
		}
		return err != nil
	}
	j, err := openJournal(dir, options)
	if refusal(err) {
		return true
	}
	for n := range answered {
		refused = refusal(mustBeKnown(t, j, n)) || refused
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	problems, err := checkJournal(dir, options, func(p verify.Problem) { t.Errorf("%s %s", p.Record, p.Text) })
	if refusal(err) != refused || problems.Problems > 0 {
		t.Errorf("refused %t, and the check says %v", refused, err)
	}
	return refused
}

// mustBeKnown asks for a person whose answer was acknowledged, and fails the test
// when the journal neither knows it nor refuses.
func mustBeKnown(t *testing.T, j *checkpoint.Journal, n int) error {
	t.Helper()
	decision, _, err := begin(j, person(n))
	if err != nil {
		return err
	}
	if known, ok := decision.(attempt.Known); !ok || known.Fields != enrich.FieldsOf(v1.WorkEmail) {
		t.Fatalf("person %d would be bought again: %#v", n, decision)
	}
	record, err := j.Record(person(n))
	if err != nil {
		return err
	}
	res, _, err := j.Resolution(record.Attempts[v1.WorkEmail])
	if err != nil {
		return err
	}
	answer, err := v1.DecodeAnswer(res.Answer())
	if err != nil || answer.WorkEmail != fmt.Sprintf("p%d@b.example", n) {
		t.Fatalf("the answer for person %d is wrong: %+v", n, res)
	}
	return nil
}

func TestTheJournalOfAKilledProcessOpensWithAllRecords(t *testing.T) {
	for name, image := range images(t) {
		if mustBeWholeOrRefused(t, image) {
			t.Errorf("the %s journal is refused", name)
		}
	}
}

// damages change one file of a journal.
var damages = map[string]func(path string, size int64, random *rand.Rand) error{
	"flipped": func(path string, size int64, random *rand.Rand) error {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		at := random.Int64N(size)
		one := make([]byte, 1)
		if _, err := file.ReadAt(one, at); err != nil {
			return err
		}
		one[0] ^= 1 << random.IntN(8)
		_, err = file.WriteAt(one, at)
		return errors.Join(err, file.Close())
	},
	"truncated": func(path string, size int64, random *rand.Rand) error {
		return os.Truncate(path, random.Int64N(size))
	},
	"deleted": func(path string, _ int64, _ *rand.Rand) error { return os.Remove(path) },
}

// records reports whether a file holds what the journal lives on.
func records(file string) bool {
	ending := filepath.Ext(file)
	return ending == ".sst" || ending == ".mem" || filepath.Base(file) == manifestName
}

func TestADamagedJournalIsRefusedOrHasAllRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for name, image := range images(t) {
		var files []string
		for _, pattern := range []string{"*", engineName + "/*"} {
			found, err := filepath.Glob(filepath.Join(image, pattern))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, found...)
		}
		for _, path := range files {
			info, err := os.Stat(path)
			if err != nil || info.IsDir() || info.Size() == 0 {
				continue
			}
			for kind := range damages {
				t.Run(name+" "+filepath.Base(path)+" "+kind, func(t *testing.T) {
					damageAndOpen(t, image, path, kind, min(info.Size(), 24<<10))
				})
			}
		}
	}
}

func damageAndOpen(t *testing.T, image, path, kind string, size int64) {
	file, err := filepath.Rel(image, path)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 1
	if records(file) && kind != "deleted" {
		rounds = 2
	}
	refused := 0
	for round := range rounds {
		dir := filepath.Join(t.TempDir(), "copy")
		copyDir(t, image, dir)
		random := rand.New(rand.NewPCG(uint64(round), uint64(len(file))))
		if err := damages[kind](filepath.Join(dir, file), size, random); err != nil {
			t.Fatal(err)
		}
		if mustBeWholeOrRefused(t, dir) {
			refused++
			if !mustBeWholeOrRefused(t, dir) {
				t.Error("it was refused, and is opened when it is tried again")
			}
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if records(file) && refused == 0 {
		t.Errorf("a %s %s was never noticed", kind, file)
	}
}
