package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline/scan"
)

// CandidateJournal is what the account that was searched knows.
type CandidateJournal interface {
	KeyOf(canonical []byte) enrich.Key
	// RecordOf returns what durable attempts say about the subject with a key.
	RecordOf(key enrich.Key, fields enrich.Fields) (attempt.Record, error)
	// Recall returns a function that appends to known the outcomes of attempts, whose numbers must ascend.
	Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// gatherAmbiguous returns the companies of a list that a search left ambiguous, each once, in the order of the rows.
// Those for which somebody selected a candidate are among them. The scope is that of the step that searches, and the
// list is the one that the step reads.
func gatherAmbiguous(ctx context.Context, scope scan.Scope, list scan.List, journal CandidateJournal) (all []Ambiguous, err error) {
	scope.Selected = nil
	places := map[enrich.Key]int{} // of ambiguous companies; -1 for others
	search := newSearch(scope, journal)
	err = search.each(ctx, scope, list, func(line table.Row, form []byte) error {
		key := journal.KeyOf(form)
		place, seen := places[key]
		if !seen {
			company, err := search.ambiguous(key)
			if err != nil {
				return err
			}
			if place = -1; len(company.Found) > 0 {
				company.Row, place = line.Number(), len(all)
				all = append(all, company)
			}
			places[key] = place
		}
		if place >= 0 {
			all[place].Rows++
		}
		return nil
	})
	return all, err
}

// Check refuses candidates that the search did not find. It also refuses choices that are for another list: no row
// names one of their companies, and the journal has no search for one. It returns the choices for companies that no
// row names any more, in the order of their lines. A choice without a search in the journal is not compared with its
// candidates. The scope and the list are those of Gather.
func (c Choices) Check(
	ctx context.Context, scope scan.Scope, list scan.List, journal CandidateJournal,
) (unnamed []Choice, err error) {
	scope.Selected = nil
	named := map[string]bool{}
	search := newSearch(scope, journal)
	var wrong []*LineError
	err = search.each(ctx, scope, list, func(_ table.Row, form []byte) error {
		choice, chosen := c[string(form)]
		if !chosen || named[string(form)] {
			return nil
		}
		named[string(form)] = true
		results, _, err := search.results(journal.KeyOf(form))
		if err != nil || len(results.Candidates) == 0 {
			return err
		}
		if !slices.ContainsFunc(results.Candidates, func(c v2.Candidate) bool { return c.ID == choice.ID }) {
			wrong = append(wrong, &LineError{choice.Line, idColumn, fmt.Sprintf(
				"the search for %s did not find %s; select one of its candidates", choice.Sought, choice.ID)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	isKnown := len(named) > 0 || len(c) == 0
	for form, choice := range c {
		if named[form] {
			continue
		}
		unnamed = append(unnamed, choice)
		results, _, err := search.results(journal.KeyOf([]byte(form)))
		if err != nil {
			return nil, err
		}
		isKnown = isKnown || len(results.Candidates) > 0
	}
	slices.SortFunc(unnamed, func(a, b Choice) int { return int(a.Line - b.Line) })
	switch {
	case len(wrong) > 0:
		return nil, slices.MinFunc(wrong, func(a, b *LineError) int { return int(a.Line - b.Line) })
	case !isKnown:
		first := unnamed[0]
		return nil, &LineError{Line: first.Line, Text: fmt.Sprintf(
			"no row of the list is a %s that has to be searched for", first.Sought)}
	}
	return unnamed, nil
}

// search reads what the journal knows of the searches of a step.
type search struct {
	rows    *scan.RowReader
	wanted  enrich.Fields
	journal CandidateJournal
	recall  func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

func newSearch(scope scan.Scope, journal CandidateJournal) search {
	return search{scope.Reader(journal.KeyOf), scope.Wanted, journal, journal.Recall(0, false)}
}

// each calls visit for each row whose company has to be searched for, with the canonical form of the company.
func (s search) each(
	ctx context.Context, scope scan.Scope, list scan.List, visit func(line table.Row, form []byte) error,
) (err error) {
	reader, err := list.Open(scope.Columns())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return table.Each(ctx, reader, func(line table.Row) error {
		if s.rows.At(line); s.rows.Missing() == 0 {
			return nil
		}
		form, _, reason := s.rows.Canonical()
		if reason != "" {
			return nil
		}
		return visit(line, form)
	})
}

// ambiguous returns the candidates for a company; none where the search was not answered or found the company.
func (s search) ambiguous(key enrich.Key) (Ambiguous, error) {
	results, sought, err := s.results(key)
	if err != nil || len(results.Candidates) == 0 {
		return Ambiguous{}, err
	}
	if _, why := v2.ChooseCompany(sought, results); why == "" {
		return Ambiguous{}, nil
	}
	return Ambiguous{Sought: sought, Found: results.Candidates}, nil
}

// results returns what the search for a company found, and what was sought; nothing where it was not answered.
func (s search) results(key enrich.Key) (found v2.FoundCompanies, sought enrich.Company, err error) {
	record, err := s.journal.RecordOf(key, s.wanted)
	if err != nil {
		return found, sought, err
	}
	for f := range s.wanted.Each() {
		if record.Attempts[f] == 0 {
			continue
		}
		known, err := s.recall([]attempt.ID{record.Attempts[f]}, nil)
		if err != nil || len(known) == 0 || !known[0].Ended.Answered() {
			return found, sought, err
		}
		search, err := v2.DecodeAnswer(known[0].Ended.Answer())
		if err != nil || search.About == (enrich.Company{}) {
			return found, sought, err
		}
		found, err = search.Found()
		return found, search.About, err
	}
	return found, sought, nil
}
