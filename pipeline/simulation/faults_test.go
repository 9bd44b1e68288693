package simulation_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

var errFault = errors.New("a fault")

// faults are what everything around an output asks before it does anything: the step of
// that number fails, or is the moment of an interrupt.
type faults struct {
	mu        sync.Mutex
	steps     int
	at        int
	interrupt context.CancelFunc // instead of a failure; nil for one
	opened    int                // readers that were not closed
}

func (f *faults) step() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps++
	switch {
	case f.steps != f.at:
		return nil
	case f.interrupt != nil:
		f.interrupt()
		return nil
	}
	return errFault
}

// faultyList is a list whose reader may fail in every way there is.
type faultyList struct {
	scan.List
	*faults
}

type faultyReader struct {
	table.Reader
	*faults
}

type faultyBlock struct {
	table.Block
	*faults
}

func (l faultyList) Open(columns []int) (table.Reader, error) {
	if err := l.step(); err != nil {
		return nil, err
	}
	reader, err := l.List.Open(columns)
	l.opened++
	return faultyReader{reader, l.faults}, err
}

func (r faultyReader) Next() (table.Block, error) {
	if err := r.step(); err != nil {
		return nil, err
	}
	block, err := r.Reader.Next()
	return faultyBlock{block, r.faults}, err
}

func (r faultyReader) Close() error {
	r.opened--
	return errors.Join(r.step(), r.Reader.Close())
}

func (b faultyBlock) Each(visit func(table.Row) error) error {
	return b.Block.Each(func(row table.Row) error {
		return errors.Join(b.step(), visit(row))
	})
}

// faultyAnswers is a journal that may fail when it is read.
type faultyAnswers struct {
	drawnAnswers
	*faults
}

func (a faultyAnswers) RecordOf(key enrich.Key, _ enrich.Fields) (attempt.Record, error) {
	record, err := a.drawnAnswers.RecordOf(key, enrich.PossibleFields)
	return record, errors.Join(a.step(), err)
}

func (a faultyAnswers) Records(first, last enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	return errors.Join(a.step(), a.drawnAnswers.Records(first, last, visit))
}

func (a faultyAnswers) Recall(memory int64, who bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	recall := a.drawnAnswers.Recall(memory, who)
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		known, err := recall(ids, known)
		return known, errors.Join(a.step(), err)
	}
}

// faultyWriter is an output that may fail.
type faultyWriter struct {
	noted
	*faults
}

type faultyPart struct {
	table.Part
	*faults
}

func (w *faultyWriter) Part(block table.Block) table.Part {
	return faultyPart{w.noted.Part(block), w.faults}
}

func (w *faultyWriter) Write(part table.Part) error {
	return errors.Join(w.step(), w.noted.Write(part.(faultyPart).Part))
}

func (p faultyPart) WriteRow(row table.Row, fills []table.Fill, appended []enrich.Cell) error {
	return errors.Join(p.step(), p.Part.WriteRow(row, fills, appended))
}

// faultyOutput writes an output of which some step fails.
func faultyOutput(t *testing.T, f *faults) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if f.interrupt != nil {
		f.interrupt = cancel
	}
	names := strings.Fields("p1 p2 p1 p3 none p2 p1 p4 p4 p4")
	list := faultyList{cutList{profileList(names...), 3}, f}
	scope := profileList(names...).scope(t, v1.AllFields)
	scope.Memory, scope.TempDir = 1, t.TempDir()
	journal := faultyAnswers{drawnAnswers{drawnJournal{blank{}, map[enrich.Key]attempt.Record{
		keyOf(identity("p2")): {States: enrich.ByField[attempt.FieldState]{attempt.Found, attempt.Missing}},
		keyOf(identity("p4")): {States: enrich.ByField[attempt.FieldState]{attempt.Forgotten, attempt.PaidAndGone}},
	}}}, f}
	out, rejects := &faultyWriter{faults: f}, &faultyWriter{faults: f}
	_, err := callAndWrite(ctx, output.Output{Decoder: new(v1.AnswerDecoder), Scope: scope, Run: "run"}, list, journal, out, rejects)
	if f.opened != 0 {
		t.Errorf("step %d: %d readers are open", f.at, f.opened)
	}
	if left := openTemporaries(t, scope.TempDir); len(left) > 0 {
		t.Errorf("step %d: files %v are open", f.at, left)
	}
	return err
}

// openTemporaries returns the temporary files of a directory that the process has open, and
// what is left in it.
func openTemporaries(t *testing.T, dir string) (found []string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	descriptors, _ := filepath.Glob("/proc/self/fd/*") // none where there is no such thing
	for _, descriptor := range descriptors {
		if path, _ := os.Readlink(descriptor); strings.HasPrefix(path, dir) {
			left = append(left, path)
		}
	}
	return left
}

// TestEveryFaultOfAnOutputIsReported lets each step of an output fail, one after the other, and
// be the moment of an interrupt, for which the last one is too late.
func TestEveryFaultOfAnOutputIsReported(t *testing.T) {
	none := &faults{}
	if err := faultyOutput(t, none); err != nil || none.steps < 50 {
		t.Fatalf("error %v after %d steps, which are too few", err, none.steps)
	}
	for at := 1; at <= none.steps; at++ {
		if err := faultyOutput(t, &faults{at: at}); !errors.Is(err, errFault) {
			t.Errorf("a fault in step %d of %d: error %v", at, none.steps, err)
		}
		if at == none.steps {
			break
		}
		if err := faultyOutput(t, &faults{at: at, interrupt: func() {}}); !errors.Is(err, context.Canceled) {
			t.Errorf("an interrupt in step %d of %d: error %v", at, none.steps, err)
		}
	}
}
