package cost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

const (
	email     = enrich.Field(0)
	phone     = enrich.Field(1)
	allFields = enrich.Fields(1<<email | 1<<phone)
)

// standard are the prices of prepaid use (specification v1, "Allowances and rate card").
func standard() cost.Prices {
	return cost.Prices{email: 15 * cost.Cent, phone: 25 * cost.Cent}
}

// tariff has money and a free allowance for each field.
var tariff = cost.AllowancePerField(enrich.Named("work_email", "business_phone"))

// standardRates are the rates at the standard prices.
func standardRates() cost.Rates { return tariff.At(standard()) }

// of returns money and units of the free allowance of each field.
func of(money cost.Money, free enrich.ByField[int64]) cost.Amounts {
	return cost.OfMoney(money).Plus(tariff.AllowanceAmounts(free))
}

// units counts a unit for each of the fields.
func units(fields enrich.Fields) (units enrich.ByField[int64]) {
	for f := range fields.Each() {
		units[f] = 1
	}
	return units
}

func TestHoldSettle(t *testing.T) {
	none, emails, phones, both := enrich.Fields(0), enrich.FieldsOf(email), enrich.FieldsOf(phone), allFields
	tests := []struct {
		name                     string
		fields, free, returned   enrich.Fields
		held, charged            cost.Money
		chargedFree, chargedPaid enrich.Fields
	}{
		{"both paid, both returned", both, none, both, 40 * cost.Cent, 40 * cost.Cent, none, both},
		{"both paid, one returned", both, none, phones, 40 * cost.Cent, 25 * cost.Cent, none, phones},
		{"both paid, none returned", both, none, none, 40 * cost.Cent, 0, none, none},
		{"email free, both returned", both, emails, both, 25 * cost.Cent, 25 * cost.Cent, emails, phones},
		{"email free, email returned", both, emails, emails, 25 * cost.Cent, 0, emails, none},
		{"email free, phone returned", both, emails, phones, 25 * cost.Cent, 25 * cost.Cent, none, phones},
		{"both free, both returned", both, both, both, 0, 0, both, none},
		{"a field returned that was not asked for", emails, none, both, 15 * cost.Cent, 15 * cost.Cent, none, emails},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hold := cost.Hold{Fields: tt.fields, Free: tt.free, Rates: standardRates()}
			if got := hold.Amounts(); got != of(tt.held, units(tt.free)) {
				t.Errorf("holds %v, want $%s and the free units of %s", got, tt.held, tt.free)
			}
			want := cost.Charge{Amounts: of(tt.charged, units(tt.chargedFree)), Free: tt.chargedFree, Paid: tt.chargedPaid}
			if diff := cmp.Diff(want, hold.Settle(tt.returned)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// fieldSets generates sets of fields, the empty one too.
func fieldSets() *rapid.Generator[enrich.Fields] {
	return rapid.Map(rapid.Uint8Max(uint8(allFields)), func(bits uint8) enrich.Fields { return enrich.Fields(bits) })
}

func TestHoldCoversEveryCharge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hold := cost.Hold{
			Fields: fieldSets().Draw(t, "fields"),
			Rates:  tariff.At(cost.Prices{email: amounts().Draw(t, "email"), phone: amounts().Draw(t, "phone")}),
		}
		hold.Free = hold.Fields & fieldSets().Draw(t, "free")
		returned := fieldSets().Draw(t, "returned")
		charge := hold.Settle(returned)
		if !(cost.Amounts{}).Within(charge.Amounts) || !charge.Amounts.Within(hold.Amounts()) {
			t.Errorf("charges %v under a hold of %v", charge.Amounts, hold.Amounts())
		}
		if charge.Free&charge.Paid != 0 || charge.Free|charge.Paid != hold.Fields&returned {
			t.Errorf("charges %+v for the returned fields %s", charge, returned)
		}
		if all := hold.Settle(hold.Fields); all.Amounts != hold.Amounts() || all.Free != hold.Free {
			t.Errorf("charges %+v when everything is returned, under a hold of %v", all, hold.Amounts())
		}
	})
}

