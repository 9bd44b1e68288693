package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"payonce/cost"
	"payonce/io/sandbox"
)

var othersRounds = flag.Int("others-rounds", 8, "how many lists TestOthersUseTheAccount enriches")

// TestOthersUseTheAccount enriches small lists by processes of their own while the service
// loses 40 in 100 responses after it has charged for them. Whenever it does, somebody else
// uses the account before the program can notice the loss. A second start asks again for
// whatever the account seems to prove. Nothing is charged twice.
func TestOthersUseTheAccount(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	var lost, followed int
	t.Run("rounds", func(t *testing.T) {
		for seed := range uint64(*othersRounds) {
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				o := newOthers(t, seed)
				p := newProgram(t, 8, o.listen(t), "--max-spend", "60.00", "--concurrency", "2")
				for range 2 {
					p.runToEnd(exitDone, exitDoubt, exitRefused)
				}
				charges := o.service.Ledger().Charges
				if err := chargedOnce(charges); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				lost, followed = lost+o.lost, followed+o.used
			})
		}
	})
	t.Logf("%d charged responses were lost, and others used the account %d times", lost, followed)
	if followed == 0 {
		t.Error("nobody else used the account")
	}
}

// others is a service with another user, who uses the account whenever a charged response
// is lost.
type others struct {
	*tap
	service    *sandbox.Server
	lost, used int
}

func newOthers(t *testing.T, seed uint64) *others {
	t.Helper()
	draw := rand.New(rand.NewPCG(seed, 0))
	config := sandbox.DefaultConfig()
	config.Seed, config.Window = seed, sandbox.Window{Limit: 100_000, Per: time.Second}
	for f := range config.Free {
		config.Free[f] = draw.Int64N(4) // often used up, or nearly
	}
	fault, err := sandbox.ParseFault("lost-after:p=0.40")
	if err != nil {
		t.Fatal(err)
	}
	config.Faults = []sandbox.Fault{fault}
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	o := &others{tap: &tap{service: service.Handler()}, service: service}
	var one sync.Mutex // one request at a time, so that a charge belongs to it
	watch := watcher(func(_ *http.Request, pass func()) {
		one.Lock()
		defer one.Unlock()
		before := len(service.Ledger().Charges)
		defer func() {
			broken := recover() // the service drops the connection by a panic
			if broken == nil {
				return
			}
			if len(service.Ledger().Charges) > before {
				o.lost++
				o.use(t, draw)
			}
			panic(broken)
		}()
		pass()
	})
	o.watch.Store(&watch)
	return o
}

// use spends the price of a field, of both or of neither, or takes units.
func (o *others) use(t *testing.T, draw *rand.Rand) {
	amounts := []cost.Money{10 * cost.Cent, 15 * cost.Cent, 25 * cost.Cent, 40 * cost.Cent}
	var err error
	if n := draw.IntN(len(amounts) + 2); n < len(amounts) {
		_, err = o.service.Workspace().SpendElsewhere(amounts[n])
	} else {
		var units sandbox.FieldUnits
		units[n-len(amounts)] = 1
		_, err = o.service.Workspace().UseElsewhere(units)
	}
	if err != nil {
		t.Error(err)
	}
	o.used++
}
