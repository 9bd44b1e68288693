package checkpoint

import (
	"fmt"

	"payonce/attempt"
	"payonce/checkpoint/store"
)

// VerifyWhole returns an error when a store does not hold its journal, with every attempt.
func VerifyWhole(s Store) error {
	if err := mustHoldItsJournal(s); err != nil {
		return err
	}
	books, found, err := load[persistedBooks](s, booksKey)
	if err != nil || !found {
		return err
	}
	return verifyPresence(s, books)
}

// mustHoldItsJournal returns an error when a store knows which journal it must hold, and
// does not hold it.
func mustHoldItsJournal(s Store) error {
	if _, ok := s.(keeper); !ok {
		return nil
	}
	_, err := identify(s)
	return err
}

// verifyPresence compares which records there are with what the books count: an
// intent for every ID below the next, each open or resolved. A journal from which
// a part was lost must not open, because what it forgot would be bought again. It
// reads the keys only.
func verifyPresence(s Store, books persistedBooks) error {
	next := attempt.ID(1)
	err := eachID(s, intentPrefix, func(id attempt.ID) error {
		if id != next || id >= books.NextID {
			return fmt.Errorf("%w: it has attempt %d where attempt %d of %d belongs; %s", ErrCorrupt, id, next, books.NextID-1, store.Restore)
		}
		next++
		return nil
	})
	if err != nil {
		return err
	}
	if next != books.NextID {
		return fmt.Errorf("%w: the attempts from %d to %d are missing; %s", ErrCorrupt, next, books.NextID-1, store.Restore)
	}
	resolved, err := countIDs(s, resolutionPrefix)
	if err != nil {
		return err
	}
	open, err := countIDs(s, openPrefix)
	if err != nil {
		return err
	}
	open += int64(len(books.InFlight))
	if resolved != books.Resolved || resolved+open != int64(books.NextID-1) {
		return fmt.Errorf("%w: of %d attempts %d are resolved (%d expected) and %d open; %s",
			ErrCorrupt, books.NextID-1, resolved, books.Resolved, open, store.Restore)
	}
	return nil
}

func countIDs(s Store, prefix byte) (count int64, err error) {
	err = eachID(s, prefix, func(attempt.ID) error {
		count++
		return nil
	})
	return count, err
}

// eachID visits the IDs of one kind of record in their order.
func eachID(s Store, prefix byte, visit func(attempt.ID) error) error {
	return s.Scan([]byte{prefix}, nil, func(key, _ []byte) (bool, error) {
		if len(key) != idKeyLength {
			return false, fmt.Errorf("%w: record %q has no ID; %s", ErrCorrupt, key, store.Restore)
		}
		return true, visit(idOf(key))
	})
}

// identify returns the identity of the journal in a store, which has to be the one that the
// store knows; a new store has none.
func identify(s Store) (identity identityRecord, err error) {
	identity, _, err = load[identityRecord](s, identityKey)
	if err != nil {
		return identity, err
	}
	if k, ok := s.(keeper); ok && k.JournalID() != "" && k.JournalID() != identity.ID {
		err = fmt.Errorf("%w: its store does not hold journal %.40q; %s", ErrCorrupt, k.JournalID(), store.Restore)
	}
	return identity, err
}

// scanIDs visits the records of one kind of the attempts from first to last.
func scanIDs(s Store, prefix byte, first, last attempt.ID, visit func(id attempt.ID, key, value []byte) error) error {
	return s.Scan([]byte{prefix}, idKey(prefix, first), func(key, value []byte) (bool, error) {
		if len(key) != idKeyLength {
			return false, fmt.Errorf("%w: record %q has no ID; %s", ErrCorrupt, key, store.Restore)
		}
		if idOf(key) > last {
			return false, nil
		}
		return true, visit(idOf(key), key, value)
	})
}

// loadAll reads the records of a kind by their names.
func loadAll[T any](s Store, prefix byte, into map[string]T) error {
	return s.Scan([]byte{prefix}, nil, func(key, value []byte) (bool, error) {
		var record T
		err := decode(key, value, &record)
		into[string(key[1:])] = record
		return true, err
	})
}
