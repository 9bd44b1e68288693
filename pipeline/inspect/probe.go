// This file sends single paid calls of v2 through the journal, and reads the counters before and after each.
// Its calls are those of a run: each at most once, within the limits of the user and the rate limit.

package inspect

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/conformance"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// probeOptions name the run that pays for the calls, and its limits.
type probeOptions struct {
	Run    string          // its name; its limits count all its starts
	Budget provider.Budget // without a limit on what a call can use, the call is not sent
	Note   func(string)
	// Stop is why calls of the same start to another interface stopped; nil when they did not.
	Stop dispatch.Stop
}

// ErrProbeInDoubt says that earlier calls are in doubt, so nothing new may be sent.
var ErrProbeInDoubt = errors.New("earlier calls are in doubt")

// prober sends calls, one at a time.
type prober struct {
	options probeOptions
	account *provider.Account
	reader  *v2.StatusClient
	modules v2.Modules
	settle  time.Duration // the longest that a call waits for the counters
	waited  time.Duration // by all calls
	shared  bool          // others may use the account
	Stop    dispatch.Stop // why calls stopped; nil when they did not
}

// withProber calls do with a prober, on the open journal of the workspace. The journal lists the run, unless another run
// has its name.
func withProber(ctx context.Context, place *workspace.Session, o probeOptions, do func(*prober) error) error {
	of, v2provider, _ := provider.Of[providerv2.Provider](place.Options.Services) // the caller has looked
	p := &prober{options: o, account: place.Account(of, o.Note, nil), modules: v2provider.Modules, Stop: o.Stop}
	p.account.Wanted = v2.AllFields
	if !place.Options.Sandbox { // the sandbox counts at once and has no other users
		p.settle, p.shared = p.account.SettleDelay, !p.account.Exclusive
	}
	if err := p.account.Open(ctx, provider.UsePaying); err != nil {
		return err
	}
	defer p.account.Close()
	at, err := place.Endpoint(of)
	if err != nil {
		return err
	}
	if p.reader, err = v2.NewStatusClient(v2provider.Config(at)); err != nil {
		return problem.AsUsage(err)
	}
	if err := p.account.Register(ctx); err != nil {
		return err
	}
	if p.account.Journal.AwaitsAccount() {
		if err := p.account.SettleDoubts(ctx); err != nil {
			return err
		}
	}
	if p.account.Reconciler().Pending() > 0 {
		return ErrProbeInDoubt
	}
	if err := p.account.Begin(ctx); err != nil {
		return err
	}
	return p.onRecord(place, do)
}

func (p *prober) onRecord(place *workspace.Session, do func(*prober) error) error {
	earlier, found, err := place.Journal.Run(p.options.Run)
	if err != nil {
		return err
	}
	if found && earlier.Output != "" {
		return do(p)
	}
	record := earlier
	record.Name, record.Restarted = p.options.Run, p.account.Now()
	record.Fields = cmp.Or(record.Fields, "probe v2")
	record.Ended, record.Stop = time.Time{}, ""
	p.options.Budget.Note(&record)
	p.options.Budget.NoteAccount(&record, p.account.Journal.Number(), p.account.Tariff)
	if !found {
		record.Started = record.Restarted
	}
	if err := place.Journal.SaveRun(record); err != nil {
		return err
	}
	if err := do(p); err != nil {
		return err
	}
	if record.Ended = p.account.Now(); p.Stop != nil {
		record.Stop = p.Stop.Word()
	}
	return place.Journal.SaveRun(record)
}

// InDoubt returns how many calls of the run are in doubt.
func (p *prober) InDoubt() int {
	count, _ := p.account.Journal.InDoubt(p.options.Run)
	return count
}

// Used returns what the run has used and holds so far.
func (p *prober) Used() cost.Totals {
	return p.account.Journal.Totals(p.account.Journal.Number().Scope(checkpoint.RunScope(p.options.Run)))
}

// unlimited returns the first meter that a call can use and that has no limit, "" when each has one.
func (p *prober) unlimited(call v2.Call) string {
	held := p.modules.Hold(call.Operation, call.Reveal)
	for _, meter := range v2.LimitedMeters() {
		if held[meter] > 0 && !p.options.Budget.HasLimit(v2.MeterName(meter)) {
			return v2.MeterName(meter)
		}
	}
	return ""
}

// Send implements conformance.SenderV2. A page of a search is asked for again, because the counters are read
// before and after a call. A record that the journal has is not.
func (p *prober) Send(ctx context.Context, lookup enrich.Lookup) (conformance.SentV2, error) {
	call := v2.CallOf(lookup)
	sent := conformance.SentV2{Operation: call.Operation}
	if meter := p.unlimited(call); meter != "" {
		sent.Why = "there is no limit on units of " + meter
		return sent, nil
	}
	journal, finder := p.account.Journal, &watched{Finder: p.account.Finder}
	lookups := &dispatch.Lookups{
		Ledger: journal, Finder: finder, Concurrency: 1, Now: p.account.Now, Reconciler: p.account.Reconciler(),
		Note: p.options.Note, Catalogue: p.account.Catalogue, Tariff: p.account.Tariff,
		Request: attempt.Request{
			Run: p.options.Run, Job: p.options.Budget.JobOf(p.options.Run), Rates: p.account.Connection.Rates(lookup.Fields, nil),
			Ceilings: p.options.Budget.All(p.options.Run, p.account.Tariff), Reask: attempt.Reask{Found: p.account.Now()},
		},
	}
	booked := journal.Totals(checkpoint.ScopeAccount).Settled
	before, beforeErr := p.reader.Usage(ctx)
	tally, stop, err := lookups.Run(ctx, once(lookup))
	if err != nil {
		return sent, err
	}
	sent.Verdict, sent.Booked = finder.verdict, journal.Totals(checkpoint.ScopeAccount).Settled.Minus(booked)
	if beforeErr == nil {
		sent.Used, sent.Read = p.settled(ctx, before, sent)
	}
	switch {
	case stop != nil:
		if p.Stop == nil {
			p.Stop = stop
		}
		sent.Last, sent.Why = true, "stopped: "+stop.Word()
	case tally.Posts == 0:
		sent.Verdict, sent.Why = nil, "the journal knows the outcome, or that it is in doubt; no call is sent twice"
	}
	return sent, nil
}

