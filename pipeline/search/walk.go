// This file finds out what a search has found so far and which pages it needs next, from the pages that are known.
// It is pure: the same pages give the same results, so an interrupted search resumes by walking again.

package search

import (
	"iter"
	"strings"

	"payonce/cost"
	"payonce/io/service/v2"
)

// PageState says what is known of a page.
type PageState uint8

// The states of a page.
const (
	Unasked   PageState = iota // it may be asked for
	Answered                   // its results are known
	InDoubt                    // its response was lost, and it may have been counted
	Forfeited                  // it was counted, and its results are lost
	Rejected                   // the service refuses it
	Erased                     // its results were erased, and it is not asked for again
)

// KnownPage is what is known of a page of results.
type KnownPage struct {
	State PageState
	Items []ResultItem
	// Total and Pages are of the whole search, as the page shows them.
	Total, Pages cost.Optional[int64]
	// Used are the units of the page that the run has paid for.
	Used int64
}

// ResultItem is one result.
type ResultItem struct {
	ID    string // by which the same result on several pages is recognised; "" when it has none
	Cells []string
	// Company is that of the search which found the result; "" for a search without a company.
	Company string
	// Own says that the result stands for its search alone: that of another search may be the same.
	Own bool
}

// PageReader returns what is known of pages.
type PageReader interface {
	Page(call v2.Call) (KnownPage, error)
}

// Root is a search and the most results that are wanted of it; 0 for no bound.
type Root struct {
	Query   Query
	Most    int64
	Company string // whose employees are searched; "" for any
	// Pages bounds the pages of the search, which is not split then; 0 for no bound.
	Pages int
}

// RootProgress is how far one search with a bound of pages has come.
type RootProgress struct {
	Found   int64     // items
	Used    int64     // units that the run has paid for its pages
	Awaited bool      // it needs pages, or the response of one is in doubt
	Gap     GapReason // why items are missing; "" for none
}

// Progress is how far searches have come.
type Progress struct {
	Items []ResultItem
	// Needed are the pages to ask for now. When they are known, more may be needed. When there are none,
	// the searches are done.
	Needed []v2.Call
	Gaps   []Gap // what is not among the items, and why
	// Unusable are filters by which a search could not be split, because the service ignores or refuses them.
	Unusable   []string
	Roots      int64 // searches
	Parts      int64 // into which they were split, without those that were split again
	Pages      int64 // that are known
	Duplicates int64 // results that were on an earlier page
	// Total is how many results the searches have by the service's count. It is not known while, or when, a
	// first page does not tell.
	Total cost.Optional[int64]
	// Bounded are the searches with a bound of pages, by their companies.
	Bounded map[string]RootProgress
}

// GapReason says why results are not among the items.
type GapReason string

// The reasons.
const (
	LostPage     GapReason = "in_doubt"  // the response of a page was lost, and it may have been counted
	PaidPage     GapReason = "forfeited" // a page was counted, and its response was lost
	RejectedPage GapReason = "rejected"  // the service refuses a page
	ErasedPage   GapReason = "erased"    // the results of a page were erased
	TooMany      GapReason = "too_many"  // they are more than the pages of a search show, and it cannot be split
	NoValue      GapReason = "no_value"  // they have no value for the filter by which the search was split
)

// Gap is what is missing of a search.
type Gap struct {
	Why   GapReason `json:"why"`
	Part  string    `json:"part"`             // the search, in the form of Query.Where
	Page  int       `json:"page,omitempty"`   // 0 for the whole part
	By    string    `json:"filter,omitempty"` // for NoValue
	Count *int64    `json:"results_at_most"`  // nil when that is not known
}

// Walk walks searches in their order. most bounds the items of all searches; 0 is no bound. Pages that are
// needed count as full, so no more are needed at a time than the bound may take.
func Walk(pages PageReader, most int64, roots iter.Seq[Root]) (Progress, error) {
	w := &walker{reader: pages, most: most, seen: map[string]bool{}, looked: map[string]bool{}}
	w.Total, w.Bounded = cost.Known(int64(0)), map[string]RootProgress{}
	for root := range roots {
		w.Roots++
		w.root, w.ofRoot, w.expectedOfRoot = root, 0, 0
		if w.full() {
			w.Total = cost.Optional[int64]{}
			break
		}
		first, err := w.part(root.Query, nil)
		if err != nil {
			return Progress{}, err
		}
		if root.Pages > 0 {
			w.bounded.Found = w.ofRoot
			w.Bounded[root.Company], w.bounded = w.bounded, RootProgress{}
		}
		if w.Total.Known = w.Total.Known && first.Total.Known; w.Total.Known {
			w.Total.Value += first.Total.Value
		}
	}
	return w.Progress, nil
}

// walker is the state of a Walk.
type walker struct {
	Progress
	reader PageReader
	most   int64
	seen   map[string]bool // results
	looked map[string]bool // pages
	// expected is how many results may come in before what was not walked is needed.
	expected int64

	root                   Root
	ofRoot, expectedOfRoot int64
	bounded                RootProgress // of the root
}

// full reports whether no more pages are wanted of the root.
func (w *walker) full() bool { return w.room() <= 0 }

