package inspect

import (
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"time"

	"payonce/pipeline"
	"payonce/pipeline/report"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/workspace"
)

// Period is the time in which attempts got their outcomes. Zero times are the journal's
// beginning and now.
type Period struct{ From, To time.Time }

// Ledger writes every attempt of a period as CSV and returns the sums.
func Ledger(ctx context.Context, w *pipeline.Work, period Period, to io.Writer) (*report.Ledger, error) {
	return pipeline.WithJournal(ctx, w, "ledger", func(s *workspace.Session) (*report.Ledger, error) { return writeLedger(s, to, period) })
}

// LedgerFile writes the ledger to a file, which appears whole or not at all. Lists and outputs
// of runs are never overwritten.
func LedgerFile(ctx context.Context, w *pipeline.Work, period Period, path string, sources []output.Source) (*report.Ledger, error) {
	return pipeline.WithJournal(ctx, w, "ledger", func(s *workspace.Session) (*report.Ledger, error) {
		lists, err := pipeline.RecordedLists(s.Journal)
		if err != nil {
			return nil, err
		}
		outputs, err := pipeline.RecordedOutputs(s.Journal)
		if err != nil {
			return nil, err
		}
		if err := output.CheckTarget(path, slices.Concat(sources, lists, outputs)); err != nil {
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

// ledgerColumns returns the columns of the ledger. A price that was paid stands in its
// field's column; a field that the free allowance paid for costs nothing there. The columns are of the fields of
// the account 0: those of other accounts with other fields are in the charge alone.
func ledgerColumns(priced []string) []string {
	columns := []string{
		"attempt", "begun", "ended", "run", "job", "operation", "identified_by", "state", "asked", "returned", "free_fields",
	}
	for _, name := range priced {
		columns = append(columns, name+"_usd")
	}
	return append(columns, "charge_usd", "request_id", "reason")
}

func writeLedger(s *workspace.Session, w io.Writer, period Period) (*report.Ledger, error) {
	view := &report.Ledger{From: given(period.From), To: given(period.To)}
	catalogues := s.Journal.Catalogues()
	priced := catalogues[0].NamesOf(catalogues[0].All())
	var sum report.CallSum
	out := csv.NewWriter(w)
	if err := out.Write(ledgerColumns(priced)); err != nil {
		return view, err
	}
	err := s.Journal.Attempts(period.From, period.To, func(e attempt.Entry) error {
		sum.Add(report.ReportCall{Entry: e})
		return out.Write(table.EscapeFormulas(ledgerRow(e, catalogues[e.Account], priced), s.Env.Raw))
	})
	if err != nil {
		return view, err
	}
	view.Attempts, view.Open, view.FreeUsed = sum.Attempts, sum.Open, usageOf(s).AccountTerms().Free(&sum)
	view.Charged, view.ChargedLeast = sum.Charged, report.Least(sum.Charged, sum.MayBeFree)
	out.Flush()
	return view, out.Error()
}

// ledgerRow returns the row of an attempt. The catalogue is that of its account, and priced has the names of the
// fields with a column.
func ledgerRow(e attempt.Entry, c enrich.Catalogue, priced []string) []string {
	ended := ""
	if !e.Ended.IsZero() {
		ended = e.Ended.UTC().Format(time.RFC3339)
	}
	paid := func(name string) string {
		f, known := c.Lookup(name)
		if !known || !e.Charge.Paid.Has(f) {
			return ""
		}
		return e.Rates[f].Price().String()
	}
	reason := e.Reason
	if e.MayBeFree != 0 {
		reason = "charged at most this: the free allowance may have paid " + c.Names(e.MayBeFree)
	}
	cells := []string{
		strconv.FormatUint(uint64(e.ID), 10), e.Begun.UTC().Format(time.RFC3339), ended, e.Run, e.Job,
		c.Operation(e.Asked), e.Pattern, e.State.String(), c.Names(e.Asked), c.Names(e.Returned), c.Names(e.Charge.Free),
	}
	for _, name := range priced {
		cells = append(cells, paid(name))
	}
	return append(cells, e.Charge.Money().String(), e.RequestID, reason)
}

// given returns nil for the zero time.
func given(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
