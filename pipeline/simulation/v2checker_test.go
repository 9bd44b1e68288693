package simulation

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
)

// v2Checker looks at every request that arrives, at what the service counts, and at the journal.
type v2Checker struct {
	world *v2World

	mu       sync.Mutex
	arrivals [2][]time.Time // of the paid calls of each interface
	limits   []v2Limit
}

// v2Limit is a limit of a module that a start was told of.
type v2Limit struct {
	meter       cost.Meter
	start       int
	from, until time.Time
}

// watch checks each paid call when it arrives at the service, and the ledger after it.
func (c *v2Checker) watch(service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account := accountV1
		if _, paid := moduleOf(r.URL.Path); paid {
			account = accountV2
		} else if !strings.HasPrefix(r.URL.Path, "/api/v1/contacts/") {
			service.ServeHTTP(w, r)
			return
		}
		c.inTime(account)
		defer c.counted() // also when the service breaks the connection
		service.ServeHTTP(w, r)
	})
}

// inTime checks the window of an account.
func (c *v2Checker) inTime(account int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, window := time.Now(), c.world.scenario.Window
	c.arrivals[account] = append(c.arrivals[account], now)
	if n := len(c.arrivals[account]) - 1; n >= window.Limit {
		if since := now.Sub(c.arrivals[account][n-window.Limit]); since < window.Per {
			c.world.broken("P4: %d calls reach account %d within %s", window.Limit+1, account, since)
		}
	}
}

// sending checks a call that is about to leave.
func (c *v2Checker) sending(f *v2Finder, account int, lookup enrich.Lookup) {
	w := c.world
	who := lookup.Identity
	w.trace("start %d, step %d: account %d is asked for %s of %s", f.number, f.step, account, lookup.Fields, who)
	open := false
	for _, in := range w.intents("") {
		if in.Identity != who {
			continue
		}
		_, resolved := w.resolution(in.ID)
		switch {
		case int(in.Account) == account && in.Hold.Fields == lookup.Fields && !resolved:
			open = true
		case int(in.Account) != account && !resolved && c.same(in, account, lookup.Fields):
			w.broken("P1: account %d is asked for %s of %s, and attempt %d of account %d may still find it",
				account, lookup.Fields, who, in.ID, in.Account)
		}
	}
	if !open {
		w.broken("P1: account %d is asked for %s of %s without an open intent on the disk", account, lookup.Fields, who)
	}
	if account == accountV2 {
		c.withinLimits(f.number, v2.Modules{}.Hold(v2.CallOf(lookup).Operation, v2.Reveal{}))
	}
}

// same reports whether an intent of another account asks for a value that fields of an account ask for.
func (c *v2Checker) same(in intent, account int, fields enrich.Fields) bool {
	all := provider.All(providers.All()).All
	for f := range fields.Each() {
		for g := range in.Hold.Fields.Each() {
			if role := all[account].Catalogue.Fields[f].Role; role != "" && role == all[in.Account].Catalogue.Fields[g].Role {
				return true
			}
		}
	}
	return false
}

