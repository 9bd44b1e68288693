package checkpoint

import (
	"maps"
	"slices"

	"payonce/attempt"
	"payonce/cost"
)

// recount adds attempts up anew, as the books added them up one by one.
type recount struct {
	baseFirst attempt.ID // the first attempt after the account's base
	totals    map[string]cost.Totals
	days      map[string]span
	resolved  int64
}

func newRecount(baseFirst attempt.ID) *recount {
	return &recount{baseFirst: baseFirst, totals: map[string]cost.Totals{}, days: map[string]span{}}
}

// add enters an attempt. The account's sums begin at the base: earlier attempts do not
// count in them.
func (r *recount) add(a ended) {
	if a.resolved {
		r.resolved++
		r.days[dayOf(a.res.At)] = r.days[dayOf(a.res.At)].with(a.id)
	}
	for _, scope := range a.in.scopes() {
		if scope == ScopeAccount && a.id < r.baseFirst {
			continue
		}
		totals := r.totals[scope]
		totals.Hold(a.in.Hold)
		if a.resolved {
			totals.Release(a.in.Hold, a.res.Charge)
			countOutcome(&totals, a.in.Hold, a.res)
		}
		r.totals[scope] = totals
	}
}

// hasOldSums reports whether the books are of a version whose sums counted less.
func hasOldSums(s Store) (bool, error) {
	books, err := s.Get(booksKey)
	return len(books) > 0 && books[0] < sumsVersion, err
}

// rebuildSums adds up all attempts of a journal whose sums counted less.
// That happens once, and takes a journal of a million attempts about ten seconds.
// The books are written last: should the process end before, it begins again.
func (j *Journal) rebuildSums() error {
	books := j.books.persisted
	recount := newRecount(books.BaseFirst)
	err := eachAttempt(j.store, 1, books.NextID-1, func(a ended) error {
		recount.add(a)
		return nil
	})
	if err != nil {
		return err
	}
	// What was ever held since the base, only the old sums know.
	account, _, err := load[cost.Totals](j.store, nameKey(totalsPrefix, ScopeAccount))
	if err != nil {
		return err
	}
	counted := recount.totals[ScopeAccount]
	account.Whole, account.Uncharged, account.Open = counted.Whole, counted.Uncharged, counted.Open
	recount.totals[ScopeAccount] = account
	writes, err := j.recountWrites(recount)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(writes, sumsTogether) {
		if err := j.store.Commit(batch); err != nil {
			return err
		}
	}
	return j.store.Commit([]Write{{Key: booksKey, Value: encode(&books)}})
}

// sumsTogether is how many rebuilt sums are written in one commit.
const sumsTogether = 1024

// recountWrites returns the writes that put the recounted sums in the place of the
// old ones.
func (j *Journal) recountWrites(recount *recount) ([]Write, error) {
	var writes []Write
	err := j.store.Scan([]byte{totalsPrefix}, nil, func(key, _ []byte) (bool, error) {
		if _, counts := recount.totals[string(key[1:])]; !counts {
			writes = append(writes, Write{Key: slices.Clone(key)})
		}
		return true, nil
	})
	for _, scope := range slices.Sorted(maps.Keys(recount.totals)) {
		totals := recount.totals[scope]
		writes = append(writes, Write{Key: nameKey(totalsPrefix, scope), Value: encode(&totals)})
	}
	for _, day := range slices.Sorted(maps.Keys(recount.days)) {
		attempts := recount.days[day]
		writes = append(writes, Write{Key: nameKey(dayPrefix, day), Value: encode(&attempts)})
	}
	return writes, err
}
