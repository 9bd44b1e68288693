package badgerstore

import (
	"bytes"

	"github.com/dgraph-io/badger/v4"

	"payonce/checkpoint/record"
)

// Scan visits the records in order, as record.Store says.
func (s *engine) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	return s.Seek(prefix, from, func(key, value []byte) (bool, []byte, error) {
		more, err := visit(key, value)
		return more, nil, err
	})
}

// Keys visits the keys of the records in order, without their values. When visit returns false or an error, it ends.
func (s *engine) Keys(prefix []byte, visit func(key []byte) (bool, error)) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.eachAt(s.durable.Load(), prefix, nil, func(_ *valueReader, item *badger.Item) (bool, []byte, error) {
		more, err := visit(item.Key())
		return more, nil, err
	})
}

// Seek is a Scan in which visit may say from which key to go on.
func (s *engine) Seek(prefix, from []byte, visit record.Visit) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.seekAt(s.durable.Load(), prefix, from, visit)
}

// seekAt visits the records that there were at a version. The caller holds the lock for reading.
func (s *engine) seekAt(version uint64, prefix, from []byte, visit record.Visit) error {
	return s.eachAt(version, prefix, from, func(values *valueReader, item *badger.Item) (more bool, to []byte, err error) {
		err = values.read(item, func(value []byte) (err error) {
			more, to, err = visit(item.Key(), value)
			return err
		})
		return more, to, err
	})
}

// eachAt visits the entries of records that there were at a version, as seekAt does.
func (s *engine) eachAt(
	version uint64, prefix, from []byte, visit func(*valueReader, *badger.Item) (more bool, to []byte, err error),
) (err error) {
	defer asCorrupt(&err)
	txn := s.db.NewTransactionAt(version, false)
	defer txn.Discard()
	options := badger.DefaultIteratorOptions
	options.Prefix = prefix
	options.PrefetchValues = false // they are beside their keys
	records := txn.NewIterator(options)
	defer records.Close()
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	values := &valueReader{txn: txn}
	for records.Seek(from); records.Valid() && !isPart(records.Item().Key()); {
		more, to, err := visit(values, records.Item())
		switch {
		case err != nil || !more:
			return err
		case to == nil:
			records.Next()
		default:
			records.Seek(to)
		}
	}
	return nil
}
