package forecast

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"payonce/enrich"
)

// numFutures is how often a list is simulated for a range: the chance to lie outside
// one of 95 % is then met to about half a percent.
const numFutures = 2000

// simulate draws what the lookups of all parts return, the given number of times.
func simulate(parts []part, times int) []returned {
	random := rand.NewPCG(1, 2)
	futures := make([]returned, times)
	drawn := make(posterior, 1<<enrich.MaxFields)
	for i := range futures {
		for _, p := range parts {
			p.rates.draw(drawn[:len(p.rates)], p.lookups, random, &futures[i])
		}
	}
	return futures
}

// draw draws rates, draws by them what the lookups return, and adds that to the sum. The memory of rates
// is used for the drawn ones.
func (p posterior) draw(rates posterior, lookups int64, random rand.Source, sum *returned) {
	clear(rates)
	for outcome, weight := range p {
		if weight > 0 {
			rates[outcome] = distuv.Gamma{Alpha: weight, Beta: 1, Src: random}.Rand()
		}
	}
	left, mass := lookups, rates.weight()
	for outcome := len(rates) - 1; outcome > 0 && left > 0; outcome-- {
		if rates[outcome] == 0 {
			continue
		}
		n := binomial(left, rates[outcome]/mass, random)
		for f := range enrich.Fields(outcome).Each() {
			sum[f] += n
		}
		left -= n
		mass -= rates[outcome]
	}
}

// binomial draws how many of n lookups have an outcome of this rate.
func binomial(n int64, rate float64, random rand.Source) int64 {
	if rate >= 1 || rate <= 0 {
		return n * int64(min(max(rate, 0), 1))
	}
	drawn := distuv.Binomial{N: float64(n), P: rate, Src: random}.Rand()
	return min(max(int64(drawn), 0), n)
}
