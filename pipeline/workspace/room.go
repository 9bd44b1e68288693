package workspace

import (
	"payonce/checkpoint/badgerstore"
	"payonce/io/atomicfile"
)

// RoomNeeded returns about how much room the journal needs for a number of lookups.
func (s *Session) RoomNeeded(lookups int64) []atomicfile.Needed {
	if s.Options.Journal.Shared != "" {
		return nil
	}
	dir, err := s.Options.Dir()
	if err != nil {
		return nil
	}
	return []atomicfile.Needed{{Dir: dir, Bytes: badgerstore.NeededSpace(lookups)}}
}
