package cost_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

func TestPeriodOf(t *testing.T) {
	east := time.FixedZone("east", 14*60*60)
	west := time.FixedZone("west", -11*60*60)
	tests := []struct {
		name       string
		at         time.Time
		day, month string
	}{
		{"the first moment of a month", time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), "2026-12-01", "2026-12"},
		{"the last moment of a month", time.Date(2026, 11, 30, 23, 59, 59, 999_999_999, time.UTC), "2026-11-30", "2026-11"},
		{"the last day of a leap February", time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC), "2028-02-29", "2028-02"},
		{"the last moment of a year", time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC), "2026-12-31", "2026-12"},
		{"already December in the east", time.Date(2026, 12, 1, 13, 59, 59, 0, east), "2026-11-30", "2026-11"},
		{"December in the east and in UTC", time.Date(2026, 12, 1, 14, 0, 0, 0, east), "2026-12-01", "2026-12"},
		{"still November in the west", time.Date(2026, 11, 30, 13, 0, 0, 0, west), "2026-12-01", "2026-12"},
		{"the year before in the west", time.Date(2026, 12, 31, 13, 0, 0, 0, west), "2027-01-01", "2027-01"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cost.Day.Of(tt.at); got != tt.day {
				t.Errorf("the day is %q, want %q", got, tt.day)
			}
			if got := cost.Month.Of(tt.at); got != tt.month {
				t.Errorf("the month is %q, want %q", got, tt.month)
			}
			if got := cost.Ever.Of(tt.at); got != "" {
				t.Errorf("what never renews has the period %q", got)
			}
		})
	}
}

// TestPeriodsDoNotDependOnTheTimeZone shows that a period does not depend on the time zone in
// which a moment is told, and that every day lies in one month.
func TestPeriodsDoNotDependOnTheTimeZone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "moment"), 0)
		zone := time.FixedZone("somewhere", rapid.IntRange(-14*60, 14*60).Draw(t, "minutes east")*60)
		for _, period := range []cost.Period{cost.Ever, cost.Day, cost.Month} {
			if here, there := period.Of(at.UTC()), period.Of(at.In(zone)); here != there {
				t.Errorf("%q in UTC is %q in %s", here, there, at.In(zone))
			}
		}
		if day, month := cost.Day.Of(at), cost.Month.Of(at); !strings.HasPrefix(day, month+"-") {
			t.Errorf("the day %s is not in the month %s", day, month)
		}
	})
}

func TestCeilingAt(t *testing.T) {
	at := time.Date(2026, 12, 1, 1, 0, 0, 0, time.FixedZone("east", 2*60*60))
	monthly := cost.Ceiling{Name: "monthly", Scope: "job/crm", Period: cost.Month, Limit: 7}
	daily := cost.Ceiling{Name: "daily", Scope: "job/crm", Period: cost.Day, Meter: cost.Lookups, Limit: 7}
	run := cost.SpendCeiling("max-spend", "run/a", 7)
	tests := []struct{ given, want cost.Ceiling }{
		{run, cost.Ceiling{Name: "max-spend", Scope: "run/a", Limit: 7}},
		{monthly, cost.Ceiling{Name: "monthly", Scope: "job/crm/2026-11", Limit: 7}},
		{daily, cost.Ceiling{Name: "daily", Scope: "job/crm/2026-11-30", Meter: cost.Lookups, Limit: 7}},
	}
	for _, tt := range tests {
		got := tt.given.At(at)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.given.Name, diff)
		}
		if again := got.At(at.AddDate(1, 0, 0)); again != got {
			t.Errorf("%s: the ceiling of a period moved on to %+v", tt.given.Name, again)
		}
	}
}

func TestCeilingFormatCountsLookups(t *testing.T) {
	ceiling := cost.Ceiling{Meter: cost.Lookups}
	for amount, want := range map[int64]string{0: "0 lookups", 1: "1 lookup", 2: "2 lookups", 21: "21 lookups"} {
		if got := ceiling.Format(amount); got != want {
			t.Errorf("%d is written as %q, want %q", amount, got, want)
		}
	}
}

func TestCeilingComputesUseAndNeedOfItsMeter(t *testing.T) {
	totals := cost.Totals{Settled: cost.OfMoney(3 * cost.Dollar), Held: cost.OfMoney(2 * cost.Dollar), Lookups: 20, Forfeited: 1, Uncharged: 2, Open: 5}
	free := cost.Hold{Fields: enrich.FieldsOf(email), Free: enrich.FieldsOf(email), Rates: standardRates()}
	paid := cost.Hold{Fields: allFields, Rates: standardRates()}
	money := cost.SpendCeiling("max-spend", "run", 4*cost.Dollar)
	lookups := cost.Ceiling{Name: "max-lookups", Scope: "run", Meter: cost.Lookups, Limit: 30}
	tests := []struct {
		ceiling                        cost.Ceiling
		used, left, needFree, needPaid int64
		text                           string
	}{
		{money, int64(5 * cost.Dollar), -int64(cost.Dollar), 0, int64(40 * cost.Cent), "$4.00"},
		{lookups, 28, 2, 1, 1, "30 lookups"},
	}
	for _, tt := range tests {
		t.Run(tt.ceiling.Name, func(t *testing.T) {
			if got := tt.ceiling.Used(totals); got != tt.used {
				t.Errorf("used %d, want %d", got, tt.used)
			}
			if got := tt.ceiling.Left(totals); got != tt.left {
				t.Errorf("left %d, want %d", got, tt.left)
			}
			if got := tt.ceiling.Need(free.Amounts()); got != tt.needFree {
				t.Errorf("a free lookup needs %d, want %d", got, tt.needFree)
			}
			if got := tt.ceiling.Need(paid.Amounts()); got != tt.needPaid {
				t.Errorf("a paid lookup needs %d, want %d", got, tt.needPaid)
			}
			if got := tt.ceiling.Format(tt.ceiling.Limit); got != tt.text {
				t.Errorf("the limit is written as %q, want %q", got, tt.text)
			}
		})
	}
}

