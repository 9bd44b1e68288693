package simulation

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// checker watches the world for broken promises.
type checker struct {
	world  *world
	mu     sync.Mutex
	found  []string
	pauses []pause
	begun  map[attempt.ID]began
	// arrivals counts the lookups that reached the service.
	arrivals int
}

// pause is a request of the service to wait that has reached the client.
type pause struct {
	from, until time.Time
	start       int
	kept        bool // the journal has it on the disk
	keptAt      time.Time
}

// broken notes a broken promise.
func (c *checker) broken(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.world.trace("BROKEN %s", text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = append(c.found, text)
}

// sending checks what has to hold when a lookup is handed to the client.
func (c *checker) sending(p *process) {
	if rest := c.paused(p); rest > 0 {
		c.broken("P4: a POST is sent %s before the service's Retry-After ends", rest)
	}
}

// leaving counts the lookups that were handed to the client before a pause and got
// a connection in it.
func (c *checker) leaving(p *process) {
	if c.paused(p) > 0 {
		c.world.mu.Lock()
		defer c.world.mu.Unlock()
		c.world.overtaken++
	}
}

// paused returns how much is left of a pause that the process knows of.
func (c *checker) paused(p *process) (rest time.Duration) {
	if p.isDead() {
		return 0
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pause := range c.pauses {
		known := pause.start == p.number || pause.kept
		if c.world.database != nil && pause.start != p.number {
			known = pause.kept && now.Sub(pause.keptAt) > mostLookups // else the call may have begun before it
		}
		if known && now.After(pause.from) {
			rest = max(rest, pause.until.Sub(now))
		}
	}
	return rest
}

func (c *checker) pausing(p *process, refused enrich.Refused) {
	wait := refused.RetryAfter
	if wait == 0 {
		wait = time.Minute
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pauses = append(c.pauses, pause{from: now, until: now.Add(wait), start: p.number})
}

// pauseKept notes which pauses outlive the process.
func (c *checker) pauseKept(p *process, until time.Time) {
	until = until.Add(c.world.setBack)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.pauses {
		if pause := &c.pauses[i]; pause.start == p.number && !pause.until.After(until) {
			pause.kept, pause.keptAt = true, time.Now()
		}
	}
}

// pausesLost notes that no journal knows the pauses any more that were kept since a time.
func (c *checker) pausesLost(since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.pauses {
		if c.pauses[i].keptAt.After(since) {
			c.pauses[i].kept = false
		}
	}
}

// intent is a record of the journal, as it stands on the disk.
type intent struct {
	ID attempt.ID
	record.Intent
}

// scopes names the scopes that the attempt counts in, independently of the journal.
func (in intent) scopes() []string {
	pattern, day := "name", in.At.UTC().Format(time.DateOnly)
	if in.Identity.ProfileURL != "" {
		pattern = "profile"
	}
	month := day[:len("2006-01")]
	return []string{
		checkpoint.ScopeAll, checkpoint.ScopeAccount, "run/" + in.Run,
		"job/" + in.Job + "/" + month, "job/" + in.Job + "/" + day, "workspace/" + month, "workspace/" + day,
		"history/" + v1.OperationOf(in.Hold.Fields).String() + "/" + pattern,
	}
}

// errNoRecord says that the disk has no record of a key.
var errNoRecord = errors.New("no record")

// read reads a record from the disk.
func read[T record.Record](d *disk, key string) (value T, err error) {
	data := d.get(key)
	if len(data) == 0 {
		return value, errNoRecord
	}
	return value, record.Decode([]byte(key), data, &value)
}

// intents returns the attempts on the disk, those without a resolution alone or all.
func (c *checker) intents(openAlone bool) []intent {
	var found []intent
	for _, write := range c.world.disk.scan("a", "") {
		id := attempt.ID(binary.BigEndian.Uint64(write.Key[1:]))
		if openAlone && c.world.disk.has(recordKey('r', id)) {
			continue
		}
		var err error
		in := intent{ID: id}
		if in.Intent, err = read[record.Intent](c.world.disk, recordKey('a', id)); err != nil {
			c.broken("P3: the intent of attempt %d cannot be read: %v", id, err)
			continue
		}
		found = append(found, in)
	}
	return found
}

func (c *checker) totals(scope string) cost.Totals {
	totals, err := read[cost.Totals](c.world.disk, "c"+scope)
	if err != nil && !errors.Is(err, errNoRecord) {
		c.broken("P3: the totals of %s cannot be read: %v", scope, err)
	}
	return totals
}

// watch puts the checker before the service.
func (c *checker) watch(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return // the request did not come whole; the service has not heard of it
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			c.arrival(r, body)
			defer c.answered()
		}
		inner.ServeHTTP(w, r)
	})
}

