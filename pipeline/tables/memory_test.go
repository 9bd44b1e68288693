package tables_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/enrich/tabular"
	"payonce/io/table"
	"payonce/pipeline/tables"
)

// counted is an interface and the files of its tables. It counts the rows that are in memory: those that were
// read from answers and are not written yet.
type counted struct {
	invented
	writing    atomic.Bool
	rows, most atomic.Int64
}

func (c *counted) Rows(_ enrich.Field, _ enrich.Answered) ([]tabular.Row, tabular.Problems, error) {
	rows := make([]tabular.Row, 10)
	for i := range rows {
		rows[i].Cells = []tabular.Cell{{Kind: tabular.Integer}, {Kind: tabular.Number}}
	}
	if !c.writing.Load() {
		return rows, tabular.Problems{}, nil // the pass for the columns keeps none
	}
	now := c.rows.Add(int64(len(rows)))
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
	return rows, tabular.Problems{}, nil
}

func (c *counted) Create(string, []table.Column) (table.Writer, error) {
	c.writing.Store(true)
	return c, nil
}

func (c *counted) Part(b table.Block) table.Part { return countedPart(b.Len()) }

func (c *counted) Write(p table.Part) error {
	c.rows.Add(-int64(p.(countedPart)))
	return nil
}

func (c *counted) Close() error { return nil }

type countedPart int

func (countedPart) WriteRow(table.Row, []table.Fill, []string) error { return nil }

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

// TestOnlyAFewAnswersAreInMemory writes tables of many answers, and counts the rows that wait.
func TestOnlyAFewAnswersAreInMemory(t *testing.T) {
	c := &counted{}
	d := tables.NewDecided(tables.Steps{{Interface: c, Answers: anything{}, Wanted: wanted(figures)}})
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
