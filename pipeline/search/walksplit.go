package search

import (
	"slices"
)

// split walks the parts of a search that has more results than its pages show. When it cannot be split, it
// takes what the pages show, and notes what they do not. before is what was counted before the search.
func (w *walker) split(q Query, first KnownPage, without []string, before int64) error {
	for _, cut := range q.Cuts() {
		if slices.Contains(without, cut.By) {
			continue
		}
		halves, err := w.lookBoth(cut)
		if err != nil {
			return err
		}
		if w.open(halves) { // what follows depends on pages that are not known yet
			w.expect(first.Total.Value - (w.counted() - before))
			return nil
		}
		if useless(first, halves) {
			without = append(slices.Clone(without), cut.By)
			if !slices.Contains(w.Unusable, cut.By) {
				w.Unusable = append(w.Unusable, cut.By)
			}
			continue
		}
		for _, half := range []Query{cut.First, cut.Rest} {
			if _, err := w.part(half, without); err != nil {
				return err
			}
		}
		w.lacking(q, cut.By, first, halves)
		return nil
	}
	w.Parts++
	gap := Gap{Why: TooMany, Part: q.String()}
	if shown := int64(q.LastPage() * q.PerPage()); first.Total.Known {
		gap.Count = new(max(0, first.Total.Value-shown))
	}
	w.Gaps = append(w.Gaps, gap)
	return w.pages(q, first)
}

// lookBoth returns the first pages of both parts.
func (w *walker) lookBoth(cut Cut) (halves []KnownPage, err error) {
	for _, half := range []Query{cut.First, cut.Rest} {
		if w.full() {
			break
		}
		page, err := w.look(half, 1)
		if err != nil {
			return nil, err
		}
		halves = append(halves, page)
	}
	return halves, nil
}

// open reports whether a part is not known yet.
func (w *walker) open(halves []KnownPage) bool {
	return len(halves) < 2 || slices.ContainsFunc(halves, func(page KnownPage) bool { return page.State == Unasked })
}

// useless reports whether the parts show that the service refuses the filter, or ignores it: then both find
// nearly everything.
func useless(whole KnownPage, halves []KnownPage) bool {
	if halves[0].State == Rejected && halves[1].State == Rejected {
		return true
	}
	sum, known := sumOf(halves)
	return known && whole.Total.Known && 2*sum > 3*whole.Total.Value
}

// sumOf returns how many results both parts have together.
func sumOf(halves []KnownPage) (sum int64, known bool) {
	for _, page := range halves {
		if page.State != Answered || !page.Total.Known {
			return 0, false
		}
		sum += page.Total.Value
	}
	return sum, true
}

// lacking notes results of the whole that are in no part.
func (w *walker) lacking(q Query, by string, whole KnownPage, halves []KnownPage) {
	sum, known := sumOf(halves)
	if missing := whole.Total.Value - sum; known && whole.Total.Known && missing > 0 {
		w.Gaps = append(w.Gaps, Gap{Why: NoValue, Part: q.String(), By: by, Count: &missing})
	}
}
