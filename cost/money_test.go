package cost_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/cost"
)

func TestParseMoney(t *testing.T) {
	tests := []struct {
		text   string
		want   cost.Money
		format string
	}{
		{"0", 0, "0.00"},
		{"3", 3 * cost.Dollar, "3.00"},
		{"0.15", 15 * cost.Cent, "0.15"},
		{"$12.50", 12*cost.Dollar + 50*cost.Cent, "12.50"},
		{"0.1", 10 * cost.Cent, "0.10"},
		{"0.125", 125_000, "0.125"},
		{"0.000001", 1, "0.000001"},
		{"0.100000", 10 * cost.Cent, "0.10"},
		{"007.5", 7*cost.Dollar + 50*cost.Cent, "7.50"},
		{"1000000000", cost.MaxMoney, "1000000000.00"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := cost.ParseMoney(tt.text)
			if err != nil || got != tt.want {
				t.Errorf("%d, error %v, want %d", got, err, tt.want)
			}
			if got.String() != tt.format {
				t.Errorf("written as %q, want %q", got, tt.format)
			}
		})
	}
}

func TestParseMoneyErrors(t *testing.T) {
	texts := []string{
		"", "$", ".", "1.", ".5", "-1", "+1", "--1", "$-1", "$$1", "1$", " 1", "1 ", "1,000", "1_000", "1.2.3", "1e3", "0x10",
		"1.1e1", "NaN", "Inf", "٣", "１", "one", "0.0000001", "1000000000.000001", "99999999999999999999999999", "USD 1",
	}
	for _, text := range texts {
		t.Run(text, func(t *testing.T) {
			got, err := cost.ParseMoney(text)
			if !errors.Is(err, cost.ErrNotMoney) || got != 0 {
				t.Fatalf("%s, error %v", got, err)
			}
			if !strings.Contains(err.Error(), `"`+text+`"`) {
				t.Errorf("the error does not show what was read: %v", err)
			}
		})
	}
}

// amounts generates amounts that ParseMoney accepts.
func amounts() *rapid.Generator[cost.Money] {
	return rapid.Map(rapid.Int64Range(0, int64(cost.MaxMoney)), func(micros int64) cost.Money { return cost.Money(micros) })
}

func TestMoneyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := amounts().Draw(t, "amount")
		text := amount.String()
		if got, err := cost.ParseMoney(text); err != nil || got != amount {
			t.Errorf("%d is written as %q and read as %d, error %v", amount, text, got, err)
		}
		whole, decimals, _ := strings.Cut(text, ".")
		if whole == "" || len(decimals) < 2 || len(decimals) > 2 && strings.HasSuffix(decimals, "0") {
			t.Errorf("%q has too few or too many digits", text)
		}
	})
}

func TestMoneyJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := amounts().Draw(t, "amount")
		if rapid.Bool().Draw(t, "negative") {
			amount = -amount
		}
		encoded, err := json.Marshal(amount)
		if err != nil || string(encoded) != `"`+amount.String()+`"` {
			t.Fatalf("%s, error %v", encoded, err)
		}
		var got cost.Money
		if err := json.Unmarshal(encoded, &got); err != nil || got != amount {
			t.Errorf("%d is written as %s and read as %d, error %v", amount, encoded, got, err)
		}
	})
}

func TestMoneyUnmarshalErrors(t *testing.T) {
	for _, text := range []string{`""`, `"-"`, `"--1"`, `"1e2"`, `0.15`, `true`} {
		var got cost.Money
		if err := json.Unmarshal([]byte(text), &got); err == nil || got != 0 {
			t.Errorf("%s: read as %s, error %v", text, got, err)
		}
	}
}

func TestMoneyString(t *testing.T) {
	tests := map[cost.Money]string{
		-500:             "-0.0005",
		-15 * cost.Cent:  "-0.15",
		cost.Cents(4900): "49.00",
		math.MaxInt64:    "9223372036854.775807",
		math.MinInt64:    "-9223372036854.775808",
	}
	for amount, want := range tests {
		if got := amount.String(); got != want {
			t.Errorf("%d is written as %q, want %q", int64(amount), got, want)
		}
	}
}

func TestMoneyTimes(t *testing.T) {
	tests := []struct {
		amount cost.Money
		n      int64
		want   cost.Money
	}{
		{15 * cost.Cent, 0, 0},
		{15 * cost.Cent, 3, 45 * cost.Cent},
		{0, math.MaxInt64, 0},
		{1, math.MaxInt64, math.MaxInt64},
		{2, math.MaxInt64/2 + 1, math.MaxInt64},
		{cost.MaxMoney, 10_000, math.MaxInt64},
	}
	for _, tt := range tests {
		if got := tt.amount.Times(tt.n); got != tt.want {
			t.Errorf("%s times %d is %s, want %s", tt.amount, tt.n, got, tt.want)
		}
	}
}

func TestMoneyPlusSaturatesAtTheMaximum(t *testing.T) {
	tests := []struct{ a, b, want cost.Money }{
		{15 * cost.Cent, 25 * cost.Cent, 40 * cost.Cent},
		{math.MaxInt64 - 1, 1, math.MaxInt64},
		{math.MaxInt64, 1, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64},
	}
	for _, tt := range tests {
		if got := tt.a.Plus(tt.b); got != tt.want {
			t.Errorf("%d and %d are %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzParseMoney(f *testing.F) {
	for _, text := range []string{"0", "3.00", "$12.5", "0.000001", "-1", "1e3", "1000000000.000001"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, err := cost.ParseMoney(text)
		if err != nil {
			if amount != 0 || !errors.Is(err, cost.ErrNotMoney) {
				t.Errorf("%q: %d, error %v", text, amount, err)
			}
			return
		}
		if amount < 0 || amount > cost.MaxMoney {
			t.Errorf("%q: %d is out of range", text, amount)
		}
		if again, err := cost.ParseMoney(amount.String()); err != nil || again != amount {
			t.Errorf("%q: %d is written as %q and read as %d, error %v", text, amount, amount, again, err)
		}
	})
}
