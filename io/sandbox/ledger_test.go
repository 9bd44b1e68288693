package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/io/service/v1"
)

// TestTheSecondWriterOfALedgerIsRefused: a ledger that two processes have open stays whole. Whoever comes second
// with an entry is refused, and told why; what it has read it can still show.
func TestTheSecondWriterOfALedgerIsRefused(t *testing.T) {
	config := someConfig()
	config.LedgerPath = filepath.Join(t.TempDir(), "books")
	first, second := openLedgerOn(t, config), openLedgerOn(t, config)
	if a := first.Arrive(lookupIn(v1.AllFields, "Ada")); a.Code != "" {
		t.Fatalf("the first arrival: %+v", a)
	}
	for range 2 {
		a := second.Arrive(lookupIn(v1.AllFields, "Eve"))
		if a.Code != ServiceMisconfigured || !strings.Contains(a.Why, "another process") || !strings.Contains(a.Why, config.LedgerPath) {
			t.Errorf("an arrival in a ledger that somebody else wrote into: %+v", a)
		}
	}
	if _, code := second.Status(ConfiguredKey); code != "" {
		t.Errorf("the status is refused with %s", code)
	}
	if a := first.Arrive(lookupIn(v1.AllFields, "Max")); a.Code != "" {
		t.Errorf("the second arrival of the first process: %+v", a)
	}
	_, _ = first.Close(), second.Close()
	again := openLedgerOn(t, config)
	defer again.Close()
	if n := len(again.Snapshot().Arrivals); n != 2 {
		t.Errorf("%d arrivals, want 2", n)
	}
}

// A reader that comes while a line is being written does not cut it off.
func TestOpenWhileAnotherProcessWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	config := someConfig()
	config.LedgerPath = filepath.Join(t.TempDir(), "books")
	writer := openLedgerOn(t, config)
	defer writer.Close()
	done := make(chan error, 1)
	const arrivals = 300
	go func() {
		for range arrivals {
			if a := writer.Arrive(lookupIn(v1.AllFields, strings.Repeat("Ada", 2000))); a.Code != "" && a.Code != RateLimited {
				done <- errors.New(a.Why)
				return
			}
		}
		done <- nil
	}()
	for writing := true; writing; {
		select {
		case err := <-done:
			if writing = false; err != nil {
				t.Fatal(err)
			}
		default:
			_ = openLedgerOn(t, config).Close()
		}
	}
	again := openLedgerOn(t, config)
	defer again.Close()
	if n := len(again.Snapshot().Arrivals); n != arrivals {
		t.Errorf("%d arrivals, want %d", n, arrivals)
	}
}

// TestEntryThatCannotBeWritten: a moment that no entry can hold is the caller's fault
// and does not end the ledger.
func TestEntryThatCannotBeWritten(t *testing.T) {
	far := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -14*60*60))
	l := newLedgered(t, func(*LedgerConfig) {})
	if err := l.ExpireKey(ConfiguredKey, far); !errors.Is(err, ErrInvalid) {
		t.Errorf("a key that expires in the year 10000: %v", err)
	}
	if _, _, err := l.CreateKey(NewKey{Name: "agent", Expires: far}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a new key that expires in the year 10000: %v", err)
	}
	if err := l.ledger.Record(LedgerEntry{Kind: keyExpirySet, At: far.UTC()}); err == nil {
		t.Error("an entry of the year 10000 was written")
	}
	if err := l.SetAttemptLimit(7); err != nil {
		t.Errorf("the ledger takes nothing more: %v", err)
	}
	if text, err := os.ReadFile(l.config.LedgerPath); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%v; the ledger holds %q", err, text)
	}
}
