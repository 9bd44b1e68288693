//go:build unix

package listfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"payonce/io/listfile"
)

// cpuTime returns the CPU time of the process.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkWrite writes a list with filled and appended cells as text, as a new workbook, as the workbook of
// the list, and as JSON. It reports the CPU time, because some formats are written on all cores. Each round is
// followed by one that writes CSV to CSV, and times-csv is how many times its CPU time the other took. WRITE_ROWS
// is the number of rows.
func BenchmarkWrite(b *testing.B) {
	rows := 20_000
	if given, err := strconv.Atoi(os.Getenv("WRITE_ROWS")); err == nil {
		rows = given
	}
	var text strings.Builder
	text.WriteString("name,email,note\n")
	for i := range rows {
		fmt.Fprintf(&text, "Ann Lee %d,,Head of department %d\n", i, i%100)
	}
	dir := b.TempDir()
	path := filepath.Join(dir, "list.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	source, err := listfile.New(listfile.Options{}, path)
	if err != nil {
		b.Fatal(err)
	}
	book := filepath.Join(dir, "list.xlsx")
	fill(b, source, book, false)
	workbook, err := listfile.New(listfile.Options{}, book)
	if err != nil {
		b.Fatal(err)
	}
	for _, test := range []struct {
		name string
		list *listfile.List
		out  string
	}{
		{"csv", source, "out.csv"},
		{"csv-to-xlsx", source, "out.xlsx"},
		{"xlsx", workbook, "again.xlsx"},
		{"xlsx-to-csv", workbook, "again.csv"},
		{"csv-to-ndjson", source, "out.ndjson"},
	} {
		b.Run(test.name, func(b *testing.B) {
			var used, ofCSV time.Duration
			for b.Loop() {
				start := cpuTime(b)
				fill(b, test.list, filepath.Join(dir, test.out), false)
				used += cpuTime(b) - start
				b.StopTimer()
				start = cpuTime(b)
				fill(b, source, filepath.Join(dir, "beside.csv"), false)
				ofCSV += cpuTime(b) - start
				b.StartTimer()
			}
			b.ReportMetric(used.Seconds()*1e3/float64(b.N), "cpu-ms/op")
			b.ReportMetric(used.Seconds()/ofCSV.Seconds(), "times-csv")
		})
	}
}
