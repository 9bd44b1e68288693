package sandbox

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox/kit"
	"payonce/io/service/v1"
)

// TestMemoryDoesNotGrowWithLookups settles many lookups in a ledger that keeps few of them.
func TestMemoryDoesNotGrowWithLookups(t *testing.T) {
	config := someConfig()
	config.KeepArrivals, config.Window = 100, kit.Window{Limit: 1_000_000, Per: time.Second}
	config.Free, config.BudgetCapCents, config.PrepaidCents = enrich.ByField[int64]{}, nil, 1_000_000_000
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	config.Now = func() time.Time { now = now.Add(time.Second); return now }
	b := openLedgerOn(t, config)
	defer b.Close()
	fields := enrich.FieldsOf(v1.WorkEmail)
	lookups := 0
	settle := func(count int) {
		for range count {
			lookups++
			a := b.Arrive(lookupIn(fields, strconv.Itoa(lookups)))
			if a.Code == "" {
				a.Code = b.Reserve(a.Number, fields)
			}
			if a.Code != "" {
				t.Fatalf("lookup %d: %s %s", lookups, a.Code, a.Why)
			}
			if err := b.Settle(a.Number, "req_"+strconv.Itoa(lookups), fields); err != nil {
				t.Fatal(err)
			}
		}
	}
	held := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	settle(2_000)
	least := ^uint64(0)
	for range 3 { // other goroutines allocate too
		before := held()
		settle(10_000)
		least = min(least, max(held(), before)-before)
	}
	if s := b.Snapshot(); least > 200_000 || s.Older+len(s.Arrivals) != lookups {
		t.Errorf("10,000 lookups keep %d bytes; %d of %d are counted", least, s.Older+len(s.Arrivals), lookups)
	}
}
