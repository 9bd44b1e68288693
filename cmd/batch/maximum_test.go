package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
	"payonce/pipeline/report"
)

// workbench is a list and a service, for command lines that run in this process.
type workbench struct {
	t       *testing.T
	dir     string
	service *sandbox.Server
	url     string
	// asked counts the requests by method and path.
	asked chan string
}

func newWorkbench(t *testing.T, config sandbox.Config, spec world.ListSpec) *workbench {
	t.Helper()
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	b := &workbench{t: t, dir: t.TempDir(), service: service, asked: make(chan string, 10000)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked <- r.Method + " " + r.URL.Path
		service.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		service.Close()
	})
	b.url = server.URL + "/api/v1"
	var list bytes.Buffer
	if err := world.WriteListCSV(&list, spec); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.path("list.csv"), list.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *workbench) path(name string) string { return filepath.Join(b.dir, name) }

// try runs a command line.
func (b *workbench) try(args ...string) (stdout, stderr string, code int) {
	b.t.Helper()
	return b.tryUntil(b.t.Context(), args...)
}

// tryUntil is try, interrupted when the context ends.
func (b *workbench) tryUntil(ctx context.Context, args ...string) (stdout, stderr string, code int) {
	b.t.Helper()
	return executeIn(ctx, quietEnvironment(b.vars()), args...)
}

// vars are the variables by which command lines find the service and the journal.
func (b *workbench) vars() map[string]string {
	return map[string]string{
		"SERVICE_BASE_URL": b.url, "SERVICE_API_KEY": sandbox.DefaultKey, "BATCH_STATE": b.path("state"),
	}
}

// batch runs a command line on the list, which has to end well, and returns what it
// printed.
func (b *workbench) batch(command string, flags ...string) string {
	b.t.Helper()
	return b.batchTo([]int{exitDone}, command, flags...)
}

func (b *workbench) batchTo(codes []int, command string, flags ...string) string {
	b.t.Helper()
	args := append([]string{command, b.path("list.csv")}, flags...)
	stdout, stderr, code := b.try(args...)
	if !slices.Contains(codes, code) {
		b.t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
	}
	return stdout
}

func decode[T any](t *testing.T, text string) (view T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &view); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return view
}

// When everybody is known and every field is returned, a run is charged what its
// plan calls the maximum, to the cent, and what is left of the free allowance and of
// the included balance ends in the middle of it.
func TestTheChargeIsTheMaximumWhenEverythingIsFound(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	inTheMiddle := make(chan bool, 100)
	t.Run("seeds", func(t *testing.T) {
		for seed := range uint64(16) {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				inTheMiddle <- checkMaximum(t, rand.New(rand.NewPCG(seed, 4)))
			})
		}
	})
	close(inTheMiddle)
	ends := 0
	for middle := range inTheMiddle {
		if middle {
			ends++
		}
	}
	if ends < 4 {
		t.Errorf("the allowance ended in the middle of %d runs only: the test shows little", ends)
	}
}

// checkMaximum compares a plan with its run on a world that the draw makes. It
// reports whether the free allowance of a field ended in the middle.
func checkMaximum(t *testing.T, draw *rand.Rand) (inTheMiddle bool) {
	config := sandbox.DefaultConfig()
	config.UnknownRate, config.MatchRates = 0, enrich.ByField[float64]{1, 1}
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	config.Free = enrich.ByField[int64]{draw.Int64N(40), draw.Int64N(30)}
	config.IncludedCents, config.BudgetCapCents = draw.Int64N(1500), nil
	option := []string{"payg", "growth", "scale"}[draw.IntN(3)]
	config.Prices = map[string]cost.Prices{
		"payg":   {v1.WorkEmail: 15 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent},
		"growth": {v1.WorkEmail: 12 * cost.Cent, v1.BusinessPhone: 20 * cost.Cent},
		"scale":  {v1.WorkEmail: 9 * cost.Cent, v1.BusinessPhone: 16 * cost.Cent},
	}[option]
	b := newWorkbench(t, config, world.DefaultList(draw.Uint64(), 20+draw.IntN(60)))
	flags := []string{
		"--fields", []string{"email", "phone", "email,phone"}[draw.IntN(3)], "--limit", fmt.Sprint(draw.IntN(60)),
		"--max-spend", "1000", "--rate-option", option, "--rate", "10000/1s", "--concurrency", fmt.Sprint(1 + draw.IntN(16)), "--json",
	}
	plan := decode[report.Plan](t, b.batch("plan", flags...))
	run := decode[report.RunSummary](t, b.batch("run", append(flags, "--yes", "-o", b.path("out.csv"))...))
	if run.Spent != plan.Maximum || b.service.Ledger().Charged != plan.Maximum {
		t.Errorf("the maximum is %s, the run says %s, the service charged %s", plan.Maximum, run.Spent, b.service.Ledger().Charged)
	}
	for f := range v1.AllFields.Each() {
		if name := f.String(); run.FreeUsed.Get(name) != plan.Split.Free.Get(name) {
			t.Errorf("%s: %d free units planned, %d used", name, plan.Split.Free.Get(name), run.FreeUsed.Get(name))
		} else if free := plan.Split.Free.Get(name); free > 0 && free < plan.Fields.Get(name) {
			inTheMiddle = true
		}
	}
	included := min(plan.Maximum, cost.Cents(config.IncludedCents))
	if *plan.Split.Included != included || *plan.Split.Prepaid != plan.Maximum-included || *plan.Split.Uncovered != 0 {
		t.Errorf("the maximum of %s is split into %s, %s and %s", plan.Maximum, *plan.Split.Included, *plan.Split.Prepaid, *plan.Split.Uncovered)
	}
	return inTheMiddle
}

