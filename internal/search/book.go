package search

import (
	"payonce/attempt"
	"payonce/enrich"
	"payonce/internal/search/found"
	"payonce/internal/search/walk"
	"payonce/service/v2/calls"
)

// Pages is the part of a journal that knows pages.
type Pages interface {
	// Record returns what is known of an identity.
	Record(id enrich.Identity) (attempt.Record, error)
	// Resolution returns how an attempt ended, and false while it has not.
	Resolution(id attempt.ID) (attempt.Resolution, bool, error)
}

// book is a journal as a walk.Book. It keeps the pages that it has read: what was answered stays so.
type book struct {
	pages Pages // nil when there is no journal yet
	reask attempt.Reask
	known map[string]walk.Page
}

func newBook(pages Pages, reask attempt.Reask) *book {
	return &book{pages: pages, reask: reask, known: map[string]walk.Page{}}
}

// Page implements walk.Book. An answer that is older than the searcher accepts is not known.
func (b *book) Page(call calls.Call) (walk.Page, error) {
	lookup, err := call.Lookup()
	if err != nil || b.pages == nil {
		return walk.Page{}, err
	}
	if page, known := b.known[lookup.Identity.Search]; known {
		return page, nil
	}
	record, err := b.pages.Record(lookup.Identity)
	if err != nil {
		return walk.Page{}, err
	}
	field, _ := call.Operation.SearchField() // Lookup has it
	if record.Askable(field, b.reask) {
		return walk.Page{}, nil
	}
	switch record.States[field] {
	case attempt.OutcomeUnknown:
		return walk.Page{State: walk.InDoubt}, nil
	case attempt.PaidAndGone:
		return walk.Page{State: walk.Forfeited}, nil
	case attempt.Rejected:
		return walk.Page{State: walk.Rejected}, nil
	case attempt.Forgotten:
		return walk.Page{State: walk.Erased}, nil
	}
	ended, _, err := b.pages.Resolution(record.Attempts[field])
	if err != nil {
		return walk.Page{}, err
	}
	page := walk.Page{State: walk.Erased}
	if !ended.Erased {
		if page, err = found.Page(call.Operation, ended.Answer()); err != nil {
			return walk.Page{}, err
		}
	}
	b.known[lookup.Identity.Search] = page
	return page, nil
}
