package simulation_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// noted is a writer that notes what rows get, and reads no cell.
type noted struct{ lines []string }

type notedPart struct {
	lines []string
}

func (n *noted) Part(table.Block) table.Part { return &notedPart{} }
func (n *noted) Close() error                { return nil }

func (n *noted) Write(part table.Part) error {
	n.lines = append(n.lines, part.(*notedPart).lines...)
	return nil
}

func (p *notedPart) WriteRow(row table.Row, fills []table.Fill, appended []enrich.Cell) error {
	var texts []string
	for _, cell := range appended {
		texts = append(texts, cell.String())
	}
	line := fmt.Sprintf("%d %q", row.Number(), texts)
	for _, fill := range fills {
		line += fmt.Sprintf(" %d: %q", fill.Column, fill.Value)
	}
	p.lines = append(p.lines, line)
	return nil
}

// nobodyKnown is a journal that knows of nobody.
var nobodyKnown = drawnAnswers{drawnJournal{}}

func newIndex(t *testing.T, scope scan.Scope, list scan.List, journal scan.Recorder) *scan.Index {
	t.Helper()
	index, err := scan.NewIndex(t.Context(), scope, list, journal)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	return index
}

// TestAnIndexOfAnotherNumberOfRowsIsRefused writes lists with indexes of longer and shorter ones,
// in blocks of several sizes.
func TestAnIndexOfAnotherNumberOfRowsIsRefused(t *testing.T) {
	called := profileList(names(6)...)
	output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: called.scope(t, email), Run: "run"}
	for rows := 1; rows <= 12; rows++ {
		for size := 1; size <= 4; size++ {
			list := cutList{profileList(names(rows)...), size}
			index := newIndex(t, output.Scope, called, nobodyKnown)
			_, err := output.Write(t.Context(), list, index, nobodyKnown, &noted{}, nil)
			if errors.Is(err, scan.ErrListChanged) != (rows != 6) || rows == 6 && err != nil {
				t.Errorf("%d rows in blocks of %d, with an index of 6: error %v", rows, size, err)
			}
		}
	}
}

// asked notes how the answers are asked for.
type asked struct {
	drawnAnswers
	memory int64
	who    bool
}

func (a *asked) Recall(memory int64, who bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	a.memory, a.who = memory, who
	return a.drawnAnswers.Recall(memory, who)
}

// TestAnOutputAsksWhoAttemptsWereAbout also holds that an answer takes no more memory than
// the scope has.
func TestAnOutputAsksWhoAttemptsWereAbout(t *testing.T) {
	list := profileList("p1", "p2")
	output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, email), Run: "run"}
	output.Scope.Memory = 123_456
	journal := &asked{drawnAnswers: nobodyKnown}
	index := newIndex(t, output.Scope, list, journal)
	if _, err := output.Write(t.Context(), list, index, journal, &noted{}, nil); err != nil {
		t.Fatal(err)
	}
	if !journal.who || journal.memory != 123_456 {
		t.Errorf("asked with who %t and %d bytes, want true and those of the scope", journal.who, journal.memory)
	}
}

// TestAnIndexIsMadeWithoutATemporaryFile has a person that comes so often that the rows go
// to a temporary file, where one can be made.
func TestAnIndexIsMadeWithoutATemporaryFile(t *testing.T) {
	list := profileList(slices.Repeat([]string{"p1"}, 5000)...)
	scope := list.scope(t, v1.AllFields)
	scope.TempDir = filepath.Join(t.TempDir(), "nowhere")
	index, err := scan.NewIndex(t.Context(), scope, list, drawnAnswers{drawnJournal{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	scope.Memory = 1
	if _, err := scan.NewIndex(t.Context(), scope, list, drawnAnswers{drawnJournal{}}); err == nil {
		t.Error("what is more than the memory was held without a temporary file")
	}
}

// inEachSpan is how many rows of a crowd are in a span of its index: more than stay in
// memory.
const inEachSpan = 600

// crowd is a list of one person in nearly all rows, and another one in the last.
func crowd(last string) csvList {
	return profileList(append(slices.Repeat([]string{"p1"}, 256*inEachSpan), last)...)
}

// TestAnIndexOfManyDuplicates has more to say of rows than stays in memory, unless there is
// no temporary file.
func TestAnIndexOfManyDuplicates(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	list := crowd("p2")
	for name, dir := range map[string]string{"with": t.TempDir(), "without": filepath.Join(t.TempDir(), "nowhere")} {
		output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, email), Run: "run"}
		output.Scope.TempDir = dir
		rows, err := output.Write(t.Context(), list, newIndex(t, output.Scope, list, nobodyKnown), nobodyKnown, &noted{}, nil)
		if err != nil || rows[scan.StatusDuplicate] != 256*inEachSpan-1 || rows[scan.StatusNotAttempted] != 2 {
			t.Errorf("%s a temporary file: rows %v, error %v", name, rows, err)
		}
	}
}

// failing is a journal that cannot tell of the persons whose keys begin with a byte.
type failing struct {
	drawnAnswers
	first byte
}

func (f failing) People() int64 { return 1 }

func (f failing) Records(first, _ enrich.Key, _ func(enrich.Key, func() (attempt.Record, error)) error) error {
	if first[0] == f.first {
		return errFault
	}
	return nil
}

// TestAnIndexThatCannotBeMadeLeavesNothingOpen fails behind a person with many duplicates.
func TestAnIndexThatCannotBeMadeLeavesNothingOpen(t *testing.T) {
	behind := func(who string) bool { return keyOf(identity(who))[0] > keyOf(identity("p1"))[0] }
	last := names(100)[slices.IndexFunc(names(100), behind)]
	list := crowd(last)
	scope := list.scope(t, email)
	scope.TempDir = t.TempDir()
	_, err := scan.NewIndex(t.Context(), scope, list, failing{nobodyKnown, keyOf(identity(last))[0]})
	if !errors.Is(err, errFault) {
		t.Errorf("error %v", err)
	}
	if left := openTemporaries(t, scope.TempDir); len(left) > 0 {
		t.Errorf("files %v are open", left)
	}
}
