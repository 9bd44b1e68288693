package pipeline

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// planningHeap returns the most bytes of live objects while a list of companies is planned: the least of
// several plans, or the first that is enough. The heap is looked at all the time, because scans and indexes
// come and go.
func planningHeap(t *testing.T, companies int, enough uint64) uint64 {
	t.Helper()
	dir := t.TempDir()
	list := filepath.Join(dir, "list.csv")
	file, err := os.Create(list)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(file)
	fmt.Fprintln(out, "Company,Country,Website")
	for i := range companies {
		website := ""
		if i%2 == 0 {
			website = fmt.Sprintf("https://www.acme-%d.example/about", i)
		}
		fmt.Fprintf(out, "Acme %d Ltd,GB,%s\n", i, website)
	}
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
	o := PlanOptions{List: runOf(list, "company").List, Offline: true}
	least := ^uint64(0)
	for n := 0; n < 2 && least > enough; n++ {
		ended, most := make(chan struct{}), make(chan uint64)
		go func() {
			peak := uint64(0)
			for {
				var memory runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&memory)
				peak = max(peak, memory.HeapAlloc)
				select {
				case <-ended:
					most <- peak
					return
				default:
				}
			}
		}()
		planned, err := bothIn(dir).Plan(t.Context(), o)
		close(ended)
		least = min(least, <-most)
		if err != nil || planned.Plan.Rows.Total != int64(companies) {
			t.Fatalf("%+v, %v", planned, err)
		}
	}
	return least
}

// TestALongListOfCompaniesPlansInBoundedMemory compares a plan of many companies with one of a third of them.
// A row takes two bytes in the scan of each step and in the index of each step before. What else is known
// of the companies goes to temporary files, once it does not fit into the memory that the user gives.
func TestALongListOfCompaniesPlansInBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds and tells nothing about data races")
	}
	const few, many, perRow = 40_000, 400_000, 100 // 50 were measured; of fewer rows the noise is larger
	small := planningHeap(t, few, 0)
	limit := small + (many-few)*perRow
	large := planningHeap(t, many, limit)
	t.Logf("%d companies: %d bytes; %d companies: %d bytes", few, small, many, large)
	if large > limit {
		t.Errorf("%d companies take %d bytes, and %d take %d; want at most %d", few, small, many, large, limit)
	}
}
