package report

import (
	"testing"

	"payonce/cost"
)

func TestNumbersHaveThousandsSeparators(t *testing.T) {
	var none *cost.Money
	for want, got := range map[string]string{
		"12,345 of 1,000,000, -1,234":      Textf("%d of %d, %d", 12345, int64(1e6), -1234),
		"$1,234.50, $-1,000.00":            Textf("$%s, $%s", 1234*cost.Dollar+50*cost.Cent, -1000*cost.Dollar),
		"$0.15, $-0.50, $0.000001, $99.00": Textf("$%s, $%s, $%s, %s", 15*cost.Cent, -50*cost.Cent, cost.Money(1), USD(99*cost.Dollar)),
		"$12,000.05":                       Textf("$%s", new(12000*cost.Dollar+5*cost.Cent)),
		"process 22609, <nil>":             Textf("process %s, %v", "22609", none),
		"attempt 12345 in 2026":            Textf("attempt %d in %s", uint64(12345), "2026"),
		"[  1,234] [5.25]":                 Textf("[%7d] [%.2f]", 1234, 5.25),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An average is shown in cents, and below a cent with two digits.
func TestTheCostOfOneOfManyIsRounded(t *testing.T) {
	for amount, want := range map[cost.Money]string{
		187_345: "$0.19", 277_273: "$0.28", 1_234_567_890: "$1,234.57", 10_000: "$0.01", 4_650: "$0.0047", 999: "$0.001", 12: "$0.000012", 1: "$0.000001", 0: "$0.00",
	} {
		if got := RoundedUSD(amount); got != want {
			t.Errorf("%d micro-dollars are %s, want %s", amount, got, want)
		}
	}
}

// Words of a command that were quoted for a shell come back unchanged.
func TestShellWordsAreThoseThatWereQuoted(t *testing.T) {
	for _, words := range [][]string{
		{"batch", "run", "list.csv"}, {"batch", "run", "a  list of 'Ann'.csv", "--map=email=E-mail | work", `back\slash`, "$HOME"},
	} {
		line := ""
		for i, word := range words {
			if i > 0 {
				line += " "
			}
			line += ShellWord(word)
		}
		got := ShellWords(line)
		if len(got) != len(words) {
			t.Fatalf("%q has the words %q", line, got)
		}
		for i := range words {
			if got[i] != words[i] {
				t.Errorf("%q has the word %q, want %q", line, got[i], words[i])
			}
		}
	}
}
