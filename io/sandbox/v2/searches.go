package v2

import (
	"slices"
	"sync"

	"payonce/io/sandbox/world"
)

// The most results that the pages of one search can show, and how many searches are remembered.
const (
	maxShown     = 10 * maxPerPage
	keptSearches = 32
)

// searches remembers the results of the last searches. A search looks at every company, and its pages are asked
// for one after the other.
type searches struct {
	mu   sync.Mutex // guards last
	last []search   // oldest first
}

// search is what a search found.
type search struct {
	filters string
	shown   []world.Company // the first ones
	total   int
}

// find returns the results of a search that is remembered.
func (s *searches) find(filters string) (search, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.last, func(other search) bool { return other.filters == filters })
	if i < 0 {
		return search{}, false
	}
	return s.last[i], true
}

// keep remembers the results of a search, in place of the oldest.
func (s *searches) keep(found search) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) == keptSearches {
		s.last = slices.Delete(s.last, 0, 1)
	}
	s.last = append(s.last, found)
}

// prospects returns the companies that meet filters.
func (s *Server) prospects(f *filters, conditions []Condition) search {
	if known, found := s.searches.find(f.Source); found {
		return known
	}
	result := search{filters: f.Source}
	result.shown, result.total = pageOf(pages{1, maxShown}, matching(s.world.Listed(), conditions))
	s.searches.keep(result)
	return result
}
