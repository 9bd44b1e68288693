package app

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/internal/report"
	"payonce/internal/target"
	"payonce/io/atomicfile"
)

// vendorColumns are the columns of the file for the service: what it needs to find the calls in
// its own records. It holds no names and no results.
var vendorColumns = []string{
	"attempt", "sent", "lost", "asked", "cause", "request_id_before", "answered_before", "request_id_after", "answered_after",
	"account_from", "account_to", "account_charged_usd", "answers_charged_usd", "account_free_units",
}

// aroundDoubt is how far from a lost call an answer is looked for, before and after.
const aroundDoubt = time.Hour

// writeVendorFile writes the calls in doubt to a file, which appears whole or not at all. Lists and
// outputs of runs are never overwritten.
func (s *session) writeVendorFile(path string, doubts []attempt.Doubt) error {
	lists, err := RecordedLists(s.journal())
	if err != nil {
		return err
	}
	outputs, err := RecordedOutputs(s.journal())
	if err != nil {
		return err
	}
	if err := target.Check(path, slices.Concat(lists, outputs)); err != nil {
		return err
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := s.writeDoubts(file, doubts); err != nil {
		return err
	}
	return file.Commit()
}

func (s *session) writeDoubts(w io.Writer, doubts []attempt.Doubt) error {
	around, err := s.answersAround(doubts)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.Write(vendorColumns) // Flush returns its error
	for i, d := range doubts {
		out.Write(slices.Concat(
			[]string{strconv.FormatUint(uint64(d.ID), 10), timeText(d.Begun), timeText(d.Since), d.Hold.Fields.String(), d.Cause},
			around[i].columns(), movementColumns(d.Movement),
		))
	}
	out.Flush()
	return out.Error()
}

// neighbours are the last answer before a call and the first one after it.
type neighbours struct{ before, after attempt.Entry }

// answersAround finds the neighbours of each doubt.
func (s *session) answersAround(doubts []attempt.Doubt) ([]neighbours, error) {
	around := make([]neighbours, len(doubts))
	if len(doubts) == 0 {
		return around, nil
	}
	from, to := doubts[0].Begun, doubts[0].Since
	for _, d := range doubts {
		from, to = earlier(from, d.Begun), later(to, d.Since)
	}
	err := s.journal().Attempts(from.Add(-aroundDoubt), to.Add(aroundDoubt), func(e attempt.Entry) error {
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
func movementColumns(m attempt.Movement) []string {
	if m.Lost == cost.MaxMoney || m.To.IsZero() {
		return []string{timeText(m.From), timeText(m.To), "", "", ""}
	}
	return []string{timeText(m.From), timeText(m.To), m.Lost.String(), m.Booked.String(), report.Counts(report.ByField(m.Free))}
}

// timeText formats a time for the service, "" when there is none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
