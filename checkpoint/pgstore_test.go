package checkpoint

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint/pgstore"
	"payonce/io/iotest"
)

// workspaces numbers the workspaces of tests.
var workspaces atomic.Int64

// inPostgres returns a function that makes an empty store in a database, and one that opens it.
func inPostgres(server *iotest.PostgresServer) func(testing.TB) (open func() Store) {
	return inPostgresWith(server, nil)
}

// inPostgresWith is inPostgres with encrypted values.
func inPostgresWith(server *iotest.PostgresServer, key []byte) func(testing.TB) (open func() Store) {
	return func(t testing.TB) func() Store {
		workspace := fmt.Sprint("w", workspaces.Add(1))
		return func() Store { return openPostgresWith(t, server, workspace, key) }
	}
}

func openPostgres(t testing.TB, server *iotest.PostgresServer, workspace string) *pgstore.Store {
	t.Helper()
	return openPostgresWith(t, server, workspace, nil)
}

func openPostgresWith(t testing.TB, server *iotest.PostgresServer, workspace string, key []byte) *pgstore.Store {
	t.Helper()
	store, err := pgstore.Open(pgstore.Options{
		URL: server.URL(), Workspace: workspace, EncryptionKey: key, Holder: "a test", Lease: time.Minute, CallTime: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}