// TestAnAnswerIsBookedAsTheServiceReportsIt, also when that is more than the call held. The drift shows
// how much more it is.
func TestAnAnswerIsBookedAsTheServiceReportsIt(t *testing.T) {
	hold := cost.Hold{Fields: enrich.FieldsOf(email), Rates: standardRates()}
	const most = 15 * cost.Cent
	for reported, want := range map[cost.Money]struct{ booked, exceeded cost.Money }{
		0: {}, 10 * cost.Cent: {10 * cost.Cent, 0}, most: {most, 0}, 40 * cost.Cent: {40 * cost.Cent, 25 * cost.Cent}, -cost.Cent: {},
	} {
		charge := hold.Answered(enrich.Answered{Returned: hold.Fields, Consumed: []int64{int64(reported)}})
		if charge.Money() != want.booked || !hold.Follows(charge, hold.Fields) {
			t.Errorf("reported $%s: booked $%s, want $%s", reported, charge.Money(), want.booked)
		}
		var totals cost.Totals
		for range 3 { // of which two were given back
			totals.Hold(hold.Amounts())
		}
		for range 2 {
			totals.Release(hold.Amounts(), cost.Charge{})
		}
		totals.Release(hold.Amounts(), charge)
		if totals.Exceeded.Money() != want.exceeded {
			t.Errorf("reported $%s: $%s exceed the hold, want $%s", reported, totals.Exceeded.Money(), want.exceeded)
		}
		drift := cost.DriftOf(showing(cost.Dollar, 0), showing(cost.Dollar-want.booked, 0), totals, totals, tariff, false)
		if drift.Lost.Money() != want.exceeded {
			t.Errorf("reported $%s: the drift is $%s, want $%s", reported, drift.Lost.Money(), want.exceeded)
		}
	}
}

func TestAllowanceTake(t *testing.T) {
	type units = enrich.ByField[int64]
	of := tariff.AllowanceAmounts
	tests := []struct {
		name                string
		left, held, doubted units
		fields, free        enrich.Fields
		ok                  bool
	}{
		{"nothing left", units{}, units{}, units{}, allFields, 0, true},
		{"enough left", units{2, 1}, units{1, 0}, units{}, allFields, allFields, true},
		{"email left only", units{1, 0}, units{}, units{}, allFields, enrich.FieldsOf(email), true},
		{"the last one is held", units{1, 5}, units{1, 0}, units{}, allFields, 0, false},
		{"the last one is held, of a field not asked for", units{1, 5}, units{1, 0}, units{}, enrich.FieldsOf(phone), enrich.FieldsOf(phone), true},
		{"the last one is in doubt", units{1, 0}, units{}, units{1, 0}, enrich.FieldsOf(email), 0, true},
		{"one in doubt, one left", units{2, 0}, units{}, units{1, 0}, enrich.FieldsOf(email), enrich.FieldsOf(email), true},
		{"one in doubt, one held", units{2, 0}, units{1, 0}, units{1, 0}, enrich.FieldsOf(email), 0, false},
		{"more in doubt than left", units{1, 0}, units{}, units{2, 0}, enrich.FieldsOf(email), 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			free, ok := cost.Allowance{Left: of(tt.left), Held: of(tt.held), Doubted: of(tt.doubted)}.Take(tt.fields, standardRates())
			if free != tt.free || ok != tt.ok {
				t.Errorf("free %q, %t, want %q, %t", free, ok, tt.free, tt.ok)
			}
		})
	}
}

// TestAChargeIsLimitedToWhatIsLeft: money that the account does not show goes with the units that it is for.
func TestAChargeIsLimitedToWhatIsLeft(t *testing.T) {
	const call, emails cost.Meter = 1, 2
	rates := cost.Rates{0: {Uses: cost.Amounts{cost.USD: 20, emails: 1}, Call: cost.Amounts{cost.USD: 50, call: 1}}}
	whole := cost.Hold{Fields: 1, Rates: rates}.Settle(1)
	for name, c := range map[string]struct {
		left  cost.Amounts
		shown cost.Meters
		want  cost.Amounts
	}{
		"enough":               {cost.Amounts{call: 1, emails: 3}, cost.MetersOf(call, emails), cost.Amounts{cost.USD: 70, call: 1, emails: 1}},
		"nothing is told":      {cost.Amounts{}, 0, cost.Amounts{cost.USD: 70, call: 1, emails: 1}},
		"no email":             {cost.Amounts{call: 1}, cost.MetersOf(call, emails), cost.Amounts{cost.USD: 50, call: 1}},
		"nothing":              {cost.Amounts{}, cost.MetersOf(call, emails), cost.Amounts{}},
		"no call, emails hide": {cost.Amounts{}, cost.MetersOf(call), cost.Amounts{cost.USD: 20, emails: 1}},
		"some money":           {cost.Amounts{cost.USD: 30}, cost.MetersOf(cost.USD), cost.Amounts{cost.USD: 30, call: 1, emails: 1}},
		"less than nothing":    {cost.Amounts{call: -3, emails: 1}, cost.MetersOf(call, emails), cost.Amounts{cost.USD: 20, emails: 1}},
	} {
		got := whole.Limit(c.left, c.shown, rates)
		if got.Amounts != c.want || got.Reported != (c.want != whole.Amounts) || got.Fields() != whole.Fields() {
			t.Errorf("%s: %+v, want %v", name, got, c.want)
		}
		if !(cost.Hold{Fields: 1, Rates: rates}).Follows(got, 1) {
			t.Errorf("%s: %+v does not follow from its hold", name, got)
		}
	}
}
