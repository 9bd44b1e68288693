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
	// used returns the units that a resolved attempt has used up in the run; nil where nobody asks.
	used func(attempt.ID, attempt.Resolution) int64
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
	field, _ := call.Operation.ListedField() // Lookup has it
	askable := record.Askable(field, k.reask)
	whole, found, err := k.ofAllYears(call)
	if err != nil || found && (askable || whole.State == Answered) {
		return whole, err
	}
	if askable {
		return KnownPage{}, nil
	}
	switch record.States[field] {
	case attempt.OutcomeUnknown:
		return KnownPage{State: InDoubt}, nil
	case attempt.PaidAndGone:
		return k.counted(KnownPage{State: Forfeited}, record.Attempts[field])
	case attempt.Rejected:
		return KnownPage{State: Rejected}, nil
	case attempt.Forgotten:
		return k.counted(KnownPage{State: Erased}, record.Attempts[field])
	}
	ended, _, err := k.pages.Resolution(record.Attempts[field])
	if err != nil {
		return KnownPage{}, err
	}
	page := KnownPage{State: Erased}
	if !ended.Erased {
		if page, err = read(call, ended.Answer()); err != nil {
			return KnownPage{}, err
		}
	}
	if page, err = k.counted(page, record.Attempts[field]); err != nil {
		return KnownPage{}, err
	}
	k.known[lookup.Identity.Search] = page
	return page, nil
}

// counted adds the units that the run has paid for a page.
func (k *knownPages) counted(page KnownPage, id attempt.ID) (KnownPage, error) {
	if k.used == nil || id == 0 {
		return page, nil
	}
	ended, found, err := k.pages.Resolution(id)
	if found {
		page.Used = k.used(id, ended)
	}
	return page, err
}

// read reads an answer to a call.
func read(call v2.Call, answered enrich.Answered) (KnownPage, error) {
	if isRecord(call.Operation) {
		return RecordOf(call, answered)
	}
	return PageOf(call.Operation, answered)
}

// ofAllYears returns what is known of the figures of a year from the call of a run for all years of the company. Found
// says that the year is not asked for: the figures were answered, were erased since, or may have been paid for.
func (k *knownPages) ofAllYears(call v2.Call) (page KnownPage, found bool, err error) {
	if call.Operation != v2.OpGetFinancials {
		return page, false, nil
	}
	id := enrich.Identity{Company: enrich.Company{ID: call.ID}}
	record, err := k.pages.Record(id)
	if err != nil || record.Askable(v2.FieldFinancials, k.reask.Of(id)) {
		return page, false, err
	}
	switch record.States[v2.FieldFinancials] {
	case attempt.OutcomeUnknown:
		return KnownPage{State: InDoubt}, true, nil
	case attempt.PaidAndGone:
		return KnownPage{State: Forfeited}, true, nil
	case attempt.Forgotten:
		return KnownPage{State: Erased}, true, nil
	case attempt.Found:
	default:
		return page, false, nil
	}
	ended, _, err := k.pages.Resolution(record.Attempts[v2.FieldFinancials])
	if err != nil || ended.Erased {
		return KnownPage{State: Erased}, err == nil, err
	}
	page, err = RecordOf(call, ended.Answer())
	return page, err == nil, err
}
