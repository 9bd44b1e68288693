package checkpoint

import (
	"fmt"

	"payonce/attempt"
)

// verifyPresence compares which records there are with what the books count: an
// intent for every ID below the next, each open or resolved. A journal from which
// a part was lost must not open, because what it forgot would be bought again. It
// reads the keys only.
func verifyPresence(store Store, books persistedBooks) error {
	next := attempt.ID(1)
	err := eachID(store, intentPrefix, func(id attempt.ID) error {
		if id != next || id >= books.NextID {
			return fmt.Errorf("%w: it has attempt %d where attempt %d of %d belongs; %s", ErrCorrupt, id, next, books.NextID-1, restore)
		}
		next++
		return nil
	})
	if err != nil {
		return err
	}
	if next != books.NextID {
		return fmt.Errorf("%w: the attempts from %d to %d are missing; %s", ErrCorrupt, next, books.NextID-1, restore)
	}
	resolved, err := countIDs(store, resolutionPrefix)
	if err != nil {
		return err
	}
	open, err := countIDs(store, openPrefix)
	if err != nil {
		return err
	}
	open += int64(len(books.InFlight))
	if resolved != books.Resolved || resolved+open != int64(books.NextID-1) {
		return fmt.Errorf("%w: of %d attempts %d are resolved (%d expected) and %d open; %s",
			ErrCorrupt, books.NextID-1, resolved, books.Resolved, open, restore)
	}
	return nil
}

func countIDs(store Store, prefix byte) (count int64, err error) {
	err = eachID(store, prefix, func(attempt.ID) error {
		count++
		return nil
	})
	return count, err
}

// eachID visits the IDs of one kind of record in their order.
func eachID(store Store, prefix byte, visit func(attempt.ID) error) error {
	return store.Scan([]byte{prefix}, nil, func(key, _ []byte) (bool, error) {
		if len(key) != idKeyLength {
			return false, fmt.Errorf("%w: record %q has no ID; %s", ErrCorrupt, key, restore)
		}
		return true, visit(idOf(key))
	})
}
