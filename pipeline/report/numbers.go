// This file writes numbers as people read them. JSON has them as they are.

package report

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"payonce/cost"
)

// Textf formats as fmt.Sprintf does, with thousands separators in integers and amounts. A number that names something,
// such as a process, is given as text or as a type of its own.
func Textf(format string, args ...any) string {
	readable(args)
	return fmt.Sprintf(format, args...)
}

// readable replaces the numbers of a text by those that people read.
func readable(args []any) {
	for i, arg := range args {
		switch n := arg.(type) {
		case int:
			args[i] = readableNumber(Number(int64(n)))
		case int64:
			args[i] = readableNumber(Number(n))
		case cost.Money:
			args[i] = readableNumber(n.Grouped())
		case *cost.Money:
			if n != nil {
				args[i] = readableNumber(n.Grouped())
			}
		}
	}
}

// readableNumber is a number as text. Each verb writes it as it is.
type readableNumber string

// Format implements fmt.Formatter.
func (n readableNumber) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, 's'), string(n)) // the state keeps all that is written
}

// Number writes a number with thousands separators.
func Number(n int64) string { return humanize.Comma(n) }

// USD writes an amount with thousands separators: "$1,234.50".
func USD(amount cost.Money) string { return "$" + amount.Grouped() }

// RoundedUSD writes an average, or an amount in a sentence: in cents, and below a cent with two digits that count.
func RoundedUSD(amount cost.Money) string {
	step := cost.Cent
	for step > 1 && amount < step {
		step /= 10
	}
	if step < cost.Cent {
		step = max(1, step/10)
	}
	return USD((amount + step/2) / step * step)
}
