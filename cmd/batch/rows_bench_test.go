package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
)

// benchRows are the numbers of rows of BenchmarkRows. A run of 20,000 rows takes minutes.
var benchRows = flag.String("bench-rows", "1000,4000", "how many rows BenchmarkRows enriches")

// benchProfiles is the folder that gets a profile of the processor time of each run.
var benchProfiles = flag.String("bench-profiles", "", "folder for profiles of BenchmarkRows")

// profileVariable names the file that runPatiently writes a profile to, in the environment of a run.
const profileVariable = "BATCH_TEST_PROFILE"

// mostMemory is the most memory of a run, whatever the number of its rows, in bytes: that of the program alone, without
// files that are mapped into its memory.
const mostMemory = 300 << 20

// BenchmarkRows compares whole runs of companies, which ask v2 for four fields and write tables, with runs of as many
// people, which ask v1. The service is this process and each run is another, so the figures are those of the program
// alone. A second start of each run finds nothing new. The figures are:
//
//   - the processor time of a call, in milliseconds, and for companies how many times as long as for people,
//   - the processor time of a thousand rows, and when nothing is new, in milliseconds, less that of a start,
//   - the peak memory of the run, in MB: with the files that are mapped into it, as the journal's and the program's are,
//     and on Linux without them,
//   - the most memory that was live after a collection of garbage, in MB, and how many times that with the fewest rows.
//
// It fails when a run needs more than mostMemory.
func BenchmarkRows(b *testing.B) {
	fewest := 0.0
	for text := range strings.SplitSeq(*benchRows, ",") {
		rows, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			url := rowsService(b)
			var people, companies runCost
			for b.Loop() {
				people, companies = runPeople(b, url, rows), runCompanies(b, url, rows)
			}
			for of, cost := range map[string]runCost{"people": people, "companies": companies} {
				b.ReportMetric(cost.call()*1e3, of+"-ms/call")
				b.ReportMetric(cost.row()*1e6, of+"-ms/1000-rows")
				b.ReportMetric(cost.idleRow()*1e6, of+"-idle-ms/1000-rows")
				b.ReportMetric(float64(cost.first.mapped)/(1<<20), of+"-MB-mapped")
				b.ReportMetric(float64(cost.first.live), of+"-MB-live")
				if runtime.GOOS == "linux" {
					b.ReportMetric(float64(cost.first.memory)/(1<<20), of+"-MB")
				}
				if cost.first.memory > mostMemory {
					b.Errorf("the run about %s took %d bytes of memory", of, cost.first.memory)
				}
			}
			if fewest == 0 {
				fewest = float64(companies.first.live)
			}
			b.ReportMetric(float64(companies.first.live)/fewest, "companies-live/fewest")
			b.ReportMetric(companies.call()/people.call(), "companies/people")
		})
	}
}

// runCost is what a run of a list took.
type runCost struct {
	rows, calls int
	first       commandCost   // of the first start
	idle        time.Duration // the processor time of a second one that has nothing to ask
	start       time.Duration // that of a command that does nothing
}

// commandCost is what a command took.
type commandCost struct {
	processor time.Duration
	memory    int64 // at the peak, in bytes, without files that are mapped; 0 where the system does not say
	mapped    int64 // at the peak, with them
	live      int   // the most after a collection of garbage, in MB
}

// call returns the seconds of a call.
func (c runCost) call() float64 { return (c.first.processor - c.start).Seconds() / float64(c.calls) }

// row returns the seconds of a row.
func (c runCost) row() float64 { return (c.first.processor - c.start).Seconds() / float64(c.rows) }

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
	cost.start = spent(tb, url, "--version").processor
	cost.first = spent(tb, url, run...)
	for range 2 {
		cost.idle = min(cost.idle, spent(tb, url, run...).processor)
	}
	return cost
}

// spent runs the program in a process of its own.
func spent(tb testing.TB, url string, args ...string) (cost commandCost) {
	tb.Helper()
	command := exec.CommandContext(tb.Context(), "batch", args...)
	command.Env = append(os.Environ(),
		"SERVICE_BASE_URL="+url+"/api/v1", "SERVICE_API_KEY="+sandbox.DefaultKey,
		"SERVICE_V2_BASE_URL="+url+"/v2", "SERVICE_V2_API_KEY="+sandbox.DefaultConfig().V2.Key, "GODEBUG=gctrace=1")
	if *benchProfiles != "" && args[0] == "run" {
		profile, err := os.CreateTemp(*benchProfiles, "*.profile")
		if err != nil {
			tb.Fatal(err)
		}
		_ = profile.Close() // nothing is written here
		command.Env = append(command.Env, profileVariable+"="+profile.Name())
	}
	var printed bytes.Buffer
	command.Stdout, command.Stderr = &printed, &printed
	if err := command.Start(); err != nil {
		tb.Fatal(err)
	}
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { cost.memory = peakMemory(command.Process.Pid, ended) })
	err := command.Wait()
	close(ended)
	watching.Wait()
	if err != nil {
		tb.Fatalf("batch %v: %v\n%s", args, err, printed.String())
	}
	state := command.ProcessState
	cost.mapped = state.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS != "darwin" {
		cost.mapped *= 1024 // there it is in bytes
	}
	for _, collection := range collections.FindAllSubmatch(printed.Bytes(), -1) {
		live, _ := strconv.Atoi(string(collection[1])) // the expression has digits alone
		cost.live = max(cost.live, live)
	}
	cost.processor = state.UserTime() + state.SystemTime()
	return cost
}

// startProfile writes a profile of the processor time to a file until the function that it returns is called. Without a
// path it does nothing.
func startProfile(path string) (stop func()) {
	if path == "" {
		return func() {}
	}
	file, err := os.Create(path)
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		panic(err)
	}
	return func() {
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			panic(err)
		}
	}
}

// collections are the lines about collections of garbage, with what was live after each.
var collections = regexp.MustCompile(`(?m)^gc \d+ @.* \d+->\d+->(\d+) MB`)

// peakMemory returns the most memory that a process takes until it ends, in bytes, without files that are mapped.
func peakMemory(process int, ended <-chan struct{}) (peak int64) {
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", process)) // another system has none
		if _, text, found := strings.Cut(string(status), "RssAnon:"); found {
			var kilobytes int64
			_, _ = fmt.Sscan(text, &kilobytes) // it stays 0
			peak = max(peak, kilobytes<<10)
		}
		select {
		case <-ended:
			return peak
		case <-ticks.C:
		}
	}
}
