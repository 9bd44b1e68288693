// This file writes the file with which the service can find calls in doubt in its own records.

package pipeline

import (
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/io/atomicfile"
	"payonce/io/table"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// vendorColumns are the columns of the file. It holds no names and no results.
var vendorColumns = []string{
	"attempt", "sent", "lost", "asked", "cause", "request_id_before", "answered_before", "request_id_after", "answered_after",
	"account_from", "account_to", "account_charged_usd", "answers_charged_usd", "account_free_units",
	"account_units", "answers_units",
}

// aroundDoubt is how far from a lost call an answer is looked for, before and after.
const aroundDoubt = time.Hour

// vendorJournal is the part of the journal that knows the answers around a call.
type vendorJournal interface {
	// Attempts visits the attempts that ended from a time on and before another one, in the order
	// of their Begin.
	Attempts(from, to time.Time, visit func(attempt.Entry) error) error
}

// createVendorFile writes the calls in doubt to a file, which appears whole or not at all. A
// new file gets the mode. Raw leaves values that a spreadsheet takes for formulas as they are.
func createVendorFile(
	path string, mode fs.FileMode, raw bool, journal vendorJournal, interfaceOf func(attempt.Account) provider.Interface,
	doubts []attempt.Doubt,
) error {
	return atomicfile.Replace(path, mode, func(w io.Writer) error {
		return writeVendorFile(w, raw, journal, interfaceOf, doubts)
	})
}

func writeVendorFile(
	w io.Writer, raw bool, journal vendorJournal, interfaceOf func(attempt.Account) provider.Interface, doubts []attempt.Doubt,
) error {
	around, err := answersAround(journal, doubts)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.Write(vendorColumns) // Error returns its error
	for i, d := range doubts {
		out.Write(table.EscapeFormulas(slices.Concat(
			[]string{strconv.FormatUint(uint64(d.ID), 10), timeText(d.Begun), timeText(d.Since), interfaceOf(d.Account).Catalogue.Names(d.Hold.Fields), d.Cause},
			around[i].columns(), movementColumns(interfaceOf(d.Account), d.Movement),
		), raw))
	}
	out.Flush()
	return out.Error()
}

// neighbours are the last answer before a call and the first one after it.
type neighbours struct{ before, after attempt.Entry }

// answersAround finds the neighbours of each doubt.
func answersAround(journal vendorJournal, doubts []attempt.Doubt) ([]neighbours, error) {
	around := make([]neighbours, len(doubts))
	if len(doubts) == 0 {
		return around, nil
	}
	from, to := doubts[0].Begun, doubts[0].Since
	for _, d := range doubts {
		from, to = earlier(from, d.Begun), later(to, d.Since)
	}
	err := journal.Attempts(from.Add(-aroundDoubt), to.Add(aroundDoubt), func(e attempt.Entry) error {
		if e.RequestID == "" {
			return nil
		}
		for i, d := range doubts {
			n := &around[i]
			switch {
			case e.ID < d.ID:
				n.before = e
			case n.after.ID == 0:
				n.after = e
			}
		}
		return nil
	})
	return around, err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (n neighbours) columns() []string {
	return []string{n.before.RequestID, timeText(n.before.Ended), n.after.RequestID, timeText(n.after.Ended)}
}

// movementColumns say what the account lost in the time of a call, as far as that is known: money and free units where
// it takes money, and units of its modules.
func movementColumns(of provider.Interface, m attempt.Movement) []string {
	columns := []string{timeText(m.From), timeText(m.To), "", "", "", "", ""}
	if m.Lost.Money() == cost.MaxMoney || m.To.IsZero() {
		return columns
	}
	if of.TakesMoney() {
		columns[2], columns[3] = m.Lost.Money().String(), m.Booked.Money().String()
	}
	columns[4] = report.Counts(report.FreeUnits(of.Catalogue, of.Tariff, m.Lost))
	columns[5], columns[6] = unitsInAll(of, m.Lost), unitsInAll(of, m.Booked)
	return columns
}

// unitsInAll writes the units of each module in amounts, in the order of the meters.
func unitsInAll(of provider.Interface, amounts cost.Amounts) string {
	var parts []string
	for m, info := range of.Tariff.Meters {
		if meter := cost.Meter(m); meter != cost.USD && !of.Tariff.IsAllowance(meter) {
			parts = append(parts, fmt.Sprintf("%d %s", amounts[m], info.Name))
		}
	}
	return strings.Join(parts, ", ")
}

// timeText formats a time for the service, "" when there is none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
