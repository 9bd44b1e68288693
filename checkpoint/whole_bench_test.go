package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/verify"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// BenchmarkWholeJournal checks a journal with many answers, and forgets one person in it, each time in
// a separate process. It reports the time of the processors, the time and the peak of the memory, and
// the bytes of an answer in the files of the closed journal.
func BenchmarkWholeJournal(b *testing.B) {
	dir := cmp.Or(*benchDir, b.TempDir())
	closed := filepath.Join(dir, "closed")
	if exists, _ := badgerstore.Exists(closed); !exists {
		if err := fillJournal(closed, *benchAnswers); err != nil {
			b.Fatal(err)
		}
	}
	for _, doing := range []string{"check", "forget"} {
		b.Run(fmt.Sprintf("%s/%d", doing, *benchAnswers), func(b *testing.B) {
			var cpu, wall time.Duration
			var peak int64
			for b.Loop() {
				b.StopTimer()
				copied := filepath.Join(b.TempDir(), "journal")
				if err := cloneDir(closed, copied); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				command := exec.Command(os.Args[0], "-test.run=^TestWholeJournalForBenchmark$")
				command.Env = append(os.Environ(), openEnv+"="+copied, doingEnv+"="+doing)
				start := time.Now()
				output, err := command.CombinedOutput()
				wall += time.Since(start)
				if err != nil {
					b.Fatalf("%v\n%s", err, output)
				}
				cpu += command.ProcessState.UserTime() + command.ProcessState.SystemTime()
				var its int64
				if _, err := fmt.Sscanf(string(output), "peak %d\n", &its); err != nil {
					b.Fatalf("%v\n%s", err, output)
				}
				peak = max(peak, its)
			}
			b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N)/float64(*benchAnswers), "cpu-ns/answer")
			b.ReportMetric(wall.Seconds()/float64(b.N), "s")
			b.ReportMetric(float64(peak)/1024, "peak-MB")
			b.ReportMetric(float64(bytesIn(b, closed))/float64(*benchAnswers), "bytes/answer")
		})
	}
}

// bytesIn returns the size of the files in a directory.
func bytesIn(b testing.TB, dir string) (size int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return size
}

// TestAnAnswerTakesAtMost220BytesOnDisk compares closed journals with and without answers.
func TestAnAnswerTakesAtMost220BytesOnDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	t.Parallel()
	const answers, most = 15_000, 220
	sizeOf := func(answers int) int64 {
		dir := filepath.Join(t.TempDir(), "journal")
		journal, err := openIn(dir, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 30, Window: time.Minute}, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(journal.fill(answers, email|phone), journal.Close()); err != nil {
			t.Fatal(err)
		}
		return bytesIn(t, dir)
	}
	each := float64(sizeOf(answers)-sizeOf(0)) / answers
	t.Logf("%.1f bytes for an answer with an email and a phone", each)
	if each > most || each < 50 {
		t.Errorf("an answer takes %.1f bytes, want at most %d", each, most)
	}
}

const doingEnv = "CHECKPOINT_BENCH_DO"

// TestWholeJournalForBenchmark is the other process of BenchmarkWholeJournal.
func TestWholeJournalForBenchmark(t *testing.T) {
	dir, doing := os.Getenv(openEnv), os.Getenv(doingEnv)
	if doing == "" {
		t.Skip("this is a part of a benchmark")
	}
	debug.SetGCPercent(30) // as the commands do
	defer func() { fmt.Printf("peak %d\n", peakMemory(t)) }()
	s, err := badgerstore.Open(dir, badgerstore.Options{InOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	if doing == "check" {
		_, err = verify.Check(s, v1.Catalogue(), nil, func(p verify.Problem) { t.Errorf("%s %s", p.Record, p.Text) })
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		return
	}
	j, err := New(s, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 30, Window: time.Minute}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	var answers v1.AnswerDecoder
	found, err := j.Find(Person{Identity: fullPerson(7)}, func(_ string, answered enrich.Answered) (facts PersonFacts, err error) {
		facts.Name, facts.Email, facts.Phone, err = answers.Person(answered)
		return facts, err
	})
	if err != nil {
		t.Fatal(err)
	}
	erased, err := j.Forget(found)
	if err := errors.Join(err, j.Close()); err != nil || erased.Answers != 1 {
		t.Fatalf("erased %+v, error %v", erased, err)
	}
}
