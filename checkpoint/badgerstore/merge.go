package badgerstore

import "time"

// A merge of tables reads them past the guard: the keys of a damaged block would be
// gone for good. So a store with tables that were not verified yet is opened without
// merging, and opened again once they are. Until then new tables add up. The first
// number of them is that from which Badger merges; from the second on the store waits,
// for Badger would stop writing soon.
const (
	mergeFrom   = 5
	mostApart   = 10
	mergeLook   = 10 * time.Millisecond
	keepFrom    = 100 * time.Millisecond
	unmergedTop = 0 // the level that tables are added to
)

// letMerge opens the store again, with merging, when that is due and may be.
func (s *engine) letMerge() error {
	if s.merging {
		return nil
	}
	apart := s.tablesApart()
	switch {
	case apart < mergeFrom:
		return nil
	case apart >= mostApart:
		if err := s.guard.vouch(nil, nil); err != nil {
			return err
		}
		look := time.NewTicker(mergeLook)
		defer look.Stop()
		for !s.mu.TryLock() { // readers may be within readers, so nobody may wait for them
			<-look.C
		}
	case s.guard.left.Load() > 0 || !s.mu.TryLock():
		return nil
	}
	defer s.mu.Unlock()
	s.merging = true
	return s.reopen()
}

// reopen closes Badger and opens it again, while nobody reads. If that fails nothing can
// be read any more.
func (s *engine) reopen() error {
	err := s.closeDB()
	if err == nil {
		err = s.openDB()
	}
	if err != nil {
		s.guard.fail(err)
	}
	return err
}

// tablesApart returns how many tables were added and not merged yet.
func (s *engine) tablesApart() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, level := range s.db.Levels() {
		if level.Level == unmergedTop {
			return level.NumTables
		}
	}
	return 0
}

// watch keeps the seal and verifies the tables while the store is open.
func (s *engine) watch() {
	go func() {
		defer close(s.guard.kept)
		look := time.NewTicker(keepFrom)
		defer look.Stop()
		for {
			select {
			case <-s.guard.stopping:
				return
			case <-look.C:
				s.keep()
			}
		}
	}()
	go s.guard.readOn()
}

func (s *engine) keep() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.guard.err() != nil {
		return // Badger may be closed
	}
	if err := s.guard.keep(s.db); err != nil {
		s.guard.fail(err)
	}
}
