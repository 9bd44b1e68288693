package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
)

// TestAnswers runs every way to spoil an answer twice: the lookup happened, and it
// did not.
func TestAnswers(t *testing.T) {
	broken := func(t *testing.T, _ answer, err error) {
		if !isBroken(err) {
			t.Errorf("error %v, want a broken connection", err)
		}
	}
	tests := []struct {
		fault sandbox.Fault
		check func(*testing.T, answer, error)
	}{
		{sandbox.Fault{Answer: sandbox.Dropped}, broken},
		{sandbox.Fault{Answer: sandbox.Truncated}, func(t *testing.T, r answer, err error) {
			if r.code != http.StatusOK || json.Valid([]byte(r.text)) || r.text == "" {
				t.Errorf("%d %q, want half of a body", r.code, r.text)
			}
			broken(t, r, err)
		}},
		{sandbox.Fault{Answer: sandbox.Garbage}, func(t *testing.T, r answer, err error) {
			if err != nil || r.code != http.StatusOK || json.Valid([]byte(r.text)) {
				t.Errorf("%d %q %v", r.code, r.text, err)
			}
		}},
		{sandbox.Fault{Answer: sandbox.ProxyPage}, func(t *testing.T, r answer, err error) {
			if err != nil || r.code != http.StatusBadGateway || !strings.HasPrefix(r.text, "<html>") {
				t.Errorf("%d %q %v", r.code, r.text, err)
			}
		}},
		{sandbox.Fault{Answer: sandbox.Bodyless, Status: 504}, func(t *testing.T, r answer, err error) {
			if err != nil || r.code != http.StatusGatewayTimeout || r.text != "" {
				t.Errorf("%d %q %v", r.code, r.text, err)
			}
		}},
		{sandbox.Fault{Answer: sandbox.Refused, Code: sandbox.TemporarilyUnavailable}, func(t *testing.T, r answer, _ error) {
			checkRefusal(t, r, http.StatusServiceUnavailable, sandbox.TemporarilyUnavailable, true)
		}},
	}
	for _, test := range tests {
		for _, happened := range []bool{false, true} {
			test.fault.Happened, test.fault.Max = happened, 1
			t.Run(test.fault.String(), func(t *testing.T) {
				overBoth(t, func(t *testing.T, over transport) {
					config := everybody()
					config.Faults = []sandbox.Fault{test.fault}
					w := open(t, config)
					r, err := over.ask(w, emailPath, ada)
					test.check(t, r, err)
					if ledger := w.audited(); (len(ledger.Charges) == 1) != happened || len(ledger.Arrivals) != 1 {
						t.Errorf("charges %v, but happened is %t", ledger.Charges, happened)
					}
					if r := over.must(w, emailPath, ada); r.result == nil {
						t.Errorf("the fault struck more than once: %d %s", r.code, r.text)
					}
				})
			})
		}
	}
}

func TestAHangingFaultWaitsForTheClient(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		for _, happened := range []bool{false, true} {
			config := everybody()
			config.Faults = []sandbox.Fault{{Answer: sandbox.Hanging, Happened: happened}}
			w := open(t, config)
			_, err := over.ask(w, emailPath, ada, func(r *http.Request) {
				ctx, cancel := context.WithTimeout(r.Context(), 50*time.Millisecond)
				t.Cleanup(cancel)
				*r = *r.WithContext(ctx)
			})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the client's own deadline", err)
			}
			if ledger := w.audited(); (len(ledger.Charges) == 1) != happened || ledger.Reserved != 0 {
				t.Errorf("happened is %t, charges %v", happened, ledger.Charges)
			}
		}
	})
}

