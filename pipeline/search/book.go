package search

import (
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v2"
)

// Pages is the part of a journal that knows pages.
type Pages interface {
	// Record returns what is known of an identity.
	Record(id enrich.Identity) (attempt.Record, error)
	// Resolution returns how an attempt ended, and false while it has not.
	Resolution(id attempt.ID) (attempt.Resolution, bool, error)
}

// book is a journal as a PageBook. It keeps the pages that it has read: what was answered stays so.
type book struct {
	pages Pages // nil when there is no journal yet
	reask attempt.Reask
	known map[string]KnownPage
}

func newBook(pages Pages, reask attempt.Reask) *book {
	return &book{pages: pages, reask: reask, known: map[string]KnownPage{}}
}

// Page implements PageBook. An answer that is older than the searcher accepts is not known.
func (b *book) Page(call v2.Call) (KnownPage, error) {
	lookup, err := call.Lookup()
	if err != nil || b.pages == nil {
		return KnownPage{}, err
	}
	if page, known := b.known[lookup.Identity.Search]; known {
		return page, nil
	}
	record, err := b.pages.Record(lookup.Identity)
	if err != nil {
		return KnownPage{}, err
	}
	field, _ := call.Operation.SearchField() // Lookup has it
	if record.Askable(field, b.reask) {
		return KnownPage{}, nil
	}
	switch record.States[field] {
	case attempt.OutcomeUnknown:
		return KnownPage{State: InDoubt}, nil
	case attempt.PaidAndGone:
		return KnownPage{State: Forfeited}, nil
	case attempt.Rejected:
		return KnownPage{State: Rejected}, nil
	case attempt.Forgotten:
		return KnownPage{State: Erased}, nil
	}
	ended, _, err := b.pages.Resolution(record.Attempts[field])
	if err != nil {
		return KnownPage{}, err
	}
	page := KnownPage{State: Erased}
	if !ended.Erased {
		if page, err = PageOf(call.Operation, ended.Answer()); err != nil {
			return KnownPage{}, err
		}
	}
	b.known[lookup.Identity.Search] = page
	return page, nil
}
