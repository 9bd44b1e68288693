package output_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/output"
)

// counted is an interface and the files of its tables. It counts the rows that are in memory: those that were
// read from answers and are not written yet.
type counted struct {
	invented
	writing    atomic.Bool
	rows, most atomic.Int64
}

func (c *counted) Rows(_ enrich.Field, _ enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	rows := make([]enrich.TableRow, 10)
	for i := range rows {
		rows[i].Cells = []enrich.Cell{{Kind: enrich.IntegerCell}, {Kind: enrich.NumberCell}}
	}
	if !c.writing.Load() {
		return rows, enrich.CellProblems{}, nil // the pass for the columns keeps none
	}
	now := c.rows.Add(int64(len(rows)))
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
	return rows, enrich.CellProblems{}, nil
}

func (c *counted) Extras(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	return c.Rows(of, answer)
}

func (c *counted) Create(string, []table.Column) (table.Writer, error) {
	c.writing.Store(true)
	return c, nil
}

func (c *counted) Part(table.Block) table.Part { return new(countedPart) }

func (c *counted) Write(p table.Part) error {
	c.rows.Add(-int64(*p.(*countedPart)))
	return nil
}

func (c *counted) Close() error { return nil }

type countedPart int

func (p *countedPart) WriteRow(table.Row, []table.Fill, []enrich.Cell) error {
	*p++
	return nil
}

// anything returns an answer to each attempt.
type anything struct{}

func (anything) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		for _, id := range ids {
			known = append(known, attempt.Outcome{
				ID: id, Who: enrich.Identity{Company: enrich.Company{ID: "c"}},
				Ended: attempt.Resolution{State: attempt.Settled, Status: enrich.Matched},
			})
		}
		return known, nil
	}
}

// TestTablesKeepAFewAnswersInMemory writes tables of many answers, and counts the rows that wait.
func TestTablesKeepAFewAnswersInMemory(t *testing.T) {
	c := &counted{}
	d := output.NewDecidedAnswers(output.TableSteps{{Interface: c, Answers: anything{}, Wanted: wanted(figures)}})
	const answers = 10_000
	for id := range attempt.ID(answers) {
		d.Add(0, figures, id)
	}
	summary, err := d.Write(t.Context(), c)
	if err != nil || summary.Tables[0].Rows != 10*answers || c.rows.Load() != 0 {
		t.Fatalf("%+v, %d rows wait, %v", summary.Tables, c.rows.Load(), err)
	}
	// A part of 1000 rows waits, and for each core five spans of four answers with ten rows.
	if most := int64(1000 + (runtime.GOMAXPROCS(0)+1)*6*4*10); c.most.Load() > most {
		t.Errorf("%d rows waited, want at most %d", c.most.Load(), most)
	}
}

// long is an interface whose answers have one long text, and the files of its tables. It counts the texts that are
// in memory whenever a part is written.
type long struct {
	counted
	mu    sync.Mutex
	texts []weak.Pointer[byte]
	most  int
}

func (l *long) Rows(enrich.Field, enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := make([]byte, 2<<20)
	l.texts = append(l.texts, weak.Make(&text[0]))
	value := enrich.ExtraValue{Name: "text", Cell: enrich.Cell{Known: true, Text: unsafe.String(&text[0], len(text))}}
	return []enrich.TableRow{{Cells: make([]enrich.Cell, 2), Extra: []enrich.ExtraValue{value}}}, enrich.CellProblems{}, nil
}

func (l *long) Extras(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	return l.Rows(of, answer)
}

func (l *long) Create(string, []table.Column) (table.Writer, error) { return l, nil }

func (l *long) Write(table.Part) error {
	// Texts that were made during the collection would count although nothing refers to them. So none is made.
	l.mu.Lock()
	defer l.mu.Unlock()
	runtime.GC()
	live := 0
	for _, text := range l.texts {
		if text.Value() != nil {
			live++
		}
	}
	l.most = max(l.most, live)
	return nil
}

// TestTablesKeepAFewLargeAnswersInMemory writes tables of answers that are long, and counts those in memory.
func TestTablesKeepAFewLargeAnswersInMemory(t *testing.T) {
	l := &long{}
	d := output.NewDecidedAnswers(output.TableSteps{{Interface: l, Answers: anything{}, Wanted: wanted(figures)}})
	for id := range attempt.ID(60) {
		d.Add(0, figures, id)
	}
	if summary, err := d.Write(t.Context(), l); err != nil || summary.Tables[0].Rows != 60 {
		t.Fatalf("%+v, %v", summary.Tables, err)
	}
	// A part has two rows, and another one is read for it. Each core reads one, and holds the one before until then.
	if most := 3 + 2*runtime.GOMAXPROCS(0); l.most > most {
		t.Errorf("%d long texts were in memory, want at most %d", l.most, most)
	}
}
