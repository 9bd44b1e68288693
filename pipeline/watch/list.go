package watch

import (
	"context"
	"errors"
	"io"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/enrich/fit"
	"payonce/io/listfile"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/scan"
)

// List says which companies a command is about, and how their list is read.
type List struct {
	listfile.Options
	Names   []string // files, patterns, or listfile.Standard
	Mapping []string
	Preset  string
	IDs     []string // of further companies
}

// company is a company of a list, with the service's id.
type company struct {
	id, name string
	// who is the identity under which the rows of the list have their answer. Without an answer it is the id.
	who      enrich.Identity
	answered bool
}

// UnknownRow is a row whose company has no known id.
type UnknownRow struct {
	Row int64  `json:"row"`
	Why string `json:"why"`
}

// Why the id of a row's company is not known.
const (
	neverAsked  = "no answer in the journal names its company"
	contradicts = "the answer in the journal contradicts the row"
)

// companies returns the companies of a list, each once, in the order of the list, and the rows without one.
func (s *session) companies(ctx context.Context, l List) (found []company, unknown []UnknownRow, err error) {
	at := map[string]int{}
	add := func(c company) {
		if i, known := at[c.id]; !known {
			at[c.id] = len(found)
			found = append(found, c)
		} else if !found[i].answered && c.answered {
			found[i] = c
		}
	}
	for _, id := range l.IDs {
		who, reason := enrich.Company{ID: id}.Identify(enrich.ByID)
		if reason != "" {
			return nil, nil, problem.Usagef("%q is not the id of a company: %s", id, reason)
		}
		one := company{id: who.Company.ID, who: who}
		if known := s.known(); known != nil {
			if one.who, err = known.As(who, s.Journal.Key(who), func(*enrich.Described) {}); err != nil {
				return nil, nil, err
			}
		}
		if c, _, err := s.answer(one.who, nil); err != nil {
			return nil, nil, err
		} else if c != nil {
			one.name, one.answered = c.Name.Value, true
		}
		add(one)
	}
	if len(l.Names) == 0 {
		return found, nil, nil
	}
	list, err := columns.OpenList(l.Options, l.Names...)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	readers, err := s.readers(list, l)
	if err != nil {
		return nil, nil, err
	}
	rows, err := list.Open(nil)
	if err != nil {
		return nil, nil, err
	}
	err = table.Each(ctx, rows, func(row table.Row) error {
		c, why, err := s.companyOf(row, readers)
		if why != "" {
			unknown = append(unknown, UnknownRow{row.Number(), why})
		} else if err == nil {
			add(c)
		}
		return err
	})
	return found, unknown, columns.AsListUsage(errors.Join(err, rows.Close()))
}

// readers returns readers of the identities of a row: of the first, and of those that a run falls back to.
func (s *session) readers(list *columns.UserList, l List) (readers []*scan.RowReader, err error) {
	schema, sample, err := list.Look()
	if err != nil {
		return nil, err
	}
	found, err := columns.Recognise(schema, sample, columns.Options{
		Overrides: l.Mapping, Asked: []enrich.Subject{enrich.Companies}, Lenient: true, Preset: l.Preset,
	})
	if err != nil {
		return nil, problem.Usagef("%s: %w", list.Title(), err)
	}
	if len(found.Doubts) > 0 && len(found.Mapping[columns.CompanyID]) == 0 { // an id needs no other column
		return nil, problem.Usagef("%s: %w", list.Title(), columns.DoubtsError(found.Doubts))
	}
	of := enrich.FieldsOf(v2.FieldCompany)
	if !found.Mapping.Identifies(v2.Patterns(of)) {
		return nil, problem.Coded("no_identity", "%s: no columns that identify a company: %s; its columns are %s",
			list.Title(), columns.Needed(enrich.Companies), columns.List(schema))
	}
	scope := scan.Scope{
		Catalogue: v2.Catalogue(), Subject: enrich.Companies, Mapping: found.Mapping, Header: schema.Columns, Wanted: of, Patterns: v2.Patterns(of),
	}
	keyOf := checkpoint.AnonymousKey()
	if s.Journal != nil {
		keyOf, scope.Known = s.Journal.KeyOf, s.known()
	}
	further := provider.FallbacksOf(found.Mapping).Further(scope.Subject, scope.Patterns)
	for scope.Fallback = 0; scope.Fallback <= further; scope.Fallback++ {
		readers = append(readers, scope.Reader(keyOf))
	}
	return readers, nil
}

// known finds the identity under which a company was answered; nil when there is no journal.
func (s *session) known() *output.KnownCompanies {
	if s.Journal == nil {
		return nil
	}
	return &output.KnownCompanies{Account: s.Journal, Catalogue: v2.Catalogue(), Decoder: v2.Decoder{}, Wanted: enrich.FieldsOf(v2.FieldCompany)}
}

// companyOf returns the company of a row, or why it is not known.
func (s *session) companyOf(row table.Row, readers []*scan.RowReader) (c company, why string, err error) {
	for i, reader := range readers {
		reader.At(row)
		if _, _, reason := reader.Canonical(); reason != "" {
			if i == 0 {
				why = string(reason)
			}
			continue
		}
		who := reader.Identity()
		if err := reader.Err(); err != nil {
			return c, "", err
		}
		answer, isOther, err := s.answer(who, reader)
		switch {
		case err != nil:
			return c, "", err
		case answer != nil && answer.ID.Value != "":
			return company{answer.ID.Value, answer.Name.Value, who, true}, "", nil
		case isOther:
			why = contradicts
		case who.Pattern() == enrich.ByID && c.id == "":
			c = company{id: who.Company.ID, who: who}
		case why == "":
			why = neverAsked
		}
	}
	if c.id != "" {
		return c, "", nil
	}
	return c, why, nil
}

// answer returns the company record that the last answer for an identity has, nil when there is none, and whether it
// contradicts the row.
func (s *session) answer(who enrich.Identity, row *scan.RowReader) (found *v2.Company, isOther bool, err error) {
	if s.Journal == nil {
		return nil, false, nil
	}
	ids, err := s.Journal.AnswersOf(s.Journal.Key(who), v2.FieldCompany)
	if err != nil || len(ids) == 0 {
		return nil, false, err
	}
	ended, _, err := s.Journal.Resolution(ids[len(ids)-1])
	if err != nil || ended.Erased || !ended.Returned.Has(v2.FieldCompany) {
		return nil, false, err
	}
	c, err := v2.Read(ended.Answer(), v2.Answer.Company)
	if err != nil {
		return nil, false, err
	}
	if c.ID.Value == "" && who.Pattern() == enrich.ByID {
		c.ID.Value, c.ID.Known = who.Company.ID, true
	}
	if row != nil {
		var values enrich.Values
		var says, answers enrich.Described
		row.Describe(&says)
		if err := (v2.Decoder{}).Values(ended.Answer(), &values); err != nil {
			return nil, false, err
		}
		if v2.Catalogue().Describe(&values, &answers) && fit.Compare(who.Pattern(), &says, &answers).Verdict == fit.Contradicts {
			return nil, true, nil
		}
	}
	return &c, false, nil
}

// yield returns a function that returns the lookup of one call after the other.
func yield(calls []wanted) func() (enrich.Lookup, error) {
	return func() (enrich.Lookup, error) {
		if len(calls) == 0 {
			return enrich.Lookup{}, io.EOF
		}
		call := calls[0]
		calls = calls[1:]
		return call.lookup, nil
	}
}
