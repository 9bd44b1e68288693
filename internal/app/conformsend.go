package app

import (
	"context"
	"io"

	"payonce/checkpoint"
	"payonce/conformance"
	"payonce/enrich"
	"payonce/internal/accounts"
	"payonce/pipeline/dispatch"
)

// openSpending makes the journal ready to spend. It returns why nothing may be sent; ""
// when it may.
func (j *job) openSpending(ctx context.Context, account *accounts.Account, inDoubt string) (why string, err error) {
	if err := j.session.place.CheckKey(); err != nil {
		return "", err
	}
	reconciler := account.Reconciler()
	if reconciler.Pending() > 0 {
		j.session.note("earlier lookups are in doubt: waiting for the account to settle, to see whether they were charged")
		if err := account.SettleDoubts(ctx); err != nil {
			return "", err
		}
		if reconciler.Pending() > 0 {
			return inDoubt, nil
		}
	}
	shown, err := account.Status.Status(ctx)
	if err == nil {
		err = account.Use(ctx, shown)
	}
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return j.session.work.Explain(err), nil // it is reported, and nothing is sent
	}
	if err := j.session.place.RememberKey(); err != nil {
		return "", err
	}
	return "", account.Rebase()
}

// journalSender sends lookups as a run does: through the journal, under its ceilings and
// in its window.
type journalSender struct {
	job     *job
	account *accounts.Account
	stop    dispatch.Stop
}

// onRecord compares. A comparison that may spend has its place among the runs: whoever
// adds up what they spent gets all of it. A run that somebody gave its name stays as
// it is recorded.
func (s *journalSender) onRecord(compare func() (conformance.Report, error)) (conformance.Report, error) {
	if s.job.session.journal() == nil {
		return compare()
	}
	earlier, _, err := s.job.session.journal().Run(ConformanceRun)
	if err != nil {
		return nil, err
	}
	if earlier.Output != "" {
		return compare()
	}
	record, err := s.job.record()
	if err != nil {
		return nil, err
	}
	if err := s.job.session.journal().SaveRun(record); err != nil {
		return nil, err
	}
	report, err := compare()
	if err != nil {
		return nil, err
	}
	record.Ended = s.job.session.now()
	if s.stop != nil {
		record.Stop = s.stop.Word()
	}
	return report, s.job.session.journal().SaveRun(record)
}

// Send implements conformance.Sender.
func (s *journalSender) Send(ctx context.Context, lookup enrich.Lookup) (conformance.Sent, error) {
	watched := &watchedFinder{finder: s.account.Finder}
	journal := s.job.session.journal()
	lookups := &dispatch.Lookups{
		Ledger: journal, Finder: watched, Concurrency: 1, Now: s.job.session.work.Env.Now,
		Reconciler: s.account.Reconciler(), Note: s.job.session.note, Request: s.job.request(s.account),
	}
	before := journal.Totals(checkpoint.ScopeAll)
	tally, stop, err := lookups.Run(ctx, once(lookup))
	after := journal.Totals(checkpoint.ScopeAll)
	sent := conformance.Sent{Lookup: watched.lookup, Verdict: watched.verdict}
	booked := after.Settled.Minus(before.Settled)
	sent.Booked.Money, sent.Booked.Free = booked.Money(), s.account.Tariff.AllowanceUnits(booked)
	switch {
	case err != nil:
		return sent, err
	case stop != nil:
		s.stop = stop
		sent.Last, sent.Why = true, "stopped: "+stop.Word()
	case tally.Posts == 0:
		sent.Verdict, sent.Why = nil, "the journal knows the outcome, or that it is in doubt; nobody is asked for twice"
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
