package sandbox_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
)

// loadFor makes TestLoad last for a span instead of a number of lookups.
var loadFor = flag.Duration("sandbox.load", 0, "how long the 64 clients of TestLoad ask, such as 1m")

const (
	loadClients = 64
	loadLookups = 25 // of each client, without the flag
	ownerRounds = 20
)

// crowd is 64 clients of one sandbox, every other one over MCP.
type crowd struct {
	w        *workspace
	client   *http.Client
	sent     atomic.Int64
	answered atomic.Int64
	broken   atomic.Int64
}

// TestLoad lets 64 clients ask at a time, while others use the workspace and its
// owner pays, with faults. The ledger balances afterwards.
func TestLoad(t *testing.T) {
	config := sandbox.DefaultConfig()
	config.Window.Limit = 1 << 30
	config.BudgetCapCents, config.PrepaidCents = nil, 100_000_000
	config.Free = enrich.ByField[int64]{500, 300}
	config.Latency = sandbox.Latency{Max: 3 * time.Millisecond}
	config.LedgerPath = t.TempDir() + "/books"
	config.Faults = []sandbox.Fault{
		{Probability: 0.02, Answer: sandbox.Dropped, Happened: true},
		{Probability: 0.01, Answer: sandbox.Dropped},
		{Probability: 0.01, Answer: sandbox.Truncated, Happened: true},
		{Probability: 0.01, Answer: sandbox.Bodyless, Happened: true},
		{Probability: 0.02, Answer: sandbox.Refused, Code: sandbox.ReservationConflict},
	}
	start := time.Now()
	middle := newClock().at // of a month, whatever day it is
	config.Now = func() time.Time { return middle.Add(time.Since(start)) }
	w := open(t, config)
	c := &crowd{w: w, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: loadClients, DisableCompression: true}}}
	var group sync.WaitGroup
	for number := range loadClients {
		group.Go(func() { c.ask(number, start) })
	}
	group.Go(func() { c.owner() })
	group.Wait()
	c.client.CloseIdleConnections()
	c.settled(config)
	t.Logf("%d lookups in %s: %d answered, %d broken off, %s charged",
		c.sent.Load(), time.Since(start).Round(time.Millisecond), c.answered.Load(), c.broken.Load(), w.Ledger().Charged)
}

// ask sends lookups one after the other, of people that other clients ask for too.
func (c *crowd) ask(number int, start time.Time) {
	over := []string{"REST", "MCP"}[number%2]
	for i := 0; ; i++ {
		if *loadFor == 0 && i == loadLookups || *loadFor > 0 && time.Since(start) >= *loadFor {
			return
		}
		operation := []string{"find-work-email", "find-phone", "enrich"}[i%3]
		flags := ""
		if operation == "enrich" {
			flags = `,"include_email":true,"include_phone":true`
		}
		body := fmt.Sprintf(`{"first_name":"Ada","last_name":"No%d","company_name":"Acme"%s}`, (number*7+i)%500, flags)
		if err := c.post(over, operation, body); err != nil {
			c.w.t.Error(err)
			return
		}
	}
}

func (c *crowd) post(over, operation, body string) error {
	path := "/api/v1/contacts/" + operation
	if over == "MCP" {
		path, body = mcpPath, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tools()[operation], body)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.w.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.GetBody = nil
	request.Header.Set("Authorization", "Bearer "+c.w.key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("MCP-Protocol-Version", "2025-11-25")
	c.sent.Add(1)
	response, err := c.client.Do(request)
	if err != nil {
		c.broken.Add(1)
		return nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		c.broken.Add(1)
	case strings.Contains(string(text), "enrichment_result"):
		c.answered.Add(1)
	case response.StatusCode == http.StatusOK && !strings.Contains(string(text), "reservation_conflict"):
		return fmt.Errorf("an answer of 200: %s", text)
	}
	return nil
}

// owner uses the dashboard meanwhile.
func (c *crowd) owner() {
	workspace := c.w.Workspace()
	for range ownerRounds {
		if _, err := workspace.UseElsewhere(sandbox.FieldUnits{2, 1}); err != nil {
			c.w.t.Error(err)
		}
		if _, err := workspace.Checkout(sandbox.Order{Deposit: sandbox.MinimumDeposit, ConfirmAfter: new(time.Duration)}); err != nil {
			c.w.t.Error(err)
		}
		if err := workspace.Audit(); err != nil {
			c.w.t.Error(err)
		}
		c.w.status()
	}
}

// settled compares the ledger with what was there and what came in.
func (c *crowd) settled(config sandbox.Config) {
	t, b := c.w.t, c.w.audited()
	var came, charged cost.Money
	var free sandbox.FieldUnits
	for _, m := range b.Movements {
		if m.Kind == sandbox.Granted || m.Kind == sandbox.Deposited {
			came += m.Amount
		}
	}
	for _, charge := range b.Charges {
		charged += charge.Amount
		if charge.Free {
			free[charge.Field]++
		}
	}
	if want := cost.Cents(config.IncludedCents+config.PrepaidCents) + ownerRounds*sandbox.MinimumDeposit; came != want {
		t.Errorf("%s came in, want %s", came, want)
	}
	if b.Available != came-charged-b.SpentElsewhere || b.Reserved != 0 || b.ReservedFree != (sandbox.FieldUnits{}) {
		t.Errorf("%s came in, %s charged, %s spent elsewhere, %s available, %s and %v reserved",
			came, charged, b.SpentElsewhere, b.Available, b.Reserved, b.ReservedFree)
	}
	for f, units := range config.Free {
		if units != free[f]+b.FreeElsewhere[f]+b.FreeLeft[f] {
			t.Errorf("of %d free units, %d used, %d used elsewhere and %d left", units, free[f], b.FreeElsewhere[f], b.FreeLeft[f])
		}
	}
	if int64(len(b.Arrivals)) != c.sent.Load() {
		t.Errorf("%d sent, %d arrived", c.sent.Load(), len(b.Arrivals))
	}
	arrived := map[string]int{}
	for _, a := range b.Arrivals {
		arrived[a.Transport]++
	}
	if arrived["rest"]+arrived["mcp"] != len(b.Arrivals) || arrived["rest"] == 0 || arrived["mcp"] == 0 {
		t.Errorf("arrivals by transport: %v", arrived)
	}
	again, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if reopened := again.Ledger(); reopened.Charged != b.Charged || reopened.Available != b.Available || again.Audit() != nil {
		t.Errorf("reopened, the ledger says %s charged and %s available, not %s and %s",
			reopened.Charged, reopened.Available, b.Charged, b.Available)
	}
}
