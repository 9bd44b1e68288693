package workspace

import (
	"errors"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
)

// Opening says how a journal and its store are opened.
type Opening struct {
	Store   badgerstore.Options
	Journal checkpoint.Options
}

// OpenJournal opens the journal in a directory, or creates it.
func OpenJournal(dir string, o Opening) (*checkpoint.Journal, error) {
	store, err := badgerstore.Open(dir, o.Store)
	if err != nil {
		return nil, err
	}
	return checkpoint.New(store, o.Journal)
}

// WithStore calls do with the store of a closed journal, which has to exist.
func WithStore(dir string, o Opening, do func(*badgerstore.Store) error) error {
	store, err := badgerstore.OpenExisting(dir, o.Store)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// Rewrite makes a fresh store of a closed journal, encrypted with a key.
func (o Opening) Rewrite(dir string, key []byte) error {
	return badgerstore.Rewrite(dir, o.Store, badgerstore.Copy{EncryptionKey: key, Verify: record.VerifyWhole, Stop: o.Journal.Stop})
}
