package inspect

import (
	"context"
	"io"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/io/conformance"
	"payonce/pipeline/dispatch"
)

// openSpending makes the journal ready to spend. It returns why nothing may be sent; ""
// when it may.
func (c *comparing) openSpending(ctx context.Context, inDoubt string) (why string, err error) {
	if err := c.Account.CheckKey(ctx); err != nil {
		return "", err
	}
	reconciler := c.Account.Reconciler()
	if reconciler.Pending() > 0 {
		c.work.Observer.Note("earlier lookups are in doubt: waiting for the account to settle, to see whether they were charged")
		if err := c.Account.SettleDoubts(ctx); err != nil {
			return "", err
		}
		if reconciler.Pending() > 0 {
			return inDoubt, nil
		}
	}
	c.Account.Journal.BeginReading()
	shown, err := c.Account.Status.Status(ctx)
	if err == nil {
		err = c.Account.Use(ctx, shown)
	}
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return c.work.Explain(err), nil // it is reported, and nothing is sent
	}
	if err := c.place.RecordKey(c.Account.Of); err != nil {
		return "", err
	}
	return "", c.Account.Rebase()
}

// onRecord compares. A comparison that may spend has its place among the runs: whoever
// adds up what they spent gets all of it. A run that somebody gave its name stays as
// it is recorded.
func (c *comparing) onRecord(compare func() (conformance.Report, error)) (conformance.Report, error) {
	if c.place.Journal == nil {
		return compare()
	}
	earlier, _, err := c.place.Journal.Run(ConformanceRun)
	if err != nil {
		return nil, err
	}
	if earlier.Output != "" {
		return compare()
	}
	record, err := c.Record()
	if err != nil {
		return nil, err
	}
	if err := c.place.Journal.SaveRun(record); err != nil {
		return nil, err
	}
	report, err := compare()
	if err != nil {
		return nil, err
	}
	record.Ended = c.work.Env.Now()
	if c.stop != nil {
		record.Stop = c.stop.Word()
	}
	return report, c.place.Journal.SaveRun(record)
}

// Send implements conformance.SenderV1. It sends as a run does: through the journal, under its ceilings and in
// its window.
func (c *comparing) Send(ctx context.Context, lookup enrich.Lookup) (conformance.SentV1, error) {
	watched := &watchedFinder{finder: c.Account.Finder}
	journal := c.place.Journal
	lookups := &dispatch.Lookups{
		Ledger: journal, Finder: watched, Concurrency: 1, Now: c.work.Env.Now,
		Reconciler: c.Account.Reconciler(), Note: c.work.Observer.Note, Request: c.Request(),
		Tariff: c.Account.Tariff,
	}
	before := journal.Totals(checkpoint.ScopeAll)
	tally, stop, err := lookups.Run(ctx, once(lookup))
	after := journal.Totals(checkpoint.ScopeAll)
	sent := conformance.SentV1{Lookup: watched.lookup, Verdict: watched.verdict}
	booked := after.Settled.Minus(before.Settled)
	sent.Booked.Money, sent.Booked.Free = booked.Money(), c.Account.Tariff.AllowanceUnits(booked)
	switch {
	case err != nil:
		return sent, err
	case stop != nil:
		c.stop = stop
		sent.Last, sent.Why = true, "stopped: "+stop.Word()
	case tally.Posts == 0:
		sent.Verdict, sent.Why = nil, "the journal knows the outcome, or that it is in doubt; no call is sent twice"
	}
	return sent, nil
}

// once yields one lookup.
func once(lookup enrich.Lookup) func() (enrich.Lookup, error) {
	left := []enrich.Lookup{lookup}
	return func() (enrich.Lookup, error) {
		if len(left) == 0 {
			return enrich.Lookup{}, io.EOF
		}
		next := left[0]
		left = left[1:]
		return next, nil
	}
}

// watchedFinder keeps the last lookup and what became of it. One lookup is under way at
// a time.
type watchedFinder struct {
	finder  dispatch.Finder
	lookup  enrich.Lookup
	verdict enrich.Verdict
}

func (w *watchedFinder) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	w.lookup, w.verdict = lookup, w.finder.Find(ctx, lookup)
	return w.verdict
}
