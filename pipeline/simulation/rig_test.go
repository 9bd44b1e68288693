package simulation_test

import (
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	email  = enrich.FieldsOf(v1.WorkEmail)
	phone  = enrich.FieldsOf(v1.BusinessPhone)
	prices = cost.Prices{v1.WorkEmail: 15 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent}
)

const settleDelay = time.Minute

// rig is a run on the real journal and a scripted service, on synctest's clock.
type rig struct {
	ledger       dispatch.Ledger // that the run uses; nil for the journal
	t            *testing.T
	disk         *disk
	store        *mount
	journal      *checkpoint.Journal
	service      *scripted
	rate         checkpoint.Rate
	concurrency  int
	spacing      time.Duration
	longestPause time.Duration
	shared       bool // the account is not declared exclusive
	pacer        dispatch.Pacer
	ceilings     []cost.Ceiling
	prices       cost.Prices
	tariff       cost.Tariff // without meters for that of v1
	left         map[string]int64
	expendable   enrich.Fields
	progress     *dispatch.AccountProgress
	notes        []string
	reports      []dispatch.Tally
}

// withRig runs a test in a bubble of synctest.
func withRig(t *testing.T, script func(call) reply, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{
			t: t, disk: newDisk(), service: newScripted(script), concurrency: 1, prices: prices,
			rate: checkpoint.Rate{Slots: 10_000, Window: time.Minute},
		}
		r.open()
		if err := r.journal.Rebase(r.service.account); err != nil {
			t.Fatal(err)
		}
		test(t, r)
	})
}

// open opens the journal on the rig's disk. A journal that was open before is as
// dead as its process: nothing that it does reaches the disk any more.
func (r *rig) open() {
	r.t.Helper()
	if r.store != nil {
		r.store.pull()
	}
	r.store = r.disk.mount()
	journal, err := checkpoint.New(r.store, checkpoint.Options{
		Catalogue: v1.Catalogue(), Tariff: r.tariff, Rate: r.rate, Now: time.Now,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.journal = journal
	r.t.Cleanup(func() {
		if err := journal.Close(); err != nil {
			r.t.Error(err)
		}
	})
}

// outcome is what a run ended with.
type outcome struct {
	tally dispatch.Tally
	stop  dispatch.Stop
	err   error
}

func (o outcome) word() string {
	if o.stop == nil {
		return ""
	}
	return o.stop.Word()
}

func (r *rig) lookups() *dispatch.Lookups {
	tariff := r.tariff
	if len(tariff.Meters) == 0 {
		tariff = v1.Tariff()
	}
	r.left = map[string]int64{}
	ledger := r.ledger
	if ledger == nil {
		ledger = r.journal
	}
	return &dispatch.Lookups{
		Ledger: ledger, Finder: r.service, Pacer: r.pacer, Concurrency: r.concurrency, Spacing: r.spacing, Now: time.Now,
		LongestPause: r.longestPause,
		Expendable:   r.expendable, Catalogue: v1.Catalogue(), Progress: r.progress, Tariff: tariff,
		NotSent:    func(stop dispatch.Stop, lookups int64) { r.left[stop.Word()] += lookups },
		Reconciler: &dispatch.Reconciler{Arbiter: r.journal, Status: r.service, SettleDelay: settleDelay, Exclusive: !r.shared, Now: time.Now},
		Request:    attempt.Request{Run: "run", Rates: tariff.At(r.prices), Ceilings: r.ceilings},
		Report:     func(tally dispatch.Tally) { r.reports = append(r.reports, tally) },
		Note:       func(text string) { r.notes = append(r.notes, text) },
	}
}

// runWith runs the lookups until they end or ctx does.
func (r *rig) runWith(ctx context.Context, lookups []enrich.Lookup) outcome {
	tally, stop, err := r.lookups().Run(ctx, func() (enrich.Lookup, error) {
		if len(lookups) == 0 {
			return enrich.Lookup{}, io.EOF
		}
		lookup := lookups[0]
		lookups = lookups[1:]
		return lookup, nil
	})
	return outcome{tally, stop, err}
}

// run runs the lookups to their end, which is not a failure of the program.
func (r *rig) run(lookups []enrich.Lookup) outcome {
	r.t.Helper()
	o := r.runWith(r.t.Context(), lookups)
	if o.err != nil {
		r.t.Fatalf("the run failed: %v", o.err)
	}
	return o
}

// every is a Pacer that lets one lookup begin in each span.
type every time.Duration

func (e every) Wait(ctx context.Context) error {
	select {
	case <-time.After(time.Duration(e)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// state returns what the journal knows of a field of a person.
func (r *rig) state(who string, f enrich.Field) attempt.FieldState {
	r.t.Helper()
	return r.record(who).States[f]
}

func (r *rig) record(who string) attempt.Record {
	r.t.Helper()
	record, err := r.journal.Record(identity(who))
	if err != nil {
		r.t.Fatal(err)
	}
	return record
}

// resolution returns how an attempt ended, which it has.
func (r *rig) resolution(id attempt.ID) attempt.Resolution {
	r.t.Helper()
	resolution, ended, err := r.journal.Resolution(id)
	if err != nil || !ended {
		r.t.Fatalf("attempt %d: ended %v, error %v", id, ended, err)
	}
	return resolution
}

// maxSpend sets the ceiling of the run.
func (r *rig) maxSpend(limit cost.Money) {
	r.ceilings = []cost.Ceiling{cost.SpendCeiling("max-spend", checkpoint.RunScope("run"), limit)}
}

const profiles = "https://pro.example/in/"

func identity(who string) enrich.Identity { return enrich.Identity{ProfileURL: profiles + who} }

func nameOf(id enrich.Identity) string { return strings.TrimPrefix(id.ProfileURL, profiles) }

// people returns the lookups of a field for p1, p2, …
func people(n int, fields enrich.Fields) []enrich.Lookup {
	var lookups []enrich.Lookup
	for i := range n {
		lookups = append(lookups, enrich.Lookup{Identity: identity(name(i + 1)), Fields: fields})
	}
	return lookups
}

func name(n int) string { return "p" + strconv.Itoa(n) }

// names returns p1, p2, …
func names(n int) []string {
	var all []string
	for i := range n {
		all = append(all, name(i+1))
	}
	return all
}