// limited notes that a start was told of a limit. It begins when the journal has it.
func (c *v2Checker) limited(start int, limit enrich.Limit) {
	meter, known := v2.Modules{}.MeterOf(limit.Module)
	if !known {
		c.world.broken("P4: the limit of the unknown module %q", limit.Module)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limits = append(c.limits, v2Limit{meter, start, time.Now().Add(10*time.Millisecond + 10*c.world.commitTime.most), limit.Until})
}

// withinLimits checks that a call does not need a module whose limit is reached. A process knows of the limits that
// it was told itself, and of those that were recorded before it began.
func (c *v2Checker) withinLimits(process int, needs cost.Amounts) {
	now := time.Now()
	c.mu.Lock()
	limits := slices.Clone(c.limits)
	c.mu.Unlock()
	for _, limit := range limits {
		if needs[limit.meter] > 0 && now.After(limit.from) && now.Before(limit.until) && (limit.start == process || c.recorded(limit)) {
			c.world.broken("P4: a call needs %s %s before its limit ends", v2.MeterName(limit.meter), limit.until.Sub(now))
		}
	}
}

// recorded reports whether the disk has an attempt that a limit refused.
func (c *v2Checker) recorded(limit v2Limit) bool {
	return slices.ContainsFunc(c.world.intents(""), func(in intent) bool {
		res, resolved := c.world.resolution(in.ID)
		isNear := !res.At.After(limit.from) && res.At.After(limit.from.Add(-time.Minute))
		return resolved && strings.HasPrefix(res.Reason, "limit") && in.Hold.Amounts()[limit.meter] > 0 && isNear
	})
}

// used returns what the service of v2 counted for the calls of the program.
func (c *v2Checker) used() (used cost.Amounts) {
	for _, r := range c.world.service.Second().Units().Records() {
		if r.Number == 0 {
			continue // somebody else
		}
		module, _ := moduleOf(r.Path) // the service may count it on another one
		if meter, known := (v2.Modules{}).MeterOf(string(module)); known {
			used[meter] += r.Units
		}
		used[v2.MeterEmails] += r.Emails
		used[v2.MeterPhones] += r.Phones
	}
	return used
}

// counted checks what the service has counted after a call.
func (c *v2Checker) counted() {
	w := c.world
	used := c.used()
	totals := w.totals(attempt.Account(accountV2).Scope(checkpoint.ScopeAll))
	known := totals.Settled.Plus(totals.Held)
	known[cost.USD] = 0
	if !used.Within(known) {
		w.broken("P2: v2 has counted %v, and the journal has %v settled and %v held", used, totals.Settled, totals.Held)
	}
	c.once()
	p := w.running()
	if p == nil || p.calm {
		return
	}
	for _, ceiling := range w.scenario.Ceilings {
		of := ceiling.At(time.Now())
		if left := of.Left(w.totals(attempt.Account(accountV2).Scope(of.Scope))); left < 0 {
			w.broken("P2: %s is %d over the ceiling %q", of.Scope, -left, of.Name)
		}
		if ceiling.Period == cost.Ever && used[of.Meter] > of.Limit {
			w.broken("P2: v2 has counted %d of %s, and the ceiling is %d", used[of.Meter], of.Name, of.Limit)
		}
	}
	if charged := w.service.Ledger().Charged; charged > w.scenario.MaxSpend {
		w.broken("P2: v1 has charged $%s, and the ceiling is $%s", charged, w.scenario.MaxSpend)
	}
}

// once checks that no call was counted twice.
func (c *v2Checker) once() {
	seen := map[string]int{}
	for _, r := range c.world.service.Second().Units().Records() {
		if r.Number == 0 || r.Units == 0 {
			continue
		}
		call := r.Path + " " + r.About
		if first, twice := seen[call]; twice {
			c.world.broken("P1: %s was counted as call %d and as call %d", call, first, r.Number)
		}
		seen[call] = r.Number
	}
	charged := map[string]bool{}
	for _, charge := range c.world.service.Ledger().Charges {
		call := fmt.Sprint(charge.Identity, charge.Field)
		if charged[call] {
			c.world.broken("P1: v1 charged twice for %s", call)
		}
		charged[call] = true
	}
}

// walk checks the journal after a start, and that its ledger is that of the service where nothing is open.
func (c *v2Checker) walk() {
	w := c.world
	if len(w.disk.scan("", "")) == 0 {
		return
	}
	store := &stepsStore{stepsProcess: &stepsProcess{world: w.stepsWorld}}
	if _, err := verify.Check(store, providerv1.Provider{}.Interface().Catalogue, nil, func(p verify.Problem) {
		w.broken("P2: the journal's check finds: %s %s", p.Record, p.Text)
	}); err != nil {
		w.broken("P3: the journal cannot be checked: %v", err)
	}
	c.counted()
	c.onceEach()
	c.personsOnce()
	var booked cost.Amounts
	for _, in := range w.intents("") {
		if int(in.Account) != accountV2 {
			continue
		}
		res, resolved := w.resolution(in.ID)
		if !resolved || res.State == attempt.Forfeited {
			return // what is lost for good is booked as its hold
		}
		booked = booked.Plus(res.Charge.Amounts)
	}
	if booked[cost.USD] = 0; booked != c.used() {
		w.broken("P2: v2 has counted %v, and the journal has booked %v", c.used(), booked)
	}
}

// onceEach checks that no company was answered twice, whatever its rows name it by.
func (c *v2Checker) onceEach() {
	answered := map[string]attempt.ID{}
	for _, in := range c.world.intents("") {
		res, resolved := c.world.resolution(in.ID)
		if !c.world.scenario.Several || int(in.Account) != accountV2 || !resolved || !res.Returned.Has(v2.FieldCompany) {
			continue
		}
		company, err := v2.Read(res.Answer(), v2.Answer.Company)
		if err != nil {
			c.world.broken("P3: attempt %d cannot be read: %v", in.ID, err)
			continue
		}
		if first, twice := answered[company.ID.Value]; twice {
			c.world.broken("P1: company %s is bought by attempt %d and as %s by attempt %d", company.ID.Value, first, in.Identity, in.ID)
		}
		answered[company.ID.Value] = in.ID
	}
}

// compareV2 returns how the output of a world differs from that of an undisturbed one. What is lost for good has no
// value.
func compareV2(w, same *v2World) (broken []string) {
	got, want := readRows(w.output), readRows(same.output)
	if len(got) != len(want) || len(got) == 0 {
		return []string{fmt.Sprintf("P3: the output has %d rows, that of an undisturbed run %d", len(got), len(want))}
	}
	lost := slices.ContainsFunc(w.intents(""), func(in intent) bool {
		res, resolved := w.resolution(in.ID)
		return !resolved || res.State == attempt.Forfeited
	})
	for n := range want[1:] {
		passed := false
		if w.isWaterfall() {
			intents := w.intentsOf(n, want[n+1])
			passed = w.wentToV1(intents) || w.scenario.Named && w.wentToV1Early(n, intents)
		}
		for i, name := range want[0] {
			if passed || strings.HasPrefix(name, "enrich_") {
				continue
			}
			value, expected := got[n+1][i], want[n+1][i]
			if name == "same_company_as" && lost {
				continue // an earlier row of the company may have lost its answer
			}
			if value != expected && !(lost && (value == "" || expected == "" || w.isWaterfall())) {
				broken = append(broken, fmt.Sprintf("P3: row %d has %q as %s, that of an undisturbed run %q", n+1, value, name, expected))
			}
		}
	}
	return broken
}

// wentToV1 reports by the attempts about a person whether v1 has found a value for which v2 was not asked, because of a
// limit: v2 is not asked for it without the limit either.
func (w *v2World) wentToV1(intents []intent) bool {
	one, two := providerv1.Provider{}.Interface().Catalogue, providerv2.Provider{}.Interface().Catalogue
	asked, found := map[string]bool{}, map[string]bool{}
	for _, in := range intents {
		res, _ := w.resolution(in.ID)
		switch {
		case int(in.Account) == accountV2 && res.State != attempt.Released:
			for f := range in.Hold.Fields.Each() {
				asked[two.Fields[f].Role] = true
			}
		case int(in.Account) != accountV2 && res.State == attempt.Settled:
			for f := range res.Returned.Each() {
				found[one.Fields[f].Role] = true
			}
		}
	}
	for role := range found {
		if !asked[role] {
			return true
		}
	}
	return false
}

// isWaterfall reports whether v1 may find a value that was lost with v2.
func (w *v2World) isWaterfall() bool { return len(w.scenario.Wanted.From) > 1 }