// TestRefusals checks the table of codes (specification v1, "Errors").
func TestRefusals(t *testing.T) {
	tests := []struct {
		code      sandbox.ErrorCode
		status    int
		retryable bool
	}{
		{sandbox.InvalidIdentifiers, 400, false},
		{sandbox.PricingUnavailable, 400, false},
		{sandbox.InvalidAPIKey, 401, false},
		{sandbox.FreeAllowanceExhausted, 402, false},
		{sandbox.CreditsExhausted, 402, false},
		{sandbox.UsageBudgetReached, 402, false},
		{sandbox.WorkspaceInactive, 403, false},
		{sandbox.AccessRestricted, 403, false},
		{sandbox.ReservationConflict, 409, true},
		{sandbox.RateLimited, 429, true},
		{sandbox.AttemptLimitReached, 429, false},
		{sandbox.TemporarilyUnavailable, 503, true},
		{sandbox.ServiceMisconfigured, 500, false},
	}
	overBoth(t, func(t *testing.T, over transport) {
		w := open(t, everybody())
		for _, test := range tests {
			w.ClearFaults()
			if err := w.AddFault(sandbox.Fault{Answer: sandbox.Refused, Code: test.code}); err != nil {
				t.Fatal(err)
			}
			r := over.must(w, emailPath, ada)
			checkRefusal(t, r, test.status, test.code, test.retryable)
			if r.retryAfter != "" {
				t.Errorf("%s: an unasked Retry-After", test.code)
			}
		}
		if ledger := w.audited(); len(ledger.Charges) != 0 || len(ledger.Refused) != len(tests) {
			t.Errorf("charges %v, refused %v", ledger.Charges, ledger.Refused)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for _, test := range []struct {
		date bool
		want string
	}{{false, "8"}, {true, "Sat, 21 Nov 2026 02:37:08 GMT"}} {
		config := everybody()
		config.Now = newClock().now
		config.Faults = []sandbox.Fault{{
			Answer: sandbox.Refused, Code: sandbox.RateLimited, RetryAfter: 7100 * time.Millisecond, RetryDate: test.date,
		}}
		overBoth(t, func(t *testing.T, over transport) {
			if got := over.must(open(t, config), emailPath, ada).retryAfter; got != test.want {
				t.Errorf("Retry-After %q, want %q", got, test.want)
			}
		})
	}
}

func TestFaultEffectsChangeTheAccount(t *testing.T) {
	t.Run("the key is revoked from now on", func(t *testing.T) {
		config := everybody()
		config.Faults = []sandbox.Fault{{At: []int{2}, Effect: sandbox.KeyRevoked}}
		w := open(t, config)
		codes := []int{w.post(emailPath, ada).code, w.post(emailPath, ada).code, w.post(emailPath, ada).code}
		r, err := w.send(http.MethodGet, statusPath, "")
		if codes[0] != 200 || codes[1] != 401 || codes[2] != 401 || err != nil || r.code != 401 {
			t.Errorf("lookups %v, status %d %v", codes, r.code, err)
		}
	})
	t.Run("somebody else spends", func(t *testing.T) {
		config := everybody()
		config.Free = enrich.ByField[int64]{}
		config.IncludedCents, config.PrepaidCents, config.BudgetCapCents = 100, 0, cents(1000)
		config.Faults = []sandbox.Fault{{Max: 1, Effect: sandbox.CreditSpent, Amount: 90 * cost.Cent}}
		w := open(t, config)
		if r := w.post(emailPath, ada); r.errorCode() != sandbox.CreditsExhausted {
			t.Errorf("%d %s", r.code, r.text)
		}
		if spent, err := w.Workspace().SpendElsewhere(cost.Dollar); err != nil || spent != 10*cost.Cent {
			t.Errorf("of 10 cents %s were spent: %v", spent, err)
		}
		if ledger := w.audited(); ledger.SpentElsewhere != cost.Dollar || ledger.Available != 0 {
			t.Errorf("ledger %+v", ledger)
		}
	})
	t.Run("the budget is lowered", func(t *testing.T) {
		config := everybody()
		config.Free = enrich.ByField[int64]{}
		config.Faults = []sandbox.Fault{{At: []int{2}, Effect: sandbox.BudgetSet, Amount: 29 * cost.Cent}}
		w := open(t, config)
		first, second := w.post(emailPath, ada), w.post(emailPath, ada)
		if first.code != 200 || second.errorCode() != sandbox.UsageBudgetReached {
			t.Errorf("%d, then %d %s", first.code, second.code, second.text)
		}
		w.audited()
	})
}

func TestConditions(t *testing.T) {
	config := everybody()
	config.Seed = 7
	config.Faults = []sandbox.Fault{
		{At: []int{1, 3}, Answer: sandbox.Bodyless},
		{Identities: []string{"Grace-Hopper"}, Answer: sandbox.ProxyPage, Status: 503},
	}
	w := open(t, config)
	grace := strings.Replace(ada, "ada-lovelace", "grace-hopper", 1)
	for i, want := range []struct {
		body string
		code int
	}{{ada, 502}, {ada, 200}, {grace, 502}, {grace, 503}, {ada, 200}} {
		if r := w.post(emailPath, want.body); r.code != want.code {
			t.Errorf("arrival %d: %d, want %d", i+1, r.code, want.code)
		}
	}
	w.ClearFaults()
	if err := w.AddFault(sandbox.Fault{Probability: 0.25, Answer: sandbox.Bodyless}); err != nil {
		t.Fatal(err)
	}
	struck := 0
	for range 200 {
		if w.post(phonePath, ada).code == 502 {
			struck++
		}
	}
	if struck < 30 || struck > 70 {
		t.Errorf("a probability of a quarter struck %d of 200", struck)
	}
	if err := w.AddFault(sandbox.Fault{}); err == nil {
		t.Error("a fault that does nothing was taken")
	}
}
