package notify

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"payonce/checkpoint/record"
)

// The limits of the rule about match rates.
const (
	// fewestRuns is how many earlier runs there must be, and mostRuns how many are looked at, the newest.
	fewestRuns = 10
	mostRuns   = 30
	// fewestAsked is how often a run must have asked for a field to be looked at.
	fewestAsked = 20
	// rareness is how seldom chance alone leads to an alert: once in this number of runs, for a field, both sides
	// together.
	rareness = 1000
	// leastDistance is how far a rate must be from the usual one to matter.
	leastDistance = 0.05
)

// unusualRates lists the fields whose match rate differs from that of earlier runs by more than chance explains.
func unusualRates(one record.Occurrence, earlier []record.Occurrence) string {
	var unusual []string
	for _, field := range one.Fields {
		var counts []record.FieldCount
		for i := len(earlier) - 1; i >= 0 && len(counts) < mostRuns; i-- {
			if earlier[i].At == one.At || !CameToEnd(earlier[i]) {
				continue
			}
			for _, count := range earlier[i].Fields {
				if count.Name == field.Name && count.Asked >= fewestAsked {
					counts = append(counts, count)
				}
			}
		}
		if usual, is := isUnusual(field, counts); is {
			unusual = append(unusual, fmt.Sprintf("%s %s of %s (%.0f %%); the usual rate is %.0f %%", field.Name, humanize.Comma(field.Found), humanize.Comma(field.Asked),
				100*float64(field.Found)/float64(field.Asked), 100*usual))
		}
	}
	return strings.Join(unusual, "; ")
}

// isUnusual compares how often a field was found with earlier runs, and returns the usual rate, which is that of all
// earlier runs together.
//
// The number of found values is compared with the two-sided bounds of a beta-binomial distribution. Its mean is the
// usual rate. Its variance is that of a binomial distribution, made larger for two reasons: lists differ, so the rates
// of earlier runs may differ by more than chance explains; and the usual rate is known from a limited number of
// lookups.
func isUnusual(now record.FieldCount, earlier []record.FieldCount) (usual float64, is bool) {
	if len(earlier) < fewestRuns || now.Asked < fewestAsked {
		return 0, false
	}
	var asked, found float64
	for _, count := range earlier {
		asked, found = asked+float64(count.Asked), found+float64(count.Found)
	}
	usual = (found + 0.5) / (asked + 1) // never 0 or 1, which no number of lookups proves
	alike := likeness(earlier, usual)
	var uncertain float64 // the variance of the usual rate, in units of that of one lookup
	for _, count := range earlier {
		n := float64(count.Asked)
		uncertain += n * (1 + (n-1)*alike) / (asked * asked)
	}
	n := float64(now.Asked)
	rate := float64(now.Found) / n
	chance := tail(float64(now.Found), n, usual, alike+uncertain*n/(n-1))
	return usual, math.Abs(rate-usual) >= leastDistance && chance < 1.0/(2*rareness)
}

// likeness returns the correlation between two lookups of one run, by the method of moments: 0 when runs differ by
// no more than chance explains.
func likeness(earlier []record.FieldCount, usual float64) float64 {
	var excess, pairs float64
	for _, count := range earlier {
		n := float64(count.Asked)
		difference := float64(count.Found) - n*usual
		excess += difference*difference/(n*usual*(1-usual)) - 1
		pairs += n - 1
	}
	// One degree of freedom is that of the usual rate.
	runs := float64(len(earlier))
	return max(0, ((excess+runs)*runs/(runs-1)-runs)/pairs)
}

// tail returns the chance that of n lookups as many are found as x, or any number farther from the usual one on the
// same side. The distribution is beta-binomial: alike is the correlation between two lookups.
func tail(x, n, usual, alike float64) float64 {
	if alike >= 1 {
		return 1 // nothing is known of the rates of lists
	}
	whole := 1/alike - 1 // both parameters together
	if x > n*usual {
		x, usual = n-x, 1-usual // the values that are not found
	}
	a, b := whole*usual, whole*(1-usual)
	chance := math.Exp(logChoose(n, x) + logBeta(x+a, n-x+b) - logBeta(a, b))
	sum := 0.0
	for chance > sum*1e-12 {
		sum += chance
		chance *= x / (n - x + 1) * (n - x + b) / (x - 1 + a) // that of one less
		x--
	}
	return sum
}

func logChoose(n, k float64) float64 { return logGamma(n+1) - logGamma(k+1) - logGamma(n-k+1) }

func logBeta(a, b float64) float64 { return logGamma(a) + logGamma(b) - logGamma(a+b) }

func logGamma(x float64) float64 {
	value, _ := math.Lgamma(x)
	return value
}
