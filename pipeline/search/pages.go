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

// knownPages reads pages from a journal. It keeps the pages that it has read: what was answered stays so.
type knownPages struct {
	pages Pages // nil when there is no journal yet
	reask attempt.Reask
	known map[string]KnownPage
}

func newKnownPages(pages Pages, reask attempt.Reask) *knownPages {
	return &knownPages{pages: pages, reask: reask, known: map[string]KnownPage{}}
}

// Page implements PageReader. An answer that is older than the searcher accepts is not known.
func (k *knownPages) Page(call v2.Call) (KnownPage, error) {
	lookup, err := call.Lookup()
	if err != nil || k.pages == nil {
		return KnownPage{}, err
	}
	if page, known := k.known[lookup.Identity.Search]; known {
		return page, nil
	}
	record, err := k.pages.Record(lookup.Identity)
	if err != nil {
		return KnownPage{}, err
	}
	field, _ := call.Operation.SearchField() // Lookup has it
	if record.Askable(field, k.reask) {
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
	ended, _, err := k.pages.Resolution(record.Attempts[field])
	if err != nil {
		return KnownPage{}, err
	}
	page := KnownPage{State: Erased}
	if !ended.Erased {
		if page, err = PageOf(call.Operation, ended.Answer()); err != nil {
			return KnownPage{}, err
		}
	}
	k.known[lookup.Identity.Search] = page
	return page, nil
}
