package checkpoint

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/pgstore"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

// TestAFailoverIsNotTakenForDamage reads outcomes, whose records a promoted standby has never received.
func TestAFailoverIsNotTakenForDamage(t *testing.T) {
	primary := iotest.StartPostgres(t, "fsync=on")
	p, through := iotest.StartPostgresProxy(t, primary.URL(), 0, nil)
	store, err := pgstore.Open(pgstore.Options{URL: through, Workspace: "w", Holder: "a test", Lease: time.Minute, CallTime: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(store, Options{Rate: Rate{Slots: 1000, Window: time.Minute}, Catalogue: v1.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Journal: j, t: t}
	defer func() { _ = r.Close() }() // it has failed
	r.settle(r.grant(request(person(1), email)), found)
	standby := primary.Standby()
	primary.AwaitStandby()
	standby.Disconnect()
	lost := r.grant(request(person(2), email))
	r.settle(lost, found)
	damage := fmt.Errorf("%w: a record is missing", ErrCorrupt)
	if err := r.OrFailedOver(damage); err != damage {
		t.Errorf("before the failover: %v", err)
	}
	primary.Stop()
	standby.Promote()
	p.MoveTo(t, standby)
	_, err = r.Recall(0, true)([]attempt.ID{lost.ID}, nil)
	if !errors.Is(err, ErrCorrupt) {
		t.Fatalf("reading what the standby lacks: %v", err)
	}
	if err := r.OrFailedOver(err); !errors.Is(err, pgstore.ErrFailedOver) || !errors.Is(err, ErrFailed) || errors.Is(err, ErrCorrupt) {
		t.Errorf("after the failover: %v", err)
	}
}
