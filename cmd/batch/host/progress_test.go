package host

import (
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
)

func TestABarFitsTheTerminal(t *testing.T) {
	p := &progress{
		now: time.Now, begun: time.Now(), total: 24000, rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, maxSpend: cost.Cents(500000),
		tally: dispatch.Tally{
			Lookups: 12000, Spent: cost.Cents(360000),
			Asked: enrich.ByField[int64]{100, 100}, Returned: enrich.ByField[int64]{66, 43},
		},
	}
	const left = "6h39m0s left"
	for columns, want := range map[int]string{
		-1: "$3600.00 of $5000.00, 66% email, 43% phone, " + left,
		80: "$3600.00 of $5000.00, 66% email, 43% phone, " + left,
		79: "$3600.00 of $5000.00, " + left,
		58: "$3600.00 of $5000.00, " + left,
		40: left,
	} {
		p.columns = func() int { return columns }
		if got := p.describe(); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}

// The rest takes as long as the limit makes it, and longer where the service is slow.
func TestTheTimeThatIsLeft(t *testing.T) {
	now := time.Now()
	p := &progress{now: func() time.Time { return now }, begun: now, total: 100, rate: checkpoint.Rate{Slots: 1000, Window: time.Second}}
	if got := p.left(); got != 0 {
		t.Errorf("%s left before the first lookup", got)
	}
	now = now.Add(20 * time.Second)
	p.tally.Lookups = 40
	if got := p.left(); got != 30*time.Second {
		t.Errorf("%s left after 40 lookups in 20s", got)
	}
	p.rate = checkpoint.Rate{Slots: 10, Window: time.Minute}
	if got, least := p.left(), cost.Duration(60, 10, time.Minute); got != least {
		t.Errorf("%s left, and the limit makes it %s", got, least)
	}
	p.tally.Wait.Until = now.Add(25 * time.Second)
	if got, least := p.left(), 25*time.Second+cost.Duration(60, 10, time.Minute); got != least {
		t.Errorf("%s left during a wait, and the limit makes it %s", got, least)
	}
}