// How often the counters are read while they do not show a call, and how long all calls wait for them, in settle
// delays. The wait has an end because counters of other modules than expected never agree.
const (
	firstWait   = 200 * time.Millisecond // or less, where the delay is short
	longestWait = 5 * time.Second
	mostWaits   = 3
)

// settled reads the counters until they show what the journal booked for a call, or until the settle delay has
// passed. It returns by how much they rose since an earlier reading, and false when they cannot be read.
func (p *prober) settled(ctx context.Context, before v2.Usage, sent conformance.SentV2) (used map[string]int64, read bool) {
	_, isLost := sent.Verdict.(enrich.Lost)
	left := min(p.settle, mostWaits*p.settle-p.waited)
	for wait := min(firstWait, p.settle/64+1); ; wait = min(2*wait, longestWait) {
		after, err := p.reader.Usage(context.WithoutCancel(ctx))
		if err == nil {
			used, read = moved(before, after)
		}
		if isLost || read && p.agree(used, sent.Booked) || left <= 0 || ctx.Err() != nil {
			return used, read
		}
		wait = min(wait, left)
		if p.waited == 0 {
			p.options.Note("waiting until the counters show the call")
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		left, p.waited = left-wait, p.waited+wait
	}
}

// agree reports whether counters show what the journal booked.
func (p *prober) agree(used map[string]int64, booked cost.Amounts) bool {
	want := map[string]int64{}
	for _, meter := range v2.Meters() {
		if booked[meter] != 0 {
			want[p.modules.Codename(meter)] = booked[meter]
		}
	}
	return maps.Equal(used, want)
}

// moved returns by how much the counters rose between two readings, by codename. It returns false when a counter fell.
func moved(before, after v2.Usage) (map[string]int64, bool) {
	used := map[string]int64{}
	for _, module := range before.Modules {
		used[module.Codename] -= module.Used.Value
	}
	for _, module := range after.Modules {
		used[module.Codename] += module.Used.Value
	}
	for codename, n := range used {
		if n < 0 {
			return nil, false
		}
		if n == 0 {
			delete(used, codename)
		}
	}
	return used, true
}

// watched keeps the outcome of the last call. One call is under way at a time.
type watched struct {
	dispatch.Finder
	verdict enrich.Verdict
}

// Find implements dispatch.Finder.
func (w *watched) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	w.verdict = w.Finder.Find(ctx, lookup)
	return w.verdict
}

// Counted is what the service counted for one call.
type Counted struct {
	Operation v2.Operation
	Used      map[string]int64 // by the service's codenames
	Want      string           // the codename of the module that was expected
	// Line is the line of a configuration that corrects the mapping, "" when the mapping is right. Known says that
	// there is such a line, or that none is needed.
	Line  string
	Known bool
	// Shared says that others may use the account, and so may have moved the counters.
	Shared bool
	Why    string // no call was answered
}

func (c Counted) String() string {
	var moved []string
	for _, codename := range slices.Sorted(maps.Keys(c.Used)) {
		moved = append(moved, report.Counted(c.Used[codename], "unit")+" of "+report.Printable(codename))
	}
	if moved == nil {
		return "a call of " + c.Operation.String() + " used nothing"
	}
	return "a call of " + c.Operation.String() + " used " + strings.Join(moved, ", ")
}

// Counting sends one call that names no subject, of the module companies where it has a limit and of contacts
// otherwise. It says whether the counters move as the mapping of modules says.
func (p *prober) Counting(ctx context.Context) (Counted, error) {
	call := conformance.FirstPage()
	if p.unlimited(call) != "" {
		call = conformance.FirstPerson()
	}
	counted := Counted{Operation: call.Operation, Want: "nothing", Shared: p.shared}
	if p.unlimited(call) != "" {
		counted.Why = "a limit on units of companies or contacts is needed"
		return counted, nil
	}
	if meter, counts := p.modules.Meter(call.Operation); counts {
		counted.Want = p.modules.Codename(meter)
	}
	lookup, err := call.Lookup()
	if err != nil {
		return counted, err
	}
	sent, err := p.Send(ctx, lookup)
	if err != nil {
		return counted, err
	}
	_, answered := sent.Verdict.(enrich.Answered)
	switch {
	case !answered:
		counted.Why = cmp.Or(sent.Why, "the service refused it or its response was lost")
	case !sent.Read:
		counted.Why = "the counters could not be read"
	default:
		counted.Used = sent.Used
		counted.Line, counted.Known = p.modules.Correction(call.Operation, sent.Used)
	}
	return counted, nil
}
