package main

import (
	"encoding/csv"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
)

// BenchmarkRows compares whole runs of companies, which ask v2 for four fields and write tables, with runs of as many
// people, which ask v1. The service is this process and each run is another, so the figures are those of the program
// alone. A second start of each run finds nothing new. The figures are:
//
//   - the processor time of a call, in milliseconds, and for companies how many times as long as for people,
//   - the processor time of a thousand rows when nothing is new, in milliseconds, less that of a start,
//   - the peak memory of the run, in MB.
func BenchmarkRows(b *testing.B) {
	for _, rows := range []int{1_000, 20_000} {
		b.Run(strconv.Itoa(rows), func(b *testing.B) {
			url := rowsService(b)
			var people, companies runCost
			for b.Loop() {
				people, companies = runPeople(b, url, rows), runCompanies(b, url, rows)
			}
			for of, cost := range map[string]runCost{"people": people, "companies": companies} {
				b.ReportMetric(cost.call()*1e3, of+"-ms/call")
				b.ReportMetric(cost.idleRow()*1e6, of+"-idle-ms/1000-rows")
				b.ReportMetric(float64(cost.peak)/1024, of+"-MB")
			}
			b.ReportMetric(companies.call()/people.call(), "companies/people")
		})
	}
}

// runCost is what a run of a list took.
type runCost struct {
	rows, calls int
	first, idle time.Duration // the processor time of the first start, and of a second one that has nothing to ask
	start       time.Duration // that of a command that does nothing
	peak        int64         // of the first start, in KB
}

// call returns the seconds of a call.
func (c runCost) call() float64 { return (c.first - c.start).Seconds() / float64(c.calls) }

// idleRow returns the seconds of a row when nothing is new.
func (c runCost) idleRow() float64 { return (c.idle - c.start).Seconds() / float64(c.rows) }

// rowsService serves both interfaces, without limits that these runs reach, and returns its address.
func rowsService(tb testing.TB) string {
	config := sandbox.DefaultConfig()
	config.Window = sandbox.Window{Limit: 1 << 20, Per: time.Second}
	config.V2.Window = config.Window
	config.Free, config.BudgetCapCents, config.PrepaidCents = enrich.ByField[int64]{}, nil, 1e9
	service, err := sandbox.New(config)
	if err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(service.Handler())
	tb.Cleanup(func() {
		server.Close()
		service.Close()
	})
	return server.URL
}

func runPeople(tb testing.TB, url string, rows int) runCost {
	list := filepath.Join(tb.TempDir(), "people.csv")
	var text strings.Builder
	if err := world.WriteListCSV(&text, world.ListSpec{Seed: 1, Rows: rows, ProfileShare: 1}); err != nil {
		tb.Fatal(err)
	}
	writeFile(tb, list, text.String())
	return costOf(tb, url, list, rows, rows, "--fields", "email,phone", "--max-spend", "1000000")
}

func runCompanies(tb testing.TB, url string, rows int) runCost {
	list := filepath.Join(tb.TempDir(), "companies.csv")
	var text strings.Builder
	out := csv.NewWriter(&text)
	written := 0
	_ = out.Write([]string{"Company name", "Website"}) // a builder takes everything
	for c := range (world.World{}).Listed() {
		if written++; written > rows {
			break
		}
		_ = out.Write([]string{c.Name(), c.Website()})
	}
	out.Flush()
	writeFile(tb, list, text.String())
	const most = "1000000"
	return costOf(tb, url, list, rows, 4*rows, "--fields", "company,financials,insights,ownership",
		"--tables", filepath.Join(filepath.Dir(list), "tables"), "--max-units", "companies="+most,
		"--max-units", "financials="+most, "--max-units", "digital_insights="+most, "--max-units", "ownership="+most)
}

// costOf runs a list twice, each time in a process of its own.
func costOf(tb testing.TB, url, list string, rows, calls int, flags ...string) runCost {
	cost := runCost{rows: rows, calls: calls, idle: math.MaxInt64}
	run := append([]string{
		"run", list, "-o", list + ".out.csv", "--yes", "--rate", "1000000/1s", "--rate-v2", "1000000/1s", "--concurrency", "64",
		"--state", filepath.Join(filepath.Dir(list), "state"),
	}, flags...)
	cost.start, _ = spent(tb, url, "--version")
	cost.first, cost.peak = spent(tb, url, run...)
	for range 2 {
		idle, _ := spent(tb, url, run...)
		cost.idle = min(cost.idle, idle)
	}
	return cost
}

// spent runs the program in a process of its own, and returns its processor time and its peak memory in KB.
func spent(tb testing.TB, url string, args ...string) (processor time.Duration, peak int64) {
	tb.Helper()
	command := exec.CommandContext(tb.Context(), "batch", args...)
	command.Env = append(os.Environ(),
		"SERVICE_BASE_URL="+url+"/api/v1", "SERVICE_API_KEY="+sandbox.DefaultKey,
		"SERVICE_V2_BASE_URL="+url+"/v2", "SERVICE_V2_API_KEY="+sandbox.DefaultConfig().V2.Key)
	if printed, err := command.CombinedOutput(); err != nil {
		tb.Fatalf("batch %v: %v\n%s", args, err, printed)
	}
	ended := command.ProcessState
	peak = ended.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "darwin" {
		peak /= 1024 // bytes there
	}
	return ended.UserTime() + ended.SystemTime(), peak
}
