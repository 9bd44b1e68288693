package checkpoint

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/service/v1"
)

var dirOptions = Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1000, Window: time.Minute}, Now: func() time.Time { return start }}

// openIn opens the journal in a directory.
func openIn(dir string, options Options) (*Journal, error) {
	store, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		return nil, err
	}
	return New(store, options)
}

// openDir opens the journal in a directory for a test.
func openDir(t *testing.T, dir string) *Journal {
	t.Helper()
	j, err := openIn(dir, dirOptions)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// withStoreIn calls do with the store of the closed journal in a directory.
func withStoreIn(dir string, do func(Store) error) error {
	store, err := badgerstore.OpenExisting(dir, badgerstore.Options{})
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// rewrite makes a fresh store of the closed journal in a directory.
func rewrite(dir string, stop func() error) error {
	return badgerstore.Rewrite(dir, badgerstore.Options{}, badgerstore.Copy{Verify: record.VerifyWhole, Stop: stop})
}

// answered is how many persons the tests of whole journals have.
const answered = 40

// answer settles lookups for persons from first up to, but not, end.
func answer(t *testing.T, j *Journal, first, end int) {
	t.Helper()
	r := &rig{Journal: j, t: t}
	for n := first; n < end; n++ {
		r.settle(r.grant(request(person(n), email)), v1.Answer{Status: enrich.Matched, WorkEmail: fmt.Sprintf("p%d@b.example", n)})
	}
}
