package record

import (
	"fmt"

	"payonce/checkpoint/attempt"
)

// keeper is a store that knows which journal it has to hold.
type keeper interface {
	// JournalID returns the ID of the journal, "" for a new store.
	JournalID() string
}

// VerifyWhole returns an error when a store does not hold its journal, with every attempt.
func VerifyWhole(s Store) error {
	if err := MustHoldItsJournal(s); err != nil {
		return err
	}
	ledger, found, err := Load[State](s, StateKey)
	if err != nil || !found {
		return err
	}
	return VerifyPresence(s, ledger.Progress)
}

// MustHoldItsJournal returns an error when a store knows which journal it must hold, and
// does not hold it.
func MustHoldItsJournal(s Store) error {
	if _, ok := s.(keeper); !ok {
		return nil
	}
	_, err := Identify(s)
	return err
}

// VerifyPresence compares which records there are with what the ledger state counts: an
// intent for every ID below the next, each open or resolved. A journal from which
// a part was lost must not open, because what it forgot would be bought again. It
// reads the keys only.
func VerifyPresence(s Store, ledger Progress) error {
	next := attempt.ID(1)
	err := EachID(s, IntentPrefix, func(id attempt.ID) error {
		if id != next || id >= ledger.NextID {
			return fmt.Errorf("%w: it has attempt %d where attempt %d of %d belongs; %s", ErrCorrupt, id, next, ledger.NextID-1, Restore)
		}
		next++
		return nil
	})
	if err != nil {
		return err
	}
	if next != ledger.NextID {
		return fmt.Errorf("%w: the attempts from %d to %d are missing; %s", ErrCorrupt, next, ledger.NextID-1, Restore)
	}
	resolved, err := countIDs(s, ResolutionPrefix)
	if err != nil {
		return err
	}
	open, err := countIDs(s, OpenPrefix)
	if err != nil {
		return err
	}
	open += int64(len(ledger.InFlight))
	if resolved != ledger.Resolved || resolved+open != int64(ledger.NextID-1) {
		return fmt.Errorf("%w: of %d attempts %d are resolved (%d expected) and %d open; %s",
			ErrCorrupt, ledger.NextID-1, resolved, ledger.Resolved, open, Restore)
	}
	return nil
}

func countIDs(s Store, prefix byte) (count int64, err error) {
	err = EachID(s, prefix, func(attempt.ID) error {
		count++
		return nil
	})
	return count, err
}

// keyReader is a store that visits keys in their order without reading the values.
type keyReader interface {
	Keys(prefix []byte, visit func(key []byte) (bool, error)) error
}

// EachID visits the IDs of one kind of record in their order.
func EachID(s Store, prefix byte, visit func(attempt.ID) error) error {
	visitKey := func(key []byte) (bool, error) {
		if len(key) != IDKeyLength {
			return false, fmt.Errorf("%w: record %q has no ID; %s", ErrCorrupt, key, Restore)
		}
		return true, visit(IDOf(key))
	}
	if k, ok := s.(keyReader); ok {
		return k.Keys([]byte{prefix}, visitKey)
	}
	return s.Scan([]byte{prefix}, nil, func(key, _ []byte) (bool, error) { return visitKey(key) })
}

// Identify returns the identity of the journal in a store, which has to be the one that the
// store knows; a new store has none.
func Identify(s Store) (identity Journal, err error) {
	identity, _, err = Load[Journal](s, IdentityKey)
	if err != nil {
		return identity, err
	}
	if k, ok := s.(keeper); ok && k.JournalID() != "" && k.JournalID() != identity.ID {
		err = fmt.Errorf("%w: its store does not hold journal %.40q; %s", ErrCorrupt, k.JournalID(), Restore)
	}
	return identity, err
}

// ScanIDs visits the records of one kind of the attempts from first to last.
func ScanIDs(s Store, prefix byte, first, last attempt.ID, visit func(id attempt.ID, key, value []byte) error) error {
	return s.Scan([]byte{prefix}, IDKey(prefix, first), func(key, value []byte) (bool, error) {
		if len(key) != IDKeyLength {
			return false, fmt.Errorf("%w: record %q has no ID; %s", ErrCorrupt, key, Restore)
		}
		if IDOf(key) > last {
			return false, nil
		}
		return true, visit(IDOf(key), key, value)
	})
}

// LoadComputed reads the records of a kind by their names. It refuses records as DecodeComputed does.
func LoadComputed[T computed](s Store, prefix byte, into map[string]T) error {
	return s.Scan([]byte{prefix}, nil, func(key, value []byte) (bool, error) {
		var record T
		err := DecodeComputed(key, value, &record)
		into[string(key[1:])] = record
		return true, err
	})
}
