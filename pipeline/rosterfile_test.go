package pipeline_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline"
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

func (p *notedPart) WriteRow(row table.Row, fills []table.Fill, appended []string) error {
	line := fmt.Sprintf("%d %q", row.Number(), appended)
	for _, fill := range fills {
		line += fmt.Sprintf(" %d: %q", fill.Column, fill.Value)
	}
	p.lines = append(p.lines, line)
	return nil
}

// memoryFile is a file in memory.
type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

func openRoster(data []byte) (*pipeline.Roster, error) {
	return pipeline.OpenRoster(memoryFile{bytes.NewReader(data)}, int64(len(data)))
}

// withWide makes some of the records of a journal more than a roster can pack.
func withWide(t *rapid.T, journal drawnJournal) wideAnswers {
	wide := map[enrich.Key]bool{}
	for key := range journal.records {
		wide[key] = rapid.IntRange(0, 9).Draw(t, "wide") == 0
	}
	return wideAnswers{drawnAnswers{journal}, wide}
}

// wideAnswers knows of earlier attempts for some people.
type wideAnswers struct {
	drawnAnswers
	wide map[enrich.Key]bool
}

func (w wideAnswers) RecordOf(key enrich.Key) (attempt.Record, error) {
	record, err := w.drawnAnswers.RecordOf(key)
	if w.wide[key] {
		record.Earlier[0] = []attempt.ID{record.Attempts[0] | 1<<20}
	}
	return record, err
}

func (w wideAnswers) Records(first byte, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	return w.drawnJournal.Records(first, func(key enrich.Key, _ func() (attempt.Record, error)) error {
		return visit(key, func() (attempt.Record, error) { return w.RecordOf(key) })
	})
}

// TestAKeptRosterGivesTheSameOutput writes an output with a roster and again with the one
// that was kept, without looking at who the rows are about where that is possible.
func TestAKeptRosterGivesTheSameOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		output := pipeline.Output{Scope: drawScope(t, list), Run: "run", Stopped: "ceiling:max-spend"}
		cut, scope := drawWay(t, list, output.Scope)
		journal := withWide(t, drawJournal(t))
		roster, err := scope.CallRoll(t.Context(), cut, journal)
		if err != nil {
			t.Fatal(err)
		}
		defer roster.Close()
		var kept bytes.Buffer
		if _, err := roster.WriteTo(&kept); err == nil || kept.Len() > 0 {
			t.Fatalf("a roster was kept before it was verified, error %v", err)
		}
		var want, got noted
		wantRows, err := output.Write(t.Context(), cut, roster, journal, &want, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := roster.WriteTo(&kept); err != nil || n != int64(kept.Len()) {
			t.Fatalf("error %v, %d bytes of %d", err, n, kept.Len())
		}
		opened, err := openRoster(kept.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		gotRows, err := output.Write(t.Context(), cut, opened, journal, &got, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.lines, got.lines); diff != "" {
			t.Fatalf("rows (-new roster +kept):\n%s", diff)
		}
		if diff := cmp.Diff(wantRows, gotRows); diff != "" {
			t.Fatalf("rows by outcome (-new roster +kept):\n%s", diff)
		}
	})
}

