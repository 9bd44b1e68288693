package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox/kit"
	"payonce/io/service/v1"
)

// someConfig returns the ledger of a small account.
func someConfig() LedgerConfig {
	budgetCap := int64(100_000)
	return LedgerConfig{
		Key: "sandbox-key", Window: kit.Window{Limit: 30, Per: time.Minute}, Plan: "core",
		Free:          enrich.ByField[int64]{20, 5},
		IncludedCents: 4_900, PrepaidCents: 95_100, BudgetCapCents: &budgetCap,
	}
}

// lookupIn returns a request for somebody with the configured key.
func lookupIn(fields enrich.Fields, first string) LookupRequest {
	return LookupRequest{
		Path: "/api/v1/contacts/" + v1.OperationOf(fields).String(), Transport: "rest",
		Key: ConfiguredKey, Identity: "name:" + first, Fields: fields,
	}
}

func openLedgerOn(t interface {
	Helper()
	Fatal(...any)
}, config LedgerConfig,
) *Ledger {
	t.Helper()
	s, err := openLedger(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func checkBalance(t *rapid.T, s *Ledger) {
	if err := s.Audit(); err != nil {
		t.Fatal(err)
	}
	shown := s.workspaceStatus("", s.clock())
	if b := shown.PaidBalance; b.AvailableCents < 0 || b.IncludedCents < 0 || b.PrepaidCents < 0 {
		t.Fatalf("balance %+v", b)
	}
	if b := shown.UsageBudget; b != nil && b.RemainingCents < 0 {
		t.Fatalf("budget %+v", b)
	}
}

// checkSame compares what two servers know, and what they would do next.
func checkSame(t interface{ Fatalf(string, ...any) }, before, after *Ledger) {
	if diff := cmp.Diff(before.Snapshot(), after.Snapshot()); diff != "" {
		t.Fatalf("ledger (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(status(before), status(after)); diff != "" {
		t.Fatalf("status (-before +after):\n%s", diff)
	}
	now := before.clock()
	if b, a := before.window.Wait(now), after.window.Wait(now); b != a {
		t.Fatalf("the window was closed for %s, and after the restart for %s", b, a)
	}
	if diff := cmp.Diff(before.Keys(), after.Keys()); diff != "" {
		t.Fatalf("keys (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before.Payments(), after.Payments()); diff != "" {
		t.Fatalf("payments (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before.Log(), after.Log()); diff != "" {
		t.Fatalf("log (-before +after):\n%s", diff)
	}
}

// TestKill ends a service in the middle of a lookup, without Close.
func TestKill(t *testing.T) {
	config := someConfig()
	config.LedgerPath = filepath.Join(t.TempDir(), "books")
	config.Window.Limit, config.AttemptLimit = 4, 5
	config.Free = enrich.ByField[int64]{1, 0}
	s := openLedgerOn(t, config)
	for range 2 {
		a := s.Arrive(lookupIn(v1.AllFields, "Zoë"))
		if code := s.Reserve(a.Number, v1.AllFields); code != "" {
			t.Fatal(code)
		}
		if err := s.Settle(a.Number, "req_1", v1.AllFields); err != nil {
			t.Fatal(err)
		}
	}
	a := s.Arrive(lookupIn(v1.AllFields, "Max"))
	if err := s.Refuse(a.Number, ReservationConflict); err != nil {
		t.Fatal(err)
	}
	before := s.Snapshot()
	a = s.Arrive(lookupIn(v1.AllFields, "Eve")) // its reservation dies with the service
	if code := s.Reserve(a.Number, v1.AllFields); code != "" {
		t.Fatal(code)
	}

	after := openLedgerOn(t, config)
	ledger := after.Snapshot()
	if len(ledger.Arrivals) != 4 || ledger.Charged != 65*cost.Cent || ledger.FreeUsed != (FieldUnits{1, 0}) || ledger.Reserved != 0 {
		t.Errorf("ledger after the restart: %+v", ledger)
	}
	if diff := cmp.Diff(before.Charges, ledger.Charges); diff != "" {
		t.Errorf("charges (-before +after):\n%s", diff)
	}
	if a := after.Arrive(lookupIn(v1.AllFields, "Eve")); a.Number != 5 || a.Code != RateLimited {
		t.Errorf("the fifth arrival is %+v; the window was forgotten", a)
	}
	if err := after.Audit(); err != nil {
		t.Error(err)
	}
	if err := after.RevokeKey(ConfiguredKey); err != nil {
		t.Error(err)
	}
	if a := openLedgerOn(t, config).Arrive(lookupIn(v1.AllFields, "Eve")); a.Number != 6 || a.Code != InvalidAPIKey {
		t.Errorf("the sixth arrival is %+v; the revocation was forgotten", a)
	}
}

// writeLedger fills the file of a ledger with one settled lookup and returns its text.
func writeLedger(t *testing.T, config LedgerConfig) string {
	t.Helper()
	s := openLedgerOn(t, config)
	a := s.Arrive(lookupIn(v1.AllFields, "Ada"))
	_ = s.Reserve(a.Number, v1.AllFields)
	if err := s.Settle(a.Number, "req_1", v1.AllFields); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(config.LedgerPath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestALedgerCutAtAnyByteKeepsItsWholeEntries cuts the file at every byte: what is whole stays, what is torn
// goes, and the ledger can be written on.
func TestALedgerCutAtAnyByteKeepsItsWholeEntries(t *testing.T) {
	config := someConfig()
	config.LedgerPath = filepath.Join(t.TempDir(), "books")
	text := writeLedger(t, config)
	for length := range len(text) {
		if err := os.WriteFile(config.LedgerPath, []byte(text[:length]), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := max(0, strings.Count(text[:length], "\n")-1)
		s := openLedgerOn(t, config)
		if ledger := s.Snapshot(); len(ledger.Arrivals) != min(lines, 1) || (len(ledger.Charges) > 0) != (lines == 2) {
			t.Fatalf("%d bytes: %+v", length, ledger)
		}
		s.Arrive(lookupIn(v1.AllFields, "Eve"))
		_ = s.Close()
		again := openLedgerOn(t, config)
		if n := len(again.Snapshot().Arrivals); n != min(lines, 1)+1 {
			t.Fatalf("%d bytes: %d arrivals after writing on", length, n)
		}
		_ = again.Close()
	}
}

func TestAnUnusableLedgerIsRefusedAndNotChanged(t *testing.T) {
	config := someConfig()
	config.LedgerPath = filepath.Join(t.TempDir(), "books")
	text := writeLedger(t, config)
	poor := config
	poor.Free = enrich.ByField[int64]{}
	tests := []struct {
		name   string
		config LedgerConfig
		text   string
		want   string
	}{
		{"another file", config, "name,email\nAda,", "something else"},
		{"another file without a line", config, "Ada", "something else"},
		{"a bad line in the middle", config, strings.Replace(text, `{"kind":"arrived"`, `{"kind:"arrived"`, 1), "line 2"},
		{"an unknown kind", config, strings.Replace(text, `"kind":"settled"`, `"kind":"gifted"`, 1), `line 3: an entry of the unknown kind "gifted"`},
		{"an unknown member", config, strings.Replace(text, `"kind":"settled"`, `"kind":"settled","tip":1`, 1), "line 3"},
		{"an unknown field", config, strings.Replace(text, `{"field":"work_email"`, `{"field":"fax"`, 1), `"fax" is not a field`},
		{"arrivals out of order", config, strings.Replace(text, `"number":1`, `"number":2`, 1), "arrival 2 where 1 was to come"},
		{"a settlement of nobody", config, ledgerHeader + strings.SplitAfter(text, "\n")[2], "arrival 1 has not arrived"},
		{"more charged than there is", poor, text, "configure at least as much"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(config.LedgerPath, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := openLedger(test.config)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), config.LedgerPath) {
				t.Errorf("error %v, want one with %q and the file's name", err, test.want)
			}
			if left, _ := os.ReadFile(config.LedgerPath); string(left) != test.text {
				t.Error("the file was changed")
			}
		})
	}
}

// FuzzRestore: no file makes the ledger panic, and what it accepts it keeps.
func FuzzRestore(f *testing.F) {
	f.Add("")
	f.Add(ledgerHeader + `{"kind":"arrived","at":"2026-11-21T02:37:00Z","number":1}` + "\n" + `{"kind":"set`)
	f.Add(ledgerHeader + `{"kind":"budget_set","at":"2026-11-21T02:37:00Z","amount":"-0.01"}` + "\n")
	f.Add(ledgerHeader + `{"kind":"budget_set"}` + "\n")
	path := filepath.Join(f.TempDir(), "books")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		config := someConfig()
		config.LedgerPath = path
		s, err := openLedger(config)
		if err != nil {
			return
		}
		before := s.Snapshot() // with what time has brought about since
		_ = s.Close()
		again := openLedgerOn(t, config)
		defer again.Close()
		if diff := cmp.Diff(before, again.Snapshot()); diff != "" {
			t.Errorf("opened twice (-first +second):\n%s", diff)
		}
	})
}

// status returns what the configured key gets to see, as text.
func status(b *Ledger) string {
	shown, code := b.Status(ConfiguredKey)
	text, err := json.Marshal(shown)
	if err != nil {
		panic(err)
	}
	return string(text) + string(code)
}