// answered checks what has to hold when the service has done with a lookup.
func (c *checker) answered() {
	c.mu.Lock()
	c.arrivals++
	arrival := c.arrivals
	c.mu.Unlock()
	c.money()
	if p := c.world.running(); p != nil && !p.calm {
		c.world.followed(arrival)
	}
}

// arrival checks what has to hold when a lookup reaches the service.
func (c *checker) arrival(r *http.Request, body []byte) {
	identity, fields, err := parseLookup(path.Base(r.URL.Path), body)
	if err != nil {
		c.broken("a lookup cannot be read: %v", err)
		return
	}
	c.world.trace("arrival of %s: %s, %s", r.UserAgent(), identity, fields)
	for _, in := range c.intents(true) {
		if in.Identity.Canonical() == identity.Canonical() && in.Hold.Fields == fields {
			c.ceiling(r.UserAgent(), in)
			if c.world.database.isUnaccepted(in.ID) {
				c.broken("P1: attempt %d is sent, and began on a server that may lack commits", in.ID)
			}
			return
		}
	}
	for _, call := range c.world.database.lostCalls(false) {
		if call.open && call.Identity.Canonical() == identity.Canonical() && call.Hold.Fields == fields {
			return
		}
	}
	c.broken("P1: a POST for %s, %s arrives without an open intent on the disk", identity, fields)
}

// money checks that the journal explains what the service has charged.
func (c *checker) money() {
	ledger := c.world.service.Ledger()
	totals, charged := c.totals(checkpoint.ScopeAll), ours(ledger).Charged
	if hidden := c.hidden(ledger) + c.world.database.lostMoney(); charged > totals.Settled.Plus(totals.Held).Money()+hidden {
		c.broken("P2: the service has charged $%s, the journal has $%s settled and $%s held, and others took free units worth $%s",
			charged, totals.Settled.Money(), totals.Held.Money(), hidden)
	}
}

func parseLookup(operation string, body []byte) (identity enrich.Identity, fields enrich.Fields, err error) {
	var question struct {
		URL     string `json:"pro_network_url"`
		First   string `json:"first_name"`
		Last    string `json:"last_name"`
		Domain  string `json:"company_domain"`
		Company string `json:"company_name"`
		Email   bool   `json:"include_email"`
		Phone   bool   `json:"include_phone"`
	}
	if err := json.Unmarshal(body, &question); err != nil {
		return identity, 0, err
	}
	identity = enrich.Identity{
		ProfileURL: question.URL, FirstName: question.First, LastName: question.Last,
		CompanyDomain: question.Domain, CompanyName: question.Company,
	}
	if question.Email || operation == v1.FindWorkEmail.String() {
		fields = fields.With(v1.WorkEmail)
	}
	if question.Phone || operation == v1.FindPhone.String() {
		fields = fields.With(v1.BusinessPhone)
	}
	return identity, fields, nil
}

// walk checks the ledger of the service and the journal's records after a start.
func (c *checker) walk() {
	ledger := ours(c.world.service.Ledger())
	if err := c.world.service.Audit(); err != nil {
		c.broken("the service's own ledger: %v", err)
	}
	c.takenAway(ledger)
	c.neverTwice(ledger)
	c.neverFaster(ledger)
	c.explained(ledger)
	c.money()
	c.sums()
	c.booked(ledger)
	for code, n := range ledger.Refused {
		switch code {
		case sandbox.CreditsExhausted, sandbox.UsageBudgetReached, sandbox.FreeAllowanceExhausted:
			if !c.world.others() && !c.world.hides() && len(c.world.database.lostCalls(false)) == 0 {
				c.broken("P2: %d lookups are refused with %s, though nobody else spends", n, code)
			}
		}
	}
}

