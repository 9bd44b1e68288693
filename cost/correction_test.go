package cost

import (
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

func TestCorrect(t *testing.T) {
	for name, c := range map[string]struct {
		base, now  Account
		booked     Totals
		candidates enrich.ByField[int64]
		want       Correction
	}{
		"the ledger equals the account": {
			snapshot(1, 0, Dollar), snapshot(0, 0, Dollar-15*Cent), booked(enrich.ByField[int64]{2, 0}, enrich.ByField[int64]{1, 0}, cardRates), enrich.ByField[int64]{1, 0}, Correction{},
		},
		"a lost call left its unit to an answer": {
			snapshot(1, 0, Dollar), snapshot(0, 0, Dollar), booked(enrich.ByField[int64]{1, 0}, enrich.ByField[int64]{}, cardRates), enrich.ByField[int64]{1, 0}, Correction{1, 0},
		},
		"somebody else spent the same": {
			snapshot(1, 0, Dollar), snapshot(0, 0, Dollar-15*Cent), booked(enrich.ByField[int64]{1, 0}, enrich.ByField[int64]{}, cardRates), enrich.ByField[int64]{1, 0}, Correction{},
		},
		"the phoneField was free, not the email": {
			snapshot(1, 1, Dollar), snapshot(0, 0, Dollar-15*Cent), booked(enrich.ByField[int64]{1, 1}, enrich.ByField[int64]{}, cardRates), enrich.ByField[int64]{1, 1}, Correction{0, 1},
		},
		"no candidate is left": {
			snapshot(1, 0, Dollar), snapshot(0, 0, Dollar), booked(enrich.ByField[int64]{1, 0}, enrich.ByField[int64]{}, cardRates), enrich.ByField[int64]{}, Correction{},
		},
		"a deposit": {
			snapshot(1, 0, Dollar), snapshot(0, 0, 26*Dollar), booked(enrich.ByField[int64]{1, 0}, enrich.ByField[int64]{}, cardRates), enrich.ByField[int64]{1, 0}, Correction{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			evidence := Evidence{Base: c.base, Now: c.now, Booked: c.booked, Tariff: tariff, Rates: cardRates}
			if got := evidence.Correct(c.candidates); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestACorrectedLedgerEqualsTheAccount draws what answers cost an account that nobody else
// uses, and books any of the free ones as paid.
func TestACorrectedLedgerEqualsTheAccount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var answered, used, bookedFree, candidates enrich.ByField[int64]
		var paid Money
		for f := range bothOf.Each() {
			units := rapid.Int64Range(0, 4).Draw(t, "free units")
			answered[f] = rapid.Int64Range(0, 6).Draw(t, "answered")
			used[f] = min(units, answered[f])
			bookedFree[f] = rapid.Int64Range(0, used[f]).Draw(t, "booked free")
			candidates[f] = min(units-bookedFree[f], answered[f]-bookedFree[f])
			paid += cardRates[enrich.Field(f)].Price().Times(answered[f] - used[f])
		}
		evidence := Evidence{
			Base: snapshot(9, 9, 100*Dollar), Now: snapshot(9-used[0], 9-used[1], 100*Dollar-paid),
			Booked: booked(answered, bookedFree, cardRates), Tariff: tariff, Rates: cardRates,
		}
		settled := evidence.Booked.Settled.Money()
		for f, n := range evidence.Correct(candidates) {
			settled -= cardRates[enrich.Field(f)].Price().Times(n)
		}
		if settled != paid {
			t.Fatalf("booked %s after the correction, and the account paid %s", settled, paid)
		}
	})
}

func TestCorrectAmountOfACharge(t *testing.T) {
	charge := Hold{Fields: bothOf, Rates: cardRates}.Settle(bothOf)
	got := charge.Correct(phoneOnly, cardRates)
	if want := (Charge{Amounts: amounts(15*Cent, enrich.ByField[int64]{0, 1}), Free: phoneOnly, Paid: emailOnly}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if again := got.Correct(phoneOnly, cardRates); again != got {
		t.Errorf("a second correction makes it %+v", again)
	}
}

// TestACorrectionBooksNoLessThanWasCharged: the account shows whole cents.
func TestACorrectionBooksNoLessThanWasCharged(t *testing.T) {
	prices := at(Prices{emailField: 12*Cent + Cent/2, phoneField: 15 * Cent})
	got := CorrectTo(12*Cent, 27*Cent+Cent/2, enrich.ByField[int64]{1, 1}, prices)
	if want := (Correction{0, 1}); got != want {
		t.Errorf("%v, want %v: the emailField was charged", got, want)
	}
}
