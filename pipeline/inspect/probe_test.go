package inspect

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/conformance"
	"payonce/io/sandbox"
	sandboxunits "payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/workspace"
)

// bench is a workspace with its own service.
type bench struct {
	t       *testing.T
	service *workspace.Embedded
	options workspace.Options
}

func open(t *testing.T, faults ...string) *bench {
	t.Helper()
	config := sandbox.DefaultConfig()
	for _, text := range faults {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		config.Faults = append(config.Faults, fault)
	}
	service, err := workspace.ServeSandbox(config, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	rate := checkpoint.Rate{Slots: 1000, Window: time.Second}
	return &bench{t, service, workspace.Options{
		Journal: workspace.Journal{State: t.TempDir(), Name: "default", Key: workspace.Key{From: "THE_KEY"}},
		Services: []provider.Service{
			{Provider: providerv1.Provider{}, BaseURL: service.BaseURL("v1"), Key: sandbox.DefaultKey, Timeout: time.Minute, Kept: rate},
			{Provider: providerv2.Provider{}, BaseURL: service.BaseURL("v2"), Key: sandboxv2.DefaultKey, Timeout: time.Minute, Rate: rate, Kept: rate},
		},
	}}
}

// with calls do with a prober that may use some units of companies.
func (b *bench) with(limit int64, do func(*prober) error) error {
	b.t.Helper()
	o := probeOptions{Run: "probe", Budget: provider.Budget{Units: map[string]int64{"companies": limit}}, Note: func(string) {}}
	return b.onJournal(func(place *workspace.Session) error { return withProber(b.t.Context(), place, o, do) })
}

// onJournal calls do with the open journal.
func (b *bench) onJournal(do func(place *workspace.Session) error) error {
	b.t.Helper()
	place := &workspace.Session{Options: b.options, Env: workspace.Environment{Now: time.Now, Program: "batch"}}
	if err := place.OpenJournal(b.t.Context(), "test"); err != nil {
		b.t.Fatal(err)
	}
	defer func() {
		if err := place.Close(); err != nil {
			b.t.Error(err)
		}
	}()
	return do(place)
}

func (b *bench) send(limit int64, lookup enrich.Lookup) (sent conformance.SentV2, err error) {
	b.t.Helper()
	err = b.with(limit, func(p *prober) (err error) {
		sent, err = p.Send(b.t.Context(), lookup)
		return err
	})
	return sent, err
}

// arrived returns how many calls arrived.
func (b *bench) arrived(want int) {
	b.t.Helper()
	got := 0
	for _, r := range b.service.Service.Second().Units().Records() {
		if r.Number > 0 { // not somebody else's
			got++
		}
	}
	if got != want {
		b.t.Errorf("%d calls arrived, want %d", got, want)
	}
}

func company(id string) enrich.Lookup {
	return enrich.Lookup{Identity: enrich.Identity{Company: enrich.Company{ID: id}}, Fields: enrich.FieldsOf(v2.FieldCompany)}
}

func page(t *testing.T) enrich.Lookup {
	t.Helper()
	lookup, err := conformance.FirstPage().Lookup()
	if err != nil {
		t.Fatal(err)
	}
	return lookup
}

func TestTheProbeAsksForARecordOnce(t *testing.T) {
	b := open(t)
	sent, err := b.send(5, company("1"))
	if _, answered := sent.Verdict.(enrich.Answered); err != nil || !answered || sent.Booked[v2.MeterCompanies] != 1 || sent.Used["companies"] != 1 {
		t.Errorf("%+v, %v", sent, err)
	}
	sent, err = b.send(5, company("1"))
	if err != nil || sent.Verdict != nil || sent.Why == "" || sent.Last {
		t.Errorf("again: %+v, %v", sent, err)
	}
	b.arrived(1)
}

func TestACallWithoutALimitOnItsModuleIsNotSent(t *testing.T) {
	b := open(t)
	lookup := company("1")
	lookup.Fields = enrich.FieldsOf(v2.FieldFinancials)
	sent, err := b.send(5, lookup)
	if err != nil || sent.Verdict != nil || sent.Why != "there is no limit on units of financials" || sent.Last {
		t.Errorf("%+v, %v", sent, err)
	}
	b.arrived(0)
}

// A comparison asks both interfaces in one run. Its record says why the calls to the first one stopped.
func TestTheRecordKeepsWhyCallsToAnotherInterfaceStopped(t *testing.T) {
	b := open(t)
	stop := dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: "run"}}
	err := b.onJournal(func(place *workspace.Session) error {
		o := probeOptions{Run: "probe", Budget: provider.Budget{Units: map[string]int64{"companies": 1}}, Note: func(string) {}, Stop: stop}
		if err := withProber(t.Context(), place, o, func(*prober) error { return nil }); err != nil {
			return err
		}
		run, found, err := place.Journal.Run("probe")
		if !found || run.Stop != stop.Word() {
			t.Errorf("the record says that the run stopped because of %q, want %q", run.Stop, stop.Word())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTheLimitCountsAllStarts(t *testing.T) {
	b := open(t)
	for range 2 {
		if sent, err := b.send(2, page(t)); err != nil || sent.Verdict == nil {
			t.Errorf("%+v, %v", sent, err)
		}
	}
	sent, err := b.send(2, page(t))
	if err != nil || sent.Verdict != nil || !sent.Last {
		t.Errorf("%+v, %v", sent, err)
	}
	b.arrived(2)
}

// A lost response stays in doubt where others may use the account. It is not asked for again, and its unit counts
// against the limit.
func TestALostResponseIsNotAskedForAgain(t *testing.T) {
	b := open(t, "lost-after:path=/v2,max=1")
	sent, err := b.send(1, company("1"))
	if _, lost := sent.Verdict.(enrich.Lost); err != nil || !lost {
		t.Errorf("%+v, %v", sent, err)
	}
	if sent, err = b.send(1, company("1")); err != nil || sent.Verdict != nil {
		t.Errorf("again: %+v, %v", sent, err)
	}
	if sent, err = b.send(1, company("2")); err != nil || sent.Verdict != nil || !sent.Last {
		t.Errorf("another one: %+v, %v", sent, err)
	}
	b.arrived(1)
	err = b.with(1, func(p *prober) error {
		if used := p.Used(); p.InDoubt() != 1 || used.Held[v2.MeterCompanies] != 1 || used.Settled[v2.MeterCompanies] != 0 {
			t.Errorf("%d in doubt, %+v", p.InDoubt(), used)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// With a declared exclusive account the counters prove that a lost call was not counted. It is sent again. Counters
// at zero may have begun again, and prove nothing.
func TestTheCountersDecideAboutALostResponse(t *testing.T) {
	b := open(t, "lost-before:path=/v2,max=1")
	b.options.Exclusive = true
	sent, err := b.send(5, company("1"))
	if _, lost := sent.Verdict.(enrich.Lost); err != nil || !lost || len(sent.Used) > 0 {
		t.Errorf("from zero: %+v, %v", sent, err)
	}
	b.arrived(1)
	b = open(t, "lost-before:path=/v2,max=1")
	b.options.Exclusive = true
	if err := b.service.Service.Second().Units().UseElsewhere(sandboxunits.UnitCharge{Module: sandboxunits.Companies, Units: 5}); err != nil {
		t.Fatal(err)
	}
	sent, err = b.send(5, company("1"))
	if _, answered := sent.Verdict.(enrich.Answered); err != nil || !answered || sent.Booked[v2.MeterCompanies] != 1 || sent.Used["companies"] != 1 {
		t.Errorf("%+v, %v", sent, err)
	}
	b.arrived(2)
}

func TestASecondProbeKeepsTheStartTimeOfItsRun(t *testing.T) {
	b := open(t)
	var started time.Time
	for range 2 {
		err := b.with(1, func(p *prober) error {
			_, err := p.Send(t.Context(), page(t))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		place := &workspace.Session{Options: b.options, Env: workspace.Environment{Now: time.Now, Program: "batch"}}
		if err := place.OpenJournal(t.Context(), "test"); err != nil {
			t.Fatal(err)
		}
		run, found, err := place.Journal.Run("probe")
		if err := errors.Join(err, place.Close()); err != nil || !found || run.Ended.IsZero() || len(run.Ceilings) != 0 || len(run.Accounts) != 1 || len(run.Accounts[0].Ceilings) != 1 {
			t.Errorf("%+v, %v", run, err)
		}
		if started.IsZero() {
			started = run.Started
		} else if !run.Started.Equal(started) || run.Stop != "ceiling:max-units companies" {
			t.Errorf("%+v, first started at %s", run, started)
		}
	}
}

// lagging is a service whose counters show a call only after several readings. They show at once what others use.
type lagging struct {
	http.Handler
	reads int // until a call shows
	left  atomic.Int64
	stale atomic.Pointer[httptest.ResponseRecorder]
}

func (l *lagging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v2/metrics" {
		l.left.Store(int64(l.reads))
		l.Handler.ServeHTTP(w, r)
		return
	}
	recorder := l.stale.Load()
	if l.left.Add(-1) < 0 || recorder == nil {
		recorder = httptest.NewRecorder()
		l.Handler.ServeHTTP(recorder, r)
		l.stale.Store(recorder)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(recorder.Body.Bytes())
}

// behind lets the counters of the service show each call after several readings.
func (b *bench) behind(reads int) {
	b.t.Helper()
	server := httptest.NewServer(&lagging{Handler: b.service.Service.Handler(), reads: reads})
	b.t.Cleanup(server.Close)
	b.options.Services[1].BaseURL = server.URL + "/v2"
}

func TestCountersThatLagAreWaitedFor(t *testing.T) {
	b := open(t)
	b.options.SettleDelay = time.Minute
	b.behind(2)
	sent, err := b.send(5, company("1"))
	if err != nil || !sent.Read || sent.Used["companies"] != 1 {
		t.Errorf("%+v, %v", sent, err)
	}
}

func TestTheWaitForCountersEndsWithTheSettleDelay(t *testing.T) {
	b := open(t)
	b.options.SettleDelay = 20 * time.Millisecond
	b.behind(1 << 40)
	sent, err := b.send(5, company("1"))
	if err != nil || !sent.Read || len(sent.Used) > 0 || sent.Booked[v2.MeterCompanies] != 1 {
		t.Errorf("%+v, %v", sent, err)
	}
}
