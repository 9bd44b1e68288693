package probe

import (
	"errors"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/conformance/v2rules"
	"payonce/enrich"
	"payonce/internal/budget"
	"payonce/internal/workspace"
	"payonce/sandbox"
	sandboxv2 "payonce/sandbox/v2"
	v1 "payonce/service/v1"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
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
	service, err := workspace.Serve(config, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	rate := checkpoint.Rate{Slots: 1000, Window: time.Second}
	return &bench{t, service, workspace.Options{
		Journal: workspace.Journal{State: t.TempDir(), Name: "default", Rate: rate, Key: workspace.Key{From: "THE_KEY"}},
		Service: workspace.Service{BaseURL: service.BaseURL, Key: sandbox.DefaultKey, Transport: v1.REST, Timeout: time.Minute},
		V2:      workspace.V2{BaseURL: service.V2BaseURL, Key: sandboxv2.DefaultKey, Timeout: time.Minute, Rate: rate, Kept: rate},
	}}
}

// with calls do with a prober that may use some units of companies.
func (b *bench) with(limit int64, do func(*Prober) error) error {
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
	o := Options{Run: "probe", Budget: budget.Budget{Units: map[string]int64{"companies": limit}}, Note: func(string) {}}
	return With(b.t.Context(), place, o, do)
}

func (b *bench) send(limit int64, lookup enrich.Lookup) (sent v2rules.Sent, err error) {
	b.t.Helper()
	err = b.with(limit, func(p *Prober) (err error) {
		sent, err = p.Send(b.t.Context(), lookup)
		return err
	})
	return sent, err
}

// arrived returns how many calls arrived.
func (b *bench) arrived(want int) {
	b.t.Helper()
	if got := len(b.service.Service.Second().Units().Records()); got != want {
		b.t.Errorf("%d calls arrived, want %d", got, want)
	}
}

func company(id string) enrich.Lookup {
	return enrich.Lookup{Identity: enrich.Identity{Company: enrich.Company{ID: id}}, Fields: enrich.FieldsOf(v2fields.Company)}
}

func page(t *testing.T) enrich.Lookup {
	t.Helper()
	lookup, err := v2rules.FirstPage().Lookup()
	if err != nil {
		t.Fatal(err)
	}
	return lookup
}

func TestARecordIsBookedOnceAndAskedForOnce(t *testing.T) {
	b := open(t)
	sent, err := b.send(5, company("1"))
	if _, answered := sent.Verdict.(enrich.Answered); err != nil || !answered || sent.Booked[units.Companies] != 1 || sent.Used["companies"] != 1 {
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
	lookup.Fields = enrich.FieldsOf(v2fields.Financials)
	sent, err := b.send(5, lookup)
	if err != nil || sent.Verdict != nil || sent.Why != "there is no limit on units of financials" || sent.Last {
		t.Errorf("%+v, %v", sent, err)
	}
	b.arrived(0)
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
	err = b.with(1, func(p *Prober) error {
		if used := p.Used(); p.InDoubt() != 1 || used.Held[units.Companies] != 1 || used.Settled[units.Companies] != 0 {
			t.Errorf("%d in doubt, %+v", p.InDoubt(), used)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// With a declared exclusive account the counters prove that a lost call was not counted. It is sent again.
func TestTheCountersDecideAboutALostResponse(t *testing.T) {
	b := open(t, "lost-before:path=/v2,max=1")
	b.options.Service.Exclusive = true
	sent, err := b.send(5, company("1"))
	if _, answered := sent.Verdict.(enrich.Answered); err != nil || !answered || sent.Booked[units.Companies] != 1 || sent.Used["companies"] != 1 {
		t.Errorf("%+v, %v", sent, err)
	}
	b.arrived(2)
}

func TestTheRunKeepsItsPlaceAmongTheRuns(t *testing.T) {
	b := open(t)
	var started time.Time
	for range 2 {
		err := b.with(1, func(p *Prober) error {
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
		if err := errors.Join(err, place.Close()); err != nil || !found || run.Ended.IsZero() || len(run.Ceilings) != 1 {
			t.Errorf("%+v, %v", run, err)
		}
		if started.IsZero() {
			started = run.Started
		} else if !run.Started.Equal(started) || run.Stop != "ceiling:max-units companies" {
			t.Errorf("%+v, first started at %s", run, started)
		}
	}
}