// Whatever is returned, a run is charged no more than its plan calls possible: the
// maximum, or what the ceilings leave of it.
func TestTheChargeNeverExceedsThePossibleSpendOfThePlan(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			draw := rand.New(rand.NewPCG(seed, 5))
			config := sandbox.DefaultConfig()
			config.UnknownRate, config.MatchRates = draw.Float64()/4, enrich.ByField[float64]{draw.Float64(), draw.Float64()}
			config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
			config.Free = enrich.ByField[int64]{draw.Int64N(30), draw.Int64N(20)}
			b := newWorkbench(t, config, world.DefaultList(draw.Uint64(), 20+draw.IntN(60)))
			flags := []string{
				"--fields", "email,phone", "--max-spend", cost.Cents(draw.Int64N(1500)).String(), "--rate", "10000/1s", "--json",
				"--daily", cost.Cents(draw.Int64N(1500)).String(), "--max-lookups", fmt.Sprint(draw.IntN(80)),
				"--short-budget", []string{"stop", "email-only"}[draw.IntN(2)],
			}
			plan := decode[report.Plan](t, b.batch("plan", flags...))
			run := b.batchTo([]int{exitDone, exitCeiling}, "run", append(flags, "--yes", "-o", b.path("out.csv"))...)
			if charged := b.service.Ledger().Charged; charged > plan.Possible || decode[report.RunSummary](t, run).Spent != charged {
				t.Errorf("%s is possible, the service charged %s\n%s", plan.Possible, charged, run)
			}
		})
	}
}

// A plan sends nothing but the free requests, whatever is asked of it and over
// whatever transport.
func TestPlanSendsNoLookup(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), world.DefaultList(3, 50))
	for _, flags := range [][]string{
		nil,
		{"--json", "--fields", "email,phone"},
		{"--sample", "10", "--priority", "id", "--limit", "20"},
		{"--max-spend", "3", "--out", b.path("plan.json"), "--monthly", "5", "--max-lookups", "7"},
		{"--offline"},
	} {
		b.batch("plan", flags...)
	}
	close(b.asked)
	requests := 0
	for request := range b.asked {
		requests++
		if !strings.HasPrefix(request, "GET ") {
			t.Errorf("a plan sent %s", request)
		}
	}
	if requests != 8 {
		t.Errorf("%d requests of 4 plans that are not offline, want an account status and a document each", requests)
	}
	b.asked = make(chan string, 100)
	b.batch("plan", "--transport", "mcp")
	if arrived := b.service.Ledger().Arrivals; len(arrived) > 0 {
		t.Errorf("%d lookups arrived", len(arrived))
	}
}

// Phones are retrieved only where they are asked for (specification v1, "Client rules for
// writing results into a CRM contact").
func TestPhonesAreNotAskedForByDefault(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), world.DefaultList(3, 20))
	b.batch("run", "--max-spend", "5", "--yes")
	close(b.asked)
	lookups := 0
	for request := range b.asked {
		if strings.HasPrefix(request, "POST ") {
			lookups++
			if request != "POST /api/v1/contacts/find-work-email" {
				t.Errorf("a run sent %s", request)
			}
		}
	}
	if lookups == 0 {
		t.Error("a run sent no lookup")
	}
}
