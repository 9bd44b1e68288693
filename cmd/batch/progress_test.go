package main

import (
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
)

func TestABarFitsTheTerminal(t *testing.T) {
	p := &progress{
		total: 24000, rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, maxSpend: cost.Cents(500000),
		tally: pipeline.Tally{
			Lookups: 12000, Spent: cost.Cents(360000),
			Asked: [enrich.NumFields]int64{100, 100}, Returned: [enrich.NumFields]int64{66, 43},
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