func TestRefusingReturnsTheMostRestrictiveCeilingThatIsPassed(t *testing.T) {
	totals := map[string]cost.Totals{"run": {Settled: cost.OfMoney(90 * cost.Cent), Lookups: 6, Open: 1}, "month": {Held: cost.OfMoney(2 * cost.Dollar)}}
	hold := cost.Hold{Fields: allFields, Rates: standardRates()} // 40 cents
	free := cost.Hold{Fields: allFields, Free: allFields, Rates: standardRates()}
	fits := cost.SpendCeiling("fits", "run", 130*cost.Cent)
	short := cost.SpendCeiling("short", "run", 129*cost.Cent)
	shorter := cost.SpendCeiling("shorter", "month", 210*cost.Cent)
	passed := cost.SpendCeiling("passed", "month", cost.Dollar)
	room := cost.Ceiling{Name: "room", Scope: "run", Meter: cost.Lookups, Limit: 8}
	full := cost.Ceiling{Name: "full", Scope: "run", Meter: cost.Lookups, Limit: 7}
	tests := []struct {
		name     string
		ceilings []cost.Ceiling
		hold     cost.Hold
		want     string // the ceiling that refuses; "" when it fits
	}{
		{"no ceilings", nil, hold, ""},
		{"to the last cent and the last lookup", []cost.Ceiling{fits, room}, hold, ""},
		{"a cent short", []cost.Ceiling{fits, short, room}, hold, "short"},
		{"the one with the least left", []cost.Ceiling{short, shorter}, hold, "shorter"},
		{"the one with the least left, passed already", []cost.Ceiling{passed, shorter}, hold, "passed"},
		{"of equals the first", []cost.Ceiling{short, short}, hold, "short"},
		{"the number of lookups", []cost.Ceiling{fits, full}, hold, "full"},
		{"a free lookup fits under money that is gone", []cost.Ceiling{passed, short, room}, free, ""},
		{"a free lookup is a lookup", []cost.Ceiling{passed, full}, free, "full"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refused := cost.Refusing(tt.ceilings, tt.hold.Amounts(), func(scope string) cost.Totals { return totals[scope] })
			if got.Name != tt.want || refused != (tt.want != "") {
				t.Errorf("refused by %q, %t, want %q", got.Name, refused, tt.want)
			}
		})
	}
}

func TestMostRestrictive(t *testing.T) {
	totals := map[string]cost.Totals{
		"run":     {Settled: cost.OfMoney(3 * cost.Dollar), Held: cost.OfMoney(cost.Dollar)},
		"month":   {Settled: cost.OfMoney(50 * cost.Dollar)},
		"account": {Held: cost.OfMoney(2 * cost.Dollar)},
	}
	run := cost.SpendCeiling("max-spend", "run", 10*cost.Dollar)
	month := cost.SpendCeiling("monthly", "month", 55*cost.Dollar)
	balance := cost.SpendCeiling("account balance", "account", 8*cost.Dollar)
	over := cost.SpendCeiling("usage budget", "account", cost.Dollar)
	lookups := cost.Ceiling{Name: "max-lookups", Scope: "run", Meter: cost.Lookups, Limit: 1}
	tests := []struct {
		name     string
		ceilings []cost.Ceiling
		want     cost.Ceiling
		left     cost.Money
		found    bool
	}{
		{"none", nil, cost.Ceiling{}, 0, false},
		{"none on money", []cost.Ceiling{lookups}, cost.Ceiling{}, 0, false},
		{"one", []cost.Ceiling{run}, run, 6 * cost.Dollar, true},
		{"one on money", []cost.Ceiling{lookups, run}, run, 6 * cost.Dollar, true},
		{"the last is the most restrictive", []cost.Ceiling{run, month}, month, 5 * cost.Dollar, true},
		{"the first is the most restrictive", []cost.Ceiling{month, run}, month, 5 * cost.Dollar, true},
		{"of equals the first", []cost.Ceiling{run, balance}, run, 6 * cost.Dollar, true},
		{"exceeded", []cost.Ceiling{run, over, month}, over, -cost.Dollar, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, left, found := cost.MostRestrictive(tt.ceilings, func(scope string) cost.Totals { return totals[scope] })
			if left != tt.left || found != tt.found {
				t.Errorf("left %s, %t, want %s, %t", left, found, tt.left, tt.found)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