// thing is what can be paid for once.
type thing struct {
	identity string
	field    enrich.Field
}

// neverTwice checks P1: once a lookup that was charged has arrived no other one for
// the same field of the same person arrives. A call that a failover has lost may be bought again once somebody has
// accepted the failover.
func (c *checker) neverTwice(ledger sandbox.Snapshot) {
	first, lost := map[thing]int{}, map[thing]int{}
	for _, call := range c.world.database.lostCalls(true) {
		for f := range call.Hold.Fields.Each() {
			lost[thing{call.Identity.Canonical(), f}]++
		}
	}
	again := maps.Clone(lost)
	for _, charge := range ledger.Charges {
		t := thing{charge.Identity, charge.Field}
		if again[t] > 0 && first[t] != 0 {
			again[t]--
		} else if first[t] != 0 {
			c.broken("P1: %s of %q is charged twice, by arrivals %d and %d", t.field, readable(t.identity), first[t], charge.Arrival)
		}
		first[t] = charge.Arrival
	}
	for _, arrival := range ledger.Arrivals {
		for f := range arrival.Fields.Each() {
			if n := first[thing{arrival.Identity, f}]; n != 0 && arrival.Number > n && lost[thing{arrival.Identity, f}] == 0 {
				c.broken("P1: arrival %d asks for %s of %q, which arrival %d was charged for", arrival.Number, f, readable(arrival.Identity), n)
			}
		}
	}
}

func readable(canonical string) string { return strings.ReplaceAll(canonical, "\x1f", " ") }

// neverFaster checks P4 at the service's door: refused lookups count too.
func (c *checker) neverFaster(ledger sandbox.Snapshot) {
	window := c.world.Window
	for i := window.Limit; i < len(ledger.Arrivals); i++ {
		span := ledger.Arrivals[i].At.Sub(ledger.Arrivals[i-window.Limit].At)
		if span < window.Per {
			c.broken("P4: %d lookups arrive within %s, the last is arrival %d", window.Limit+1, span, ledger.Arrivals[i].Number)
		}
	}
}

// explained checks that every charge belongs to an attempt that the journal knows
// as answered with just that request, forfeited for that field or open.
func (c *checker) explained(ledger sandbox.Snapshot) {
	answered := map[string]bool{}
	other := map[thing]int{}
	for _, in := range c.intents(false) {
		var fields enrich.Fields
		switch res, resolved := c.resolution(in.ID); {
		case !resolved:
			fields = in.Hold.Fields
		case res.State == attempt.Settled:
			answered[res.RequestID] = true
		case res.State == attempt.Forfeited:
			fields = res.Charge.Fields()
		}
		for f := range fields.Each() {
			other[thing{in.Identity.Canonical(), f}]++
		}
	}
	for _, call := range c.world.database.lostCalls(false) {
		for f := range call.Hold.Fields.Each() {
			other[thing{call.Identity.Canonical(), f}]++
		}
	}
	for _, charge := range ledger.Charges {
		t := thing{charge.Identity, charge.Field}
		if answered[charge.RequestID] {
			continue
		}
		other[t]--
		if other[t] < 0 {
			c.broken("P2: no attempt explains the charge of arrival %d for %s of %q", charge.Arrival, t.field, readable(t.identity))
		}
	}
}

// resolution returns how an attempt ended, by the disk.
func (c *checker) resolution(id attempt.ID) (res attempt.Resolution, resolved bool) {
	res, err := read[attempt.Resolution](c.world.disk, recordKey('r', id))
	if errors.Is(err, errNoRecord) {
		return res, false
	}
	if err != nil {
		c.broken("P3: the resolution of attempt %d cannot be read: %v", id, err)
	}
	return res, true
}
