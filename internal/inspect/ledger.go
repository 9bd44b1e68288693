package inspect

import (
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"time"

	"payonce/internal/recorded"
	"payonce/internal/report/journalview"
	"payonce/internal/report/named"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/app"
	"payonce/internal/report"
	"payonce/internal/target"
	"payonce/internal/workspace"
	"payonce/io/atomicfile"
	"payonce/service/v1/v1fields"
)

// Period is the time in which attempts got their outcomes. Zero times are the journal's
// beginning and now.
type Period struct{ From, To time.Time }

// Ledger writes every attempt of a period as CSV and returns the sums.
func Ledger(ctx context.Context, w *app.Work, period Period, to io.Writer) (*journalview.Ledger, error) {
	return app.WithJournal(ctx, w, "ledger", func(s *workspace.Session) (*journalview.Ledger, error) { return writeLedger(s, to, period) })
}

// LedgerFile writes the ledger to a file, which appears whole or not at all. Lists and outputs
// of runs are never overwritten.
func LedgerFile(ctx context.Context, w *app.Work, period Period, path string, sources []target.Source) (*journalview.Ledger, error) {
	return app.WithJournal(ctx, w, "ledger", func(s *workspace.Session) (*journalview.Ledger, error) {
		lists, err := recorded.Lists(s.Journal)
		if err != nil {
			return nil, err
		}
		outputs, err := recorded.Outputs(s.Journal)
		if err != nil {
			return nil, err
		}
		if err := target.Check(path, slices.Concat(sources, lists, outputs)); err != nil {
			return nil, err
		}
		file, err := atomicfile.Create(path, w.Env.FileMode)
		if err != nil {
			return nil, err
		}
		defer file.Discard()
		view, err := writeLedger(s, file, period)
		if err != nil {
			return nil, err
		}
		view.Output = path
		return view, file.Commit()
	})
}

// ledgerColumns are the columns of the ledger. A price that was paid stands in its
// field's column; a field that the free allowance paid for costs nothing there.
var ledgerColumns = []string{
	"attempt", "begun", "ended", "run", "job", "operation", "identified_by", "state",
	"asked", "returned", "free_fields", "work_email_usd", "business_phone_usd", "charge_usd", "request_id", "reason",
}

func writeLedger(s *workspace.Session, w io.Writer, period Period) (*journalview.Ledger, error) {
	view := &journalview.Ledger{From: given(period.From), To: given(period.To)}
	var free enrich.ByField[int64]
	var mayBeFree cost.Money
	out := csv.NewWriter(w)
	if err := out.Write(ledgerColumns); err != nil {
		return view, err
	}
	catalogues := s.Journal.Catalogues()
	err := s.Journal.Attempts(period.From, period.To, func(e attempt.Entry) error {
		view.Attempts++
		view.Charged += e.Charge.Money()
		mayBeFree += e.Charge.Money() - e.Charge.Correct(e.MayBeFree, e.Rates).Money()
		for f := range e.Charge.Free.Each() {
			free[f]++
		}
		if e.Ended.IsZero() {
			view.Open++
		}
		return out.Write(ledgerRow(e, catalogues[e.Account]))
	})
	if err != nil {
		return view, err
	}
	view.FreeUsed, view.ChargedLeast = named.Of(catalogues[0], free), report.Least(view.Charged, mayBeFree)
	out.Flush()
	return view, out.Error()
}

// ledgerRow returns the row of an attempt. The catalogue is that of its account.
func ledgerRow(e attempt.Entry, c enrich.Catalogue) []string {
	ended := ""
	if !e.Ended.IsZero() {
		ended = e.Ended.UTC().Format(time.RFC3339)
	}
	paid := func(column enrich.Field) string {
		f, known := c.Lookup(v1fields.Catalogue().Name(column))
		if !known || !e.Charge.Paid.Has(f) {
			return ""
		}
		return e.Rates[f].Price().String()
	}
	reason := e.Reason
	if e.MayBeFree != 0 {
		reason = "charged at most this: the free allowance may have paid " + e.MayBeFree.String()
	}
	return []string{
		strconv.FormatUint(uint64(e.ID), 10), e.Begun.UTC().Format(time.RFC3339), ended, e.Run, e.Job,
		c.Operation(e.Asked), e.Pattern, e.State.String(), c.Names(e.Asked), c.Names(e.Returned), c.Names(e.Charge.Free),
		paid(v1fields.WorkEmail), paid(v1fields.BusinessPhone), e.Charge.Money().String(), e.RequestID, reason,
	}
}

// given returns nil for the zero time.
func given(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
