package workspace

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/record"
	"payonce/io/iotest"
)

// TestTwoWaitingChangesOfTheKeyDoNotWaitForEachOther begins them while a third process works on the journal. One changes
// the key, and then the present key that the other one has does not fit any more.
func TestTwoWaitingChangesOfTheKeyDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	server := iotest.StartPostgres(t, "fsync=on")
	options := pgstore.Options{URL: server.URL(), Workspace: "main", Holder: "a test", Lease: time.Minute, CallTime: time.Minute}
	working, err := pgstore.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	if err := working.Commit([]record.Write{{Key: record.IdentityKey, Value: []byte("a journal")}}); err != nil {
		t.Fatal(err)
	}
	changes := database{Opening{Shared: &options, Wait: 20 * time.Second}, t.TempDir()}
	ended := make(chan error)
	for i := range 2 {
		go func() { ended <- changes.rewrite(t.Context(), bytes.Repeat([]byte{byte(i + 1)}, 32)) }()
	}
	once := changes
	once.Wait = 0
	if err := once.rewrite(t.Context(), bytes.Repeat([]byte{3}, 32)); !errors.Is(err, pgstore.ErrShared) {
		t.Errorf("beside a process that works: %v", err)
	}
	if err := working.Close(); err != nil {
		t.Fatal(err)
	}
	errs := []error{<-ended, <-ended}
	changed := slices.Index(errs, nil)
	if changed < 0 || !errors.Is(errs[1-changed], record.ErrEncryptionKey) {
		t.Errorf("the changes ended with %v", errs)
	}
}
