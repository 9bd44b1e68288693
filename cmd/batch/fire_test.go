package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

var (
	fireKills = flag.Int("kills", 15, "how often TestFire kills the program; half as often over MCP")
	fireSeed  = flag.Uint64("fire-seed", 1, "what TestFire draws its moments from")
)

// TestFire kills the program again and again over one list, at moments that a seed
// chooses, while the service loses two responses in a hundred: one before and one
// after it was charged. Between the starts the ceiling rises and the list grows.
// After each kill the journal is checked; at the end the ledger of the service is
// compared with the journal and with the output.
func TestFire(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	kills := map[v1.Transport]int{v1.REST: *fireKills, v1.MCP: (*fireKills + 1) / 2}
	overEachTransport(t, func(t *testing.T, transport v1.Transport) {
		c := newCampaign(t, t.TempDir(), transport, *fireSeed)
		for c.killed() < kills[transport] {
			code := c.strike()
			c.checkAfterStrike()
			c.change(code)
		}
		c.end()
	})
}

// campaign is one list under fire.
type campaign struct {
	*program
	service  *serviceProcess
	draw     *rand.Rand
	base     []string // the command line without what changes between the starts
	rows     int
	ceilings []ceilingFrom
	kills    map[string]int // by the kind of their moment
	kill     func(*process) // ends a process in the middle
	ends     map[int]int    // starts that were not killed, by exit code
}

// ceilingFrom is the ceiling from a time on.
type ceilingFrom struct {
	since time.Time
	limit cost.Money
}

// newCampaign makes a campaign with its files in a directory.
func newCampaign(t *testing.T, dir string, transport v1.Transport, seed uint64) *campaign {
	t.Helper()
	const rows = 300
	service := startService(t, seed, "--fault", "lost-before:p=0.01", "--fault", "lost-after:p=0.01")
	p := newProgramIn(t, dir, rows, service.listen(t)).over(transport)
	c := &campaign{
		program: p, service: service, draw: rand.New(rand.NewPCG(seed, 0)), base: p.args, rows: rows,
		kills: map[string]int{}, ends: map[int]int{}, kill: killProcess,
	}
	c.raise(4_00 * cost.Cent)
	return c
}

func (c *campaign) killed() int {
	total := 0
	for _, n := range c.kills {
		total += n
	}
	return total
}

func (c *campaign) ceiling() cost.Money {
	if len(c.ceilings) == 0 {
		return 0
	}
	return c.ceilings[len(c.ceilings)-1].limit
}

func (c *campaign) raise(by cost.Money) {
	c.ceilings = append(c.ceilings, ceilingFrom{time.Now(), c.ceiling() + by})
}

func (c *campaign) grow(rows int) {
	c.rows += rows
	c.writeList(c.rows)
}

// strike starts the program once and kills it, unless it ends before. It returns
// the exit code, -1 for a kill.
func (c *campaign) strike() int {
	c.t.Helper()
	c.args = append(slices.Clip(c.base), "--max-spend", c.ceiling().String(), "--concurrency", fmt.Sprint(1+c.draw.IntN(6)))
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	kind, moment := c.moment(ctx)
	code := c.endOn(moment, c.kill)
	c.service.watch.Store(nil)
	switch code {
	case -1:
		c.kills[kind]++
	case exitDone, exitCeiling, exitDoubt:
		c.ends[code]++
	default:
		c.t.Fatalf("after %d kills it ended with exit code %d", c.killed(), code)
	}
	return code
}

// moment draws when to kill.
func (c *campaign) moment(ctx context.Context) (kind string, came <-chan struct{}) {
	switch c.draw.IntN(8) {
	case 0:
		return "in the first 200 ms", after(time.Duration(c.draw.IntN(200)) * time.Millisecond)
	case 1, 2, 3:
		return "at a commit of the journal", c.atCommit(ctx, 1+c.draw.IntN(30))
	case 4, 5:
		return "before the service saw a request", c.service.atRequest(1+c.draw.Int64N(15), true)
	default:
		return "after the service answered a request", c.service.atRequest(1+c.draw.Int64N(15), false)
	}
}

func after(d time.Duration) <-chan struct{} {
	came := make(chan struct{})
	time.AfterFunc(d, func() { close(came) })
	return came
}

// atCommit returns a channel that is closed when the journal has grown by that number of
// commits. It counts them in a file.
func (c *campaign) atCommit(ctx context.Context, commits int) <-chan struct{} {
	came := make(chan struct{})
	go func() {
		ticker := time.NewTicker(200 * time.Microsecond)
		defer ticker.Stop()
		for seen, last := 0, c.head(); seen < commits; {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if head := c.head(); head != last {
				seen, last = seen+1, head
			}
		}
		close(came)
	}()
	return came
}

// head returns what the journal's file of its last commit says.
func (c *campaign) head() string {
	paths, err := filepath.Glob(filepath.Join(c.state(), "*", "*", "store", "HEAD"))
	if err != nil || len(paths) != 1 {
		return "" // not yet there
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		return ""
	}
	return string(text)
}

