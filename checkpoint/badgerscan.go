package checkpoint

import (
	"bytes"

	"github.com/dgraph-io/badger/v4"
)

func (s *badgerStore) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	return s.Leap(prefix, from, func(key, value []byte) (bool, []byte, error) {
		more, err := visit(key, value)
		return more, nil, err
	})
}

func (s *badgerStore) Leap(prefix, from []byte, visit func(key, value []byte) (more bool, to []byte, err error)) (err error) {
	defer asCorrupt(&err)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.guard.err(); err != nil {
		return err // and Badger may be closed
	}
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	reached := s.guard.walkFrom(from)
	txn := s.reading()
	defer txn.Discard()
	options := badger.DefaultIteratorOptions
	options.Prefix = prefix
	options.PrefetchValues = false // they lie beside their keys
	records := txn.NewIterator(options)
	defer records.Close()
	var item *badger.Item
	var more bool
	var to []byte
	show := func(value []byte) (err error) {
		more, to, err = visit(item.Key(), value)
		return err
	}
	for records.Seek(from); records.Valid(); {
		item = records.Item()
		if err := reached.key(item.Key()); err != nil {
			return err
		}
		if err := item.Value(show); err != nil || !more {
			return err
		}
		if to == nil {
			records.Next()
			continue
		}
		reached.leap(to)
		records.Seek(to)
	}
	return reached.end(prefix)
}
