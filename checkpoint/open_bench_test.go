package checkpoint

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

var (
	benchAnswers = flag.Int("journal.answers", 200_000, "how many answers the journal has that BenchmarkOpenLarge opens")
	benchDir     = flag.String("journal.dir", "", "where that journal is made, or is already; empty for a temporary directory")
)

// BenchmarkOpenLarge opens a journal with many answers, as it was closed and as a
// killed process left it, each time in a separate process: it reports the time and
// the peak of the memory.
func BenchmarkOpenLarge(b *testing.B) {
	dir := cmp.Or(*benchDir, b.TempDir())
	closed, killed := filepath.Join(dir, "closed"), filepath.Join(dir, "killed")
	if exists, _ := badgerstore.Exists(closed); !exists {
		if err := fillJournal(closed, *benchAnswers); err != nil {
			b.Fatal(err)
		}
	}
	if exists, _ := badgerstore.Exists(killed); !exists {
		if err := killJournal(closed, killed, *benchAnswers); err != nil {
			b.Fatal(err)
		}
	}
	for _, state := range []string{"closed", "killed"} {
		b.Run(fmt.Sprintf("%s/%d", state, *benchAnswers), func(b *testing.B) {
			var took, begun time.Duration
			var peak int64
			for b.Loop() {
				o, err := openElsewhere(filepath.Join(dir, state), state == "killed")
				if err != nil {
					b.Fatal(err)
				}
				took, begun, peak = took+o.took, begun+o.begun, max(peak, o.peak)
			}
			b.ReportMetric(took.Seconds()/float64(b.N), "s/open")
			b.ReportMetric(begun.Seconds()/float64(b.N), "s/begin")
			b.ReportMetric(float64(peak)/1024, "peak-MB")
		})
	}
}

// opened is what another process tells of its opening of a journal.
type opened struct {
	took, begun time.Duration // to open it, and to decide on a lookup
	peak        int64         // KB
}

const openEnv = "CHECKPOINT_BENCH_OPEN"

// openElsewhere opens the journal in a separate process, and kills it if it is to
// stay as it was.
func openElsewhere(dir string, kill bool) (o opened, err error) {
	command := exec.Command(os.Args[0], "-test.run=^TestOpenForBenchmark$")
	command.Env = append(os.Environ(), openEnv+"="+dir)
	input, err := command.StdinPipe()
	if err != nil {
		return o, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return o, err
	}
	if err := command.Start(); err != nil {
		return o, err
	}
	_, err = fmt.Fscanf(output, "opened %d %d %d\n", &o.took, &o.begun, &o.peak)
	if kill {
		return o, errors.Join(err, command.Process.Kill(), ignoreKilled(command.Wait()))
	}
	return o, errors.Join(err, input.Close(), command.Wait())
}

func ignoreKilled(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return nil
	}
	return err
}

// TestOpenForBenchmark is the other process of openElsewhere.
func TestOpenForBenchmark(t *testing.T) {
	dir := os.Getenv(openEnv)
	if dir == "" {
		t.Skip("this is a part of a benchmark")
	}
	start := time.Now()
	journal, err := openIn(dir, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 30, Window: time.Minute}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	start = time.Now()
	if _, err := journal.Record(fullPerson(7)); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("opened %d %d %d\n", took, time.Since(start), peakMemory(t))
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the other process has read it
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
}

// peakMemory returns the most memory that the process has had so far, in KB.
func peakMemory(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("the system does not tell the peak of the memory")
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	peak, err := strconv.ParseInt(strings.TrimSpace(strings.Split(rest, "kB")[0]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return peak
}

func fullPerson(n int) enrich.Identity {
	return enrich.Identity{FirstName: "Alexandra" + strconv.Itoa(n%977), LastName: "Hutchinson" + strconv.Itoa(n), CompanyDomain: fmt.Sprintf("company-%d.example", n%50_000)}
}

// fillJournal makes a journal with answered attempts. It writes the same records as the
// decisions do, without them.
func fillJournal(dir string, answers int) error {
	journal, err := openIn(dir, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 30, Window: time.Minute}, Now: time.Now})
	if err != nil {
		return err
	}
	return errors.Join(journal.fill(answers, email), journal.Close())
}