// checkAfterStrike checks the journal as the last start left it.
func (c *campaign) checkAfterStrike() {
	c.t.Helper()
	marker, err := filepath.Glob(filepath.Join(c.state(), "*", "*", "JOURNAL"))
	if err != nil || len(marker) == 0 {
		return // it was killed before there was a journal
	}
	totals := c.checkCopyOfJournal().Totals
	if totals.Settled+totals.Held > c.ceiling() {
		c.t.Errorf("the journal has $%s settled and $%s held, over the ceiling of $%s", totals.Settled, totals.Held, c.ceiling())
	}
}

// change changes what the next start is given. A start that came to an end needs
// more money or more rows.
func (c *campaign) change(code int) {
	if code == exitCeiling || c.draw.IntN(8) == 0 {
		c.raise(cost.Money(1+c.draw.IntN(400)) * cost.Cent)
	}
	if code == exitDone || code == exitDoubt || c.draw.IntN(5) == 0 {
		c.grow(1 + c.draw.IntN(40))
	}
}

// end lets the program end and compares everything with everything.
func (c *campaign) end() {
	t := c.t
	t.Helper()
	c.args = append(slices.Clip(c.base), "--max-spend", c.ceiling().String())
	view := decodeSummary(t, c.runToEnd(exitDone, exitCeiling, exitDoubt))
	ledger := c.service.end(t)
	c.checkJournal()
	witnesses := c.checkExplained(ledger)
	checkOutput(t, c.program, ledger)
	checkValues(t, readRows(t, c.output()), undisturbed(t, c.service.seed, c.rows))
	c.checkCeilings(ledger.Charges)
	if view.Spent+view.Held < ledger.Charged || view.Spent > c.ceiling() {
		t.Errorf("the summary says $%s spent and $%s held of $%s, the service charged $%s", view.Spent, view.Held, c.ceiling(), ledger.Charged)
	}
	t.Logf("%d kills %v; starts that ended by themselves, by exit code: %v", c.killed(), c.kills, c.ends)
	t.Logf("%d rows, %d lookups arrived, $%s charged of $%s after %d raises, rows %v",
		c.rows, len(ledger.Arrivals), ledger.Charged, c.ceiling(), len(c.ceilings)-1, view.Rows)
	t.Log(tallyOf(witnesses, ledger))
}

// checkCeilings checks that the service never had charged more than the ceiling
// that was in force.
func (c *campaign) checkCeilings(charges []sandbox.Charge) {
	c.t.Helper()
	var charged cost.Money
	for _, charge := range charges {
		charged += charge.Amount
		limit := c.ceilings[0].limit
		for _, ceiling := range c.ceilings {
			if !ceiling.since.After(charge.At) {
				limit = ceiling.limit
			}
		}
		if charged > limit {
			c.t.Errorf("with %s $%s were charged, over the ceiling of $%s", charge.RequestID, charged, limit)
		}
	}
}

// fireTally is what became of the attempts of a campaign.
type fireTally struct {
	attempts, answered           int
	lost, killed                 int            // came into doubt while the program ran, and by its end
	released, forfeited, inDoubt int            // of those
	chargedInDoubt, uncharged    int            // fields in doubt that were charged or not
	reasons                      map[string]int // why the others were refused or not sent
}

func tallyOf(witnesses map[attempt.ID]*witness, ledger sandbox.Snapshot) fireTally {
	charged := map[paidField]bool{}
	for _, charge := range ledger.Charges {
		charged[paidField{charge.Identity, charge.Field}] = true
	}
	tally := fireTally{attempts: len(witnesses), reasons: map[string]int{}}
	for _, w := range witnesses {
		doubted := w.doubt.Cause != ""
		switch {
		case w.doubt.Crash:
			tally.killed++
		case doubted:
			tally.lost++
		}
		switch state := w.resolution.State; {
		case state == attempt.Settled:
			tally.answered++
		case state == attempt.Forfeited:
			tally.forfeited++
		case state == attempt.Released && doubted:
			tally.released++
		case state == attempt.Released:
			tally.reasons[w.resolution.Reason]++
		default:
			tally.inDoubt++
			tally.count(w, charged)
		}
	}
	return tally
}

// count counts the fields of an attempt in doubt.
func (tally *fireTally) count(w *witness, charged map[paidField]bool) {
	for f := range v1.AllFields.Each() {
		switch {
		case !w.intent.Hold.Fields.Has(f):
		case charged[paidField{w.intent.Identity.Canonical(), f}]:
			tally.chargedInDoubt++
		default:
			tally.uncharged++
		}
	}
}

func (tally fireTally) String() string {
	return fmt.Sprintf("%d attempts: %d answered, refused or not sent %v; in doubt came %d lost responses and %d calls of killed programs: "+
		"the account voided %d and forfeited %d, %d stay in doubt (%d of their fields were charged, %d were not)",
		tally.attempts, tally.answered, tally.reasons, tally.lost, tally.killed,
		tally.released, tally.forfeited, tally.inDoubt, tally.chargedInDoubt, tally.uncharged)
}
