// This file writes the file with which the service can find calls in doubt in its own records.

package pipeline

import (
	"encoding/csv"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/io/table"
	"payonce/pipeline/report"
)

// vendorColumns are the columns of the file. It holds no names and no results.
var vendorColumns = []string{
	"attempt", "sent", "lost", "asked", "cause", "request_id_before", "answered_before", "request_id_after", "answered_after",
	"account_from", "account_to", "account_charged_usd", "answers_charged_usd", "account_free_units",
}

// aroundDoubt is how far from a lost call an answer is looked for, before and after.
const aroundDoubt = time.Hour

// vendorJournal is the part of the journal that knows the answers around a call.
type vendorJournal interface {
	// Catalogues returns the fields of each account.
	Catalogues() []enrich.Catalogue
	// Attempts visits the attempts that ended from a time on and before another one, in the order
	// of their Begin.
	Attempts(from, to time.Time, visit func(attempt.Entry) error) error
}

// createVendorFile writes the calls in doubt to a file, which appears whole or not at all. A
// new file gets the mode. Raw leaves values that a spreadsheet takes for formulas as they are.
func createVendorFile(path string, mode fs.FileMode, raw bool, journal vendorJournal, doubts []attempt.Doubt) error {
	return atomicfile.Replace(path, mode, func(w io.Writer) error { return writeVendorFile(w, raw, journal, doubts) })
}

func writeVendorFile(w io.Writer, raw bool, journal vendorJournal, doubts []attempt.Doubt) error {
	around, err := answersAround(journal, doubts)
	if err != nil {
		return err
	}
	catalogues := journal.Catalogues()
	out := csv.NewWriter(w)
	out.Write(vendorColumns) // Error returns its error
	for i, d := range doubts {
		out.Write(table.EscapeFormulas(slices.Concat(
			[]string{strconv.FormatUint(uint64(d.ID), 10), timeText(d.Begun), timeText(d.Since), catalogues[d.Account].Names(d.Hold.Fields), d.Cause},
			around[i].columns(), movementColumns(catalogues[d.Account], d.Movement),
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

// movementColumns say what the account lost in the time of a call, as far as that is known.
func movementColumns(c enrich.Catalogue, m attempt.Movement) []string {
	if m.Lost.Money() == cost.MaxMoney || m.To.IsZero() {
		return []string{timeText(m.From), timeText(m.To), "", "", ""}
	}
	return []string{timeText(m.From), timeText(m.To), m.Lost.Money().String(), m.Booked.Money().String(), report.Counts(report.FreeUnits(c, cost.AllowancePerField(c), m.Lost))}
}

// timeText formats a time for the service, "" when there is none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