// killJournal adds a few answers to a closed journal, so that a log is left to be
// read, and makes a copy of it as it would be if the process were killed then.
func killJournal(dir, killed string, answers int) error {
	journal, err := openIn(dir, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 30, Window: time.Minute}, Now: time.Now})
	if err != nil {
		return err
	}
	for n := range 20 {
		if err := lookUpDurably(journal, func(enrich.Lookup) (enrich.Answered, error) { return v1.EncodeAnswer(found), nil }, fullPerson(answers+n)); err != nil {
			return errors.Join(err, journal.Close())
		}
	}
	<-time.After(2 * time.Second) // until the store has verified and sealed its tables
	return errors.Join(cloneDir(dir, killed), journal.Close())
}

// cloneDir copies a directory. Badger empties the files that it removes, so a second
// name for a file would not do.
func cloneDir(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		source, err := os.Open(path)
		if err != nil {
			return err
		}
		defer source.Close()
		file, err := os.OpenFile(target, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, source)
		return errors.Join(err, file.Close())
	})
}

// fill adds attempts whose answers have all fields to a new journal, many to a commit.
func (j *Journal) fill(answers int, fields enrich.Fields) error {
	const pace = 2 * time.Second
	begun := j.now().Add(-time.Hour - time.Duration(answers)*pace)
	state := j.state
	var writes []Write
	size := 0
	for n := range answers {
		id, at := attempt.ID(n+1), begun.Add(time.Duration(n)*pace)
		who := fullPerson(n)
		in := record.Intent{At: at, Key: j.Key(who), Identity: who, Pattern: "name", Hold: cost.Hold{Fields: fields, Rates: rates}, Run: "run"}
		content := v1.Answer{
			Status: enrich.Matched, Operation: "work_email_lookup", RequestID: fmt.Sprintf("req_lookup_%08x", n), FullName: who.FirstName + " " + who.LastName,
			WorkEmail: who.FirstName + "." + who.LastName + "@" + who.CompanyDomain, RetrievedAt: at, Provenance: "provider-a",
		}
		if fields.Has(v1.BusinessPhone) {
			content.BusinessPhone, content.PhoneType = fmt.Sprintf("+1%010d", n*7919), "direct"
		}
		answer := v1.EncodeAnswer(content)
		res := attempt.Resolution{
			State: attempt.Settled, At: at.Add(time.Second), Run: "run", Charge: in.Hold.Settle(fields), Sent: true,
			Status: answer.Status, Returned: answer.Returned, Data: answer.Data, RequestID: answer.RequestID,
		}
		a := j.state.newAttempt(in)
		j.state.sums.Hold(a.sums, a.Hold)
		LandHold(a.sums, a.Hold)
		j.state.sums.Release(a.sums, a.Hold, res, false)
		j.state.sums.EndOn(res.At, id)
		added := []Write{
			{Key: record.IDKey(record.IntentPrefix, id), Value: record.Encode(&in)},
			{Key: record.IDKey(record.ResolutionPrefix, id), Value: record.Encode(&res)},
		}
		for f := range fields.Each() {
			entry := record.FieldEntry{State: attempt.Found, Attempt: id, At: res.At}
			added = append(added, Write{Key: record.FieldKey(in.Key, f), Value: record.Encode(&entry)})
		}
		for _, write := range added {
			writes = append(writes, write)
			size += write.Size()
		}
		if size > maxQueue || n == answers-1 {
			state.persisted.NextID, state.persisted.Resolved, state.accounts[0].Horizon = id+1, int64(id), id
			writes = append(writes, j.state.sums.TakeChanges()...)
			if err := j.store.Commit(append(writes, Write{Key: record.StateKey, Value: record.Encode(state.record())})); err != nil {
				return err
			}
			writes, size = nil, 0
		}
	}
	return nil
}
