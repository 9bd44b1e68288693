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

// Seek is a Scan in which visit may say from which key to go on.
func (s *engine) Seek(prefix, from []byte, visit record.Visit) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.seekAt(s.durable.Load(), prefix, from, visit)
}

// seekAt visits the records that there were at a version. The caller holds the lock for reading.
func (s *engine) seekAt(version uint64, prefix, from []byte, visit record.Visit) (err error) {
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
	values := valueReader{txn: txn}
	for records.Seek(from); records.Valid() && !isPart(records.Item().Key()); {
		item := records.Item()
		var more bool
		var to []byte
		err := values.read(item, func(value []byte) (err error) {
			more, to, err = visit(item.Key(), value)
			return err
		})
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
