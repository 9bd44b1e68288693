package candidates

import (
	"context"
	"errors"
	"io"

	"payonce/attempt"
	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/row"
	"payonce/service/v2/answers"
	"payonce/service/v2/match"
)

// Journal is what the account that was searched knows.
type Journal interface {
	KeyOf(canonical []byte) enrich.Key
	// RecordOf returns what durable attempts say about the subject with a key.
	RecordOf(key enrich.Key) (attempt.Record, error)
	// Recall returns a function that appends to known the outcomes of attempts, whose numbers must ascend.
	Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// Gather calls visit for each company of a list that a search left ambiguous, once, in the order of the rows. The
// scope is that of the step that searches, and the list is the one that the step reads.
func Gather(ctx context.Context, scope row.Scope, list row.List, journal Journal, visit func(Ambiguous) error) (err error) {
	reader, err := list.Open(scope.Columns())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	g := gathering{
		rows: scope.Reader(journal.KeyOf), wanted: scope.Wanted, journal: journal, recall: journal.Recall(0, false),
		seen: map[enrich.Key]bool{}, visit: visit,
	}
	for {
		block, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = block.Each(g.take)
			block.Release()
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}

// gathering is a Gather under way.
type gathering struct {
	rows    *row.Reader
	wanted  enrich.Fields
	journal Journal
	recall  func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
	seen    map[enrich.Key]bool
	visit   func(Ambiguous) error
}

// take looks at one row.
func (g gathering) take(line table.Row) error {
	if g.rows.Missing(line) == 0 {
		return nil
	}
	key, _, reason := g.rows.Key(line)
	if reason != "" || g.seen[key] {
		return nil
	}
	g.seen[key] = true
	record, err := g.journal.RecordOf(key)
	if err != nil {
		return err
	}
	for f := range g.wanted.Each() {
		if id := record.Attempts[f]; id != 0 {
			found, err := g.ambiguous(id)
			if err != nil || len(found.Found) == 0 {
				return err
			}
			found.Row = line.Number()
			return g.visit(found)
		}
	}
	return nil
}

// ambiguous returns the candidates of a search; none where the search was not answered or found the company.
func (g gathering) ambiguous(id attempt.ID) (found Ambiguous, err error) {
	known, err := g.recall([]attempt.ID{id}, nil)
	if err != nil || len(known) == 0 || !known[0].Ended.Answered() {
		return found, err
	}
	answer := known[0].Ended.Answer()
	search, err := answers.Decode(answer)
	if err != nil || search.About == (enrich.Company{}) {
		return found, err
	}
	results, err := answers.Found(answer)
	if err != nil {
		return found, err
	}
	if _, why := match.Choose(search.About, results); why == "" {
		return found, nil
	}
	return Ambiguous{Sought: search.About, Found: results.Candidates}, nil
}