// TestARollIsCalledWithoutATemporaryFile has a person that comes so often that the rows go
// to a temporary file, where one can be made.
func TestARollIsCalledWithoutATemporaryFile(t *testing.T) {
	list := profileList(slices.Repeat([]string{"p1"}, 5000)...)
	scope := list.scope(t, enrich.AllFields)
	scope.TempDir = filepath.Join(t.TempDir(), "nowhere")
	roster, err := scope.CallRoll(t.Context(), list, drawnAnswers{drawnJournal{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := roster.Close(); err != nil {
		t.Fatal(err)
	}
	scope.Memory = 1
	if _, err := scope.CallRoll(t.Context(), list, drawnAnswers{drawnJournal{}}); err == nil {
		t.Error("what is more than the memory was held without a temporary file")
	}
}

// keptRosterOf returns the kept roster of a list with rows of all kinds.
func keptRosterOf(t testing.TB) []byte {
	list := profileList("p1", "p2", "p1", "p3", "p2", "p1")
	output := pipeline.Output{Scope: list.scope(t, enrich.AllFields), Run: "run"}
	journal := drawnAnswers{drawnJournal{blank{}, map[enrich.Key]attempt.Record{
		keyOf(identity("p2")): {States: [enrich.NumFields]attempt.FieldState{attempt.Found, attempt.Missing}},
	}}}
	roster, err := output.Scope.CallRoll(t.Context(), list, journal)
	if err != nil {
		t.Fatal(err)
	}
	defer roster.Close()
	var kept bytes.Buffer
	_, err = output.Write(t.Context(), list, roster, journal, &noted{}, nil)
	if err == nil {
		_, err = roster.WriteTo(&kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept.Bytes()
}

func TestADamagedRosterIsNotOpened(t *testing.T) {
	kept := keptRosterOf(t)
	if _, err := openRoster(kept); err != nil {
		t.Fatal(err)
	}
	for at := range kept {
		damaged := bytes.Clone(kept)
		damaged[at] ^= 1 << (at % 8)
		if _, err := openRoster(damaged); err == nil {
			t.Errorf("byte %d of %d was changed, and the roster was opened", at, len(kept))
		}
		if _, err := openRoster(kept[:at]); err == nil {
			t.Errorf("a roster cut at %d of %d bytes was opened", at, len(kept))
		}
	}
}

func FuzzOpenRoster(f *testing.F) {
	f.Add(keptRosterOf(f))
	list := profileList("p1", "p2", "p1", "p3", "p2", "p1")
	f.Fuzz(func(t *testing.T, data []byte) {
		roster, err := openRoster(data)
		if err != nil {
			return
		}
		output := pipeline.Output{Scope: list.scope(t, enrich.AllFields), Run: "run"}
		_, err = output.Write(t.Context(), list, roster, drawnAnswers{drawnJournal{}}, &noted{}, nil)
		if err := errors.Join(err, roster.Close()); err != nil {
			t.Skip(err)
		}
	})
}

// forged returns a kept roster of which these are the spans and the contents, with the
// right checksums.
func forged(contents string, spans ...string) []byte {
	sealed := func(text string) []byte {
		sum := crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
		return binary.LittleEndian.AppendUint32([]byte(text), sum)
	}
	var kept []byte
	for _, span := range spans {
		kept = append(kept, sealed(span)...)
	}
	end := sealed(contents)
	return binary.LittleEndian.AppendUint32(append(kept, end...), uint32(len(end)))
}

// TestARosterWithRightChecksumsMayStillBeWrong has rosters that no program wrote, so
// that none is found to be wrong in the middle of an output.
func TestARosterWithRightChecksumsMayStillBeWrong(t *testing.T) {
	for name, kept := range map[string][]byte{
		"no spans":             forged(`{"rows":2}`),
		"a span too few":       forged(`{"rows":2,"ends":[5]}`, "\x03"),
		"a span too many":      forged(`{"rows":1,"ends":[5,10]}`, "\x03", "\x03"),
		"fewer than no rows":   forged(`{"rows":-1,"ends":[5]}`, "\x03"),
		"more rows than any":   forged(`{"rows":9223372036854775807,"ends":[5]}`, "\x03"),
		"a span ends early":    forged(`{"rows":2,"ends":[5,3]}`, "\x03", "\x03"),
		"a span ends too late": forged(`{"rows":2,"ends":[5,1152921504606846976]}`, "\x03", "\x03"),
		"a span before all":    forged(`{"rows":2,"ends":[-7,5]}`, "\x03"),
		"a span without notes": forged(`{"rows":2,"ends":[5,9]}`, "\x03", ""),
		"no such reason":       forged(`{"rows":2,"ends":[5,10]}`, "\x81", "\x03"),
		"a lead that is none":  forged(`{"rows":2,"ends":[5,10]}`, "\x03", "\x07"),
		"no such state":        forged(`{"rows":2,"ends":[5,18]}`, "\x03", "\x0b\x00\x00\x00\xe0\x00\x00\x00\x00"),
		"no such state, other": forged(`{"rows":2,"ends":[5,18]}`, "\x03", "\x0b\x00\x00\x00\x00\x00\x00\x00\xe0"),
		"more than was told":   forged(`{"rows":2,"ends":[5,18]}`, "\x03", "\x0b\xff\xff\xff\xff\xff\xff\xff\xff"),
	} {
		if _, err := openRoster(kept); err == nil {
			t.Errorf("%s: the roster was opened", name)
		}
	}
	for name, kept := range map[string][]byte{
		"with notes alone":   forged(`{"rows":2,"ends":[5,10]}`, "\x03", "\x03"),
		"with a record":      forged(`{"rows":2,"ends":[5,18]}`, "\x03", "\x0b\x01\x00\x00\xc0\x02\x00\x00\xc0"),
		"with a wide record": forged(`{"rows":2,"wide":true,"ends":[5,18]}`, "\x03", "\x0b\xff\xff\xff\xff\xff\xff\xff\xff"),
	} {
		if _, err := openRoster(kept); err != nil {
			t.Errorf("a right one, %s: %v", name, err)
		}
	}
}
