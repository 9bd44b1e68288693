package cost

import (
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

// The meters and rates of an interface whose calls use a unit whatever they return, and one more for each value
// of some fields.
const (
	unitMeter Meter = iota + 1
	emailMeter
	phoneMeter
)

func sharedTariff() Tariff {
	unit := Amounts{unitMeter: 1}
	return Tariff{
		Meters: []MeterInfo{{Name: "usd", Hidden: true}, {Name: "unit"}, {Name: "email"}, {Name: "phone"}},
		Rates: enrich.ByField[Rate]{
			{Call: unit},
			{Call: unit, Uses: Amounts{emailMeter: 1}, Varies: MetersOf(emailMeter)},
			{Call: unit, Uses: Amounts{phoneMeter: 1}, Varies: MetersOf(phoneMeter)},
		},
	}
}

func sharedRates() Rates { return sharedTariff().At(Prices{0: 0, 1: 0, 2: 0}) }

// TestACallForSeveralFieldsHoldsItsUnitOnce holds and settles calls for one field and for several.
func TestACallForSeveralFieldsHoldsItsUnitOnce(t *testing.T) {
	for fields, want := range map[enrich.Fields]Amounts{
		0: {}, 0b001: {0, 1}, 0b010: {0, 1, 1}, 0b110: {0, 1, 1, 1}, 0b111: {0, 1, 1, 1},
	} {
		hold := Hold{Fields: fields, Rates: sharedRates()}
		total, err := hold.Rates.Total(fields)
		if hold.Amounts() != want || total != want || err != nil {
			t.Errorf("fields %b hold %v, together %v, %v; want %v", fields, hold.Amounts(), total, err, want)
		}
		if got := hold.Settle(fields).Amounts; got != want {
			t.Errorf("all of the fields %b are charged %v, want %v", fields, got, want)
		}
	}
	hold := Hold{Fields: 0b111, Rates: sharedRates()}
	if got := hold.Settle(0b010).Amounts; got != (Amounts{0, 1, 1}) {
		t.Errorf("one field of three is charged %v", got)
	}
	nothing := hold.Answered(enrich.Answered{Consumed: []int64{0, 1}})
	if nothing.Amounts != (Amounts{0, 1}) || !hold.Follows(nothing, 0) {
		t.Errorf("an answer without a value is charged %+v", nothing)
	}
}

// TestEvidenceNeverFreesACallThatUsedItsUnit draws calls that were answered and calls that were lost. A lost call
// may have been answered, and others may use the account.
func TestEvidenceNeverFreesACallThatUsedItsUnit(t *testing.T) {
	fields := rapid.SampledFrom([]enrich.Fields{0b001, 0b010, 0b100, 0b011, 0b110, 0b111})
	rapid.Check(t, func(t *rapid.T) {
		rates := sharedRates()
		answer := func(asked enrich.Fields) (returned enrich.Fields, used Amounts) {
			returned = enrich.Fields(rapid.Uint8Range(0, 7).Draw(t, "returned")) & asked
			used = Amounts{unitMeter: 1}
			for f := range returned.Each() {
				used = used.Plus(rates[f].Uses)
			}
			return returned, used
		}
		var booked Totals
		var lost Amounts
		for _, asked := range rapid.SliceOfN(fields, 0, 4).Draw(t, "answered") {
			returned, used := answer(asked)
			lost, booked.Settled = lost.Plus(used), booked.Settled.Plus(used)
			for f := range returned.Each() {
				booked.Charged[f]++
				booked.Returned[f]++
			}
		}
		asked := rapid.SliceOfN(fields, 1, 4).Draw(t, "lost")
		used := make([]bool, len(asked))
		for i, of := range asked {
			if used[i] = rapid.Bool().Draw(t, "used"); used[i] {
				_, amounts := answer(of)
				lost = lost.Plus(amounts)
			}
		}
		exclusive := rapid.Bool().Draw(t, "exclusive")
		others := int64(0)
		if !exclusive {
			others = rapid.Int64Range(0, 2).Draw(t, "others")
		}
		lost[unitMeter] += others
		account := func(lost Amounts) (a Account) {
			for m := unitMeter; m <= phoneMeter; m++ {
				a.Left[m], a.Reserved[m] = Known(100-lost[m]), Known[int64](0)
			}
			return a
		}
		e := Evidence{
			Base: account(Amounts{}), Now: account(lost), Tariff: sharedTariff(), Rates: rates, Exclusive: exclusive, Booked: booked,
		}
		reconciled, why := e.Reconcile(asked)
		change := lost.Minus(booked.Settled)
		for i, of := range asked {
			switch reconciled[i].Result {
			case NotCharged:
				if used[i] {
					t.Fatalf("the call for %b used its unit and is not charged: %s", of, why)
				}
			case Charged:
				if !used[i] || !exclusive {
					t.Fatalf("the call for %b used nothing and is charged", of)
				}
			case Undecided:
				if change[unitMeter] == 0 {
					t.Fatalf("no unit is gone, and the call for %b is undecided: %s", of, why)
				}
			}
		}
	})
}
