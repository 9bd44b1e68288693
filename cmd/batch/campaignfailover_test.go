package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/sandbox"
	"payonce/io/sandbox/kit"
)

// campaignFailover is one failover of a campaign.
type campaignFailover struct {
	deposed  *iotest.PostgresServer
	received map[attempt.ID]record.Intent // the calls that the promoted standby has
	compared bool                         // with those before the failover was accepted
}

// mostCommitsLost is how many commits a promoted standby lacks at most, and commitsTime how long they may take.
const (
	mostCommitsLost = 30
	commitsTime     = 5 * time.Second
)

// failOver lets a standby replicate asynchronously, cuts it off, and promotes it some commits later.
func (c *sharedCampaign) failOver() bool {
	primary := c.server.Load()
	standby := primary.Standby()
	primary.AwaitStandby()
	standby.Disconnect()
	primary.Exec(fmt.Sprintf(`DO $$
		DECLARE
			until timestamptz := clock_timestamp() + interval '%d milliseconds';
			enough bigint := %d + (SELECT version FROM payonce_workspace WHERE workspace = '%s');
		BEGIN
			WHILE clock_timestamp() < until AND (SELECT version FROM payonce_workspace WHERE workspace = '%[3]s') < enough LOOP
				PERFORM pg_sleep(0.005);
			END LOOP;
		END $$`, commitsTime.Milliseconds(), c.draw.IntN(mostCommitsLost+1), c.workspace))
	primary.Stop()
	standby.Promote()
	c.failovers = append(c.failovers, &campaignFailover{primary, c.intents(standby), c.accepting})
	c.server.Store(standby)
	c.proxy.MoveTo(c.t, standby)
	return true
}

// accept lets a worker, which was refused because of a failover, accept it as a user would. Until then no call may have
// begun.
func (c *sharedCampaign) accept(w *campaignWorker) {
	for _, f := range c.failovers {
		if now := c.intents(c.server.Load()); !f.compared && len(now) != len(f.received) {
			c.t.Errorf("%d calls began before the failover was accepted", len(now)-len(f.received))
		}
		f.compared = true
	}
	command := *w.program
	command.args = []string{"reconcile", "--accept-failover", "--yes", "--json", "--state", w.state(), "--workspace", c.workspace, "--settle-delay", "2s"}
	if w.v2Address != "" {
		command.args = append(command.args, "--base-url-v2", w.v2Address)
	}
	c.accepting = true
	w.starts++
	c.follow(w, command.startAs(exec.Command("batch-campaign", command.args...)), true)
}

// intents returns the calls in the journal on a server.
func (c *sharedCampaign) intents(server *iotest.PostgresServer) map[attempt.ID]record.Intent {
	c.t.Helper()
	return recordsWith[record.Intent](c, server, record.IntentPrefix)
}

// recordsWith returns the records about attempts that the journal on a server has.
func recordsWith[T record.Record](c *sharedCampaign, server *iotest.PostgresServer, prefix byte) map[attempt.ID]T {
	c.t.Helper()
	all := map[attempt.ID]T{}
	snapshot, err := pgstore.Read(server.URL(), c.workspace, nil)
	if err == nil {
		err = snapshot.Scan([]byte{prefix}, nil, func(key, value []byte) (bool, error) {
			var one T
			err := record.Decode(key, value, &one)
			all[record.IDOf(key)] = one
			return true, err
		})
		_ = snapshot.Close()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

// subject is a person, as a request to an account names one.
type subject struct {
	account   attempt.Account
	canonical string
}

// lostCalls returns the calls that promoted standbys lacked, by subject. The servers that they replaced have them.
func (c *sharedCampaign) lostCalls() map[subject][]record.Intent {
	lost := map[subject][]record.Intent{}
	for _, f := range c.failovers {
		f.deposed.Start()
		had := c.intents(f.deposed)
		f.deposed.Stop()
		for _, id := range slices.Sorted(maps.Keys(had)) {
			if _, received := f.received[id]; !received {
				of := subject{had[id].Account, had[id].Identity.Canonical()}
				lost[of] = append(lost[of], had[id])
			}
		}
	}
	return lost
}

// explained returns the charges of v1 that the journal explains. Each of the others has to belong to a lost call.
func (c *sharedCampaign) explained(charges []sandbox.Charge, lost map[subject][]record.Intent) (own []sandbox.Charge) {
	type paid struct {
		canonical string
		field     enrich.Field
	}
	server, answered, other := c.server.Load(), map[string]bool{}, map[paid]int{}
	ended := recordsWith[attempt.Resolution](c, server, record.ResolutionPrefix)
	for id, in := range c.intents(server) {
		if in.Account != 0 {
			continue
		}
		fields := in.Hold.Fields
		if res, resolved := ended[id]; resolved {
			fields = 0
			switch res.State {
			case attempt.Settled:
				answered[res.RequestID] = true
			case attempt.Forfeited:
				fields = res.Charge.Fields()
			}
		}
		for f := range fields.Each() {
			other[paid{in.Identity.Canonical(), f}]++
		}
	}
	left := map[paid]int{}
	for of, calls := range lost {
		if of.account != 0 {
			continue
		}
		for _, in := range calls {
			for f := range in.Hold.Fields.Each() {
				left[paid{of.canonical, f}]++
			}
		}
	}
	for _, charge := range charges {
		this := paid{charge.Identity, charge.Field}
		switch {
		case answered[charge.RequestID]:
			own = append(own, charge)
		case other[this] > 0:
			other[this]--
			own = append(own, charge)
		case left[this] > 0:
			left[this]--
		default:
			c.t.Errorf("the %s of %s was charged in %s, and no call that the journal has or that a standby lacked explains it",
				charge.Field, charge.Identity, charge.RequestID)
		}
	}
	return own
}

// withoutLost returns the calls of v2 without one for each call that a promoted standby lacked: those with the most
// units.
func withoutLost(records []kit.UnitRecord, lost map[subject][]record.Intent) []kit.UnitRecord {
	left := map[string]int{}
	for of, calls := range lost {
		if of.account != 0 {
			left[of.canonical] += len(calls)
		}
	}
	units := func(r kit.UnitRecord) int64 { return r.Units + r.Emails + r.Phones }
	sorted := slices.SortedStableFunc(slices.Values(records), func(a, b kit.UnitRecord) int { return cmp.Compare(units(b), units(a)) })
	return slices.DeleteFunc(sorted, func(r kit.UnitRecord) bool {
		who := personOf(r)
		if left[who] == 0 {
			return false
		}
		left[who]--
		return true
	})
}

// personOf returns the canonical identity of the person of a call of v2.
func personOf(r kit.UnitRecord) string {
	var asked struct {
		Profile string `json:"pro_network"`
		Page    string `json:"linkedin"`
		First   string `json:"first_name"`
		Last    string `json:"last_name"`
		Email   string `json:"email"`
		Domain  string `json:"domain"`
		Company string `json:"company_name"`
	}
	if err := json.Unmarshal([]byte(r.About), &asked); err != nil {
		return r.About
	}
	return enrich.Identity{
		ProfileURL: cmp.Or(asked.Profile, asked.Page), Email: asked.Email, FirstName: asked.First, LastName: asked.Last,
		CompanyDomain: asked.Domain, CompanyName: asked.Company,
	}.Canonical()
}

// chargedSum returns what charges cost together.
func chargedSum(charges []sandbox.Charge) (sum cost.Money) {
	for _, charge := range charges {
		sum += charge.Amount
	}
	return sum
}
