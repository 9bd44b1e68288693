package checkpoint

import (
	"fmt"
	"testing"
	"time"

	"payonce/checkpoint/ledgertest"
	"payonce/checkpoint/pgstore"
	"payonce/io/iotest"
)

// TestAJournalConformsBehindAPooler runs the conformance suite through PgBouncer, which gives each transaction another
// connection to the server.
func TestAJournalConformsBehindAPooler(t *testing.T) {
	through := iotest.StartPooler(t, iotest.StartPostgres(t, "fsync=on").URL())
	ledgertest.Run(t, journals(func(t testing.TB) func() Store {
		workspace := fmt.Sprint("w", workspaces.Add(1))
		return func() Store {
			store, err := pgstore.Open(pgstore.Options{URL: through, Workspace: workspace, Holder: "a test", Lease: time.Minute, CallTime: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
	}))
}
