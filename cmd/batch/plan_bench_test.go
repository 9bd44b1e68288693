package main

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
	"payonce/pipeline/workspace"
)

// BenchmarkPlan compares a whole plan, with the account's status, a history and every
// ceiling, with a bare scan of the same list: the scan that every run begins with.
// They take turns, and the fastest of each count, so that the ratio does not depend on
// what else the machine does.
func BenchmarkPlan(b *testing.B) {
	const rows = 100_000
	dir, baseURL := b.TempDir(), benchService(b)
	list := filepath.Join(dir, "list.csv")
	writeBenchList(b, list, rows)
	flags := []string{list, "--fields", "email,phone", "--max-spend", "500", "--rate", "10000/1s"}
	batch := func(args ...string) {
		env := quietEnvironment(map[string]string{
			"SERVICE_BASE_URL": baseURL, "SERVICE_API_KEY": sandbox.DefaultKey, "BATCH_STATE": filepath.Join(dir, "state"),
		})
		if code := execute(b.Context(), env, args); code != exitDone {
			b.Fatalf("%v: exit code %d", args, code)
		}
	}
	batch(append([]string{"run", "--yes", "--limit", "1000", "-o", filepath.Join(dir, "out.csv")}, flags...)...)
	fastestScan, fastestPlan := time.Hour, time.Hour
	plan := func() {
		runtime.GC()
		begun := time.Now()
		batch(append([]string{"plan", "--daily", "100", "--monthly", "200", "--max-lookups", "9000"}, flags...)...)
		fastestPlan = min(fastestPlan, time.Since(begun))
	}
	for b.Loop() {
		plan()
		fastestScan = min(fastestScan, timeScan(b, dir, baseURL, list), timeScan(b, dir, baseURL, list))
		plan()
	}
	b.ReportMetric(float64(fastestScan.Nanoseconds())/rows, "scan-ns/row")
	b.ReportMetric(float64(fastestPlan.Nanoseconds())/rows, "plan-ns/row")
	b.ReportMetric(float64(fastestPlan)/float64(fastestScan), "plan/scan")
}

func benchService(b *testing.B) (baseURL string) {
	config := sandbox.DefaultConfig()
	config.Window = sandbox.Window{Limit: 100000, Per: time.Second}
	service, err := sandbox.New(config)
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(service.Handler())
	b.Cleanup(func() {
		server.Close()
		service.Close()
	})
	return server.URL + "/api/v1"
}

func writeBenchList(b *testing.B, path string, rows int) {
	var text strings.Builder
	if err := world.WriteListCSV(&text, world.DefaultList(5, rows)); err != nil {
		b.Fatal(err)
	}
	writeFile(b, path, text.String())
}

// timeScan opens the journal and scans the list, and returns the time of the scan.
func timeScan(b *testing.B, dir, baseURL, list string) time.Duration {
	o := newOptions(quietEnvironment(nil))
	o.service.Addresses[0].BaseURL, o.service.State = baseURL, filepath.Join(dir, "state")
	session := &workspace.Session{Options: o.workspace(), Env: o.environment()}
	defer session.Close()
	if err := session.Require(b.Context(), "scan"); err != nil {
		b.Fatal(err)
	}
	file, err := listfile.New(listfile.Options{}, list)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	schema, err := file.Schema()
	if err != nil {
		b.Fatal(err)
	}
	reading, err := columns.Recognise(schema, nil, columns.Options{})
	if err != nil {
		b.Fatal(err)
	}
	scope := scan.Scope{Catalogue: v1.Catalogue(), Mapping: reading.Mapping, Wanted: v1.AllFields, Prefer: enrich.ByProfile, Memory: machineMemory() / 4}
	runtime.GC()
	begun := time.Now()
	if _, err := scan.New(context.Background(), scope, file, session.Journal); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}