// room returns how many more results are wanted of the root.
func (w *walker) room() int64 {
	const endless = 1 << 62
	room := int64(endless)
	if w.most > 0 {
		room = w.most - int64(len(w.Items)) - w.expected
	}
	if w.root.Most > 0 {
		room = min(room, w.root.Most-w.ofRoot-w.expectedOfRoot)
	}
	return room
}

// counted returns how many results there are and are expected.
func (w *walker) counted() int64 { return int64(len(w.Items)) + w.expected }

// expect counts results that are wanted but cannot be asked for yet.
func (w *walker) expect(results int64) {
	const many = 1 << 40 // nobody wants more
	results = max(0, min(results, many))
	w.expected += results
	w.expectedOfRoot += results
}

// look returns a page, and takes its results.
func (w *walker) look(q Query, number int) (KnownPage, error) {
	call := q.Call(number)
	page, err := w.reader.Page(call)
	if err != nil {
		return page, err
	}
	lookup, err := call.Lookup()
	if asked := lookup.Identity.Search; err != nil || w.looked[asked] {
		return page, err
	} else {
		w.looked[asked] = true
	}
	w.bounded.Used += page.Used
	switch page.State {
	case InDoubt:
		w.bounded.Awaited = true
	case Unasked:
		w.bounded.Awaited = true
		w.Needed = append(w.Needed, call)
		w.expect(int64(q.PerPage()))
	case Answered:
		w.Pages++
		for _, item := range page.Items {
			w.take(item)
		}
	}
	return page, nil
}

// take takes a result, unless it was taken before or there are enough.
func (w *walker) take(item ResultItem) {
	key := "id " + item.ID
	if item.ID == "" {
		key = "cells " + strings.Join(item.Cells, "\x1f")
	}
	if item.Own || w.root.Pages > 0 {
		key = "of " + w.root.Company + " " + key
	}
	switch {
	case w.seen[key]:
		w.Duplicates++
	case (w.most == 0 || int64(len(w.Items)) < w.most) && (w.root.Most == 0 || w.ofRoot < w.root.Most):
		w.seen[key] = true
		w.ofRoot++
		item.Company = w.root.Company
		w.Items = append(w.Items, item)
	}
}

// gapOf notes that a page is not known and will not be asked for.
func (w *walker) gapOf(q Query, number int, page KnownPage) {
	reasons := map[PageState]GapReason{InDoubt: LostPage, Forfeited: PaidPage, Rejected: RejectedPage, Erased: ErasedPage}
	if why, missing := reasons[page.State]; missing {
		w.bounded.Gap = why
		gap := Gap{Why: why, Part: q.String(), Page: number, Count: new(int64(q.PerPage()))}
		if number == 1 {
			gap.Page, gap.Count = 0, nil
		}
		w.Gaps = append(w.Gaps, gap)
	}
}

// part walks one search, and returns its first page. It does not split it by the filters in without.
func (w *walker) part(q Query, without []string) (KnownPage, error) {
	if w.full() {
		return KnownPage{}, nil
	}
	before := w.counted()
	first, err := w.look(q, 1)
	if err != nil || first.State != Answered {
		w.gapOf(q, 1, first)
		return first, err
	}
	if w.root.Pages > 0 {
		w.Parts++
		return first, w.pages(q, first)
	}
	shown := int64(q.LastPage() * q.PerPage())
	if q.LastPage() == 0 || last(q, first, 1) <= int64(q.LastPage()) {
		w.Parts++
		return first, w.pages(q, first)
	}
	if w.room() <= shown { // the pages that are shown may be enough
		if err := w.pages(q, first); err != nil || w.full() {
			w.Parts++
			return first, err
		}
	}
	return first, w.split(q, first, without, before)
}

// last returns the last page that a search has, by one of its pages.
func last(q Query, page KnownPage, number int) int64 {
	switch {
	case page.Pages.Known:
		return page.Pages.Value
	case page.Total.Known:
		perPage := int64(q.PerPage())
		return page.Total.Value/perPage + min(1, page.Total.Value%perPage)
	case len(page.Items) > 0:
		return int64(number) + 1
	}
	return int64(number)
}

// wave is how many pages are needed at a time of a search that has no last page. A page that has no results
// ends it, and is paid for all the same.
const wave = 10

// pages walks the pages of a search that is not split, after the first one.
func (w *walker) pages(q Query, first KnownPage) error {
	end, grew := last(q, first, 1), false
	needed := len(w.Needed)
	for number := 2; int64(number) <= end && !w.full() && len(w.Needed) < needed+wave; number++ {
		if w.root.Pages > 0 && number > w.root.Pages {
			break
		}
		if q.LastPage() > 0 && number > q.LastPage() {
			grew = true
			break
		}
		page, err := w.look(q, number)
		if err != nil {
			return err
		}
		w.gapOf(q, number, page)
		if page.State == Answered {
			if len(page.Items) == 0 {
				return nil
			}
			end = max(end, last(q, page, number))
		}
	}
	if grew && last(q, first, 1) <= int64(q.LastPage()) { // while it was read
		w.Gaps = append(w.Gaps, Gap{Why: TooMany, Part: q.String()})
	}
	return nil
}
