// This file reads the facts of a report on runs from a journal.

package inspect

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"payonce/pipeline"
	"payonce/pipeline/report"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/workspace"
)

// ReportOptions say what a report is about, and what is known besides the journal.
type ReportOptions struct {
	Scope    report.ReportScope
	DaysLeft *int         // as in report.ReportFacts
	Plan     *report.Plan // the same
}

// ReadReport returns the report on the runs of the workspace's journal, which another process may own.
func ReadReport(ctx context.Context, w *pipeline.Work, o ReportOptions) (*report.RunReport, error) {
	return pipeline.WithJournal(ctx, w, "report", func(s *workspace.Session) (*report.RunReport, error) {
		all, err := runsOf(s.Journal, o.Scope)
		if err != nil {
			return nil, err
		}
		runs := slices.DeleteFunc(slices.Clone(all), func(run checkpoint.Run) bool {
			return o.Scope.Month != "" && cost.Month.Of(run.LastStarted().UTC()) != o.Scope.Month
		})
		open := s.Journal.OpenCalls()
		facts := report.ReportFacts{
			Scope: o.Scope, At: w.Env.Now(), Runs: runs, Waits: report.WaitsOf(all, o.Scope.Month), Accounts: usageOf(s).AccountTerms(), Open: open, DaysLeft: o.DaysLeft, Plan: o.Plan,
		}
		if facts.Running, err = runningIn(s); err != nil {
			return nil, err
		}
		if o.Scope.Run != "" {
			if facts.Again, err = lastStartOf(w, all[0]); err != nil {
				return nil, err
			}
		}
		builder := report.NewReportBuilder(facts)
		if err := newReader(s, builder, open).read(); err != nil {
			return nil, err
		}
		return builder.Report(), ctx.Err()
	})
}

// lastStartOf returns what is recorded of the last start of a run, nil for nothing. A start names its output as it
// was given, and begins before the run is on record.
func lastStartOf(w *pipeline.Work, run checkpoint.Run) (last *checkpoint.Start, err error) {
	recorded, err := startsOf(w, nil)
	for i, start := range recorded {
		if start.IsRun() && start.Output != "" && !start.At.After(run.LastStarted()) &&
			strings.HasSuffix("/"+run.Output, "/"+strings.TrimPrefix(filepath.Clean(start.Output), "/")) {
			last = &recorded[i]
		}
	}
	return last, err
}

// runsOf returns the runs of the scope, of all months. A run belongs to the month in which it was started last.
// Its waits belong to the months in which it waited.
func runsOf(journal *checkpoint.Journal, scope report.ReportScope) ([]checkpoint.Run, error) {
	if scope.Run != "" {
		run, err := pipeline.FindRun(journal, scope.Run)
		return []checkpoint.Run{run}, err
	}
	runs, err := journal.Runs()
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(run checkpoint.Run) bool {
		return scope.Job != "" && scope.Job != cmp.Or(run.Job, run.Name)
	})
	if scope.Job != "" && len(runs) == 0 {
		return nil, problem.Coded("no_such_job", "there is no run of the job %q in this journal", scope.Job)
	}
	return runs, nil
}

// reader reads calls, some at a time.
type reader struct {
	journal *checkpoint.Journal
	builder *report.ReportBuilder
	recall  func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error)
	answers answers
	all     []provider.Interface        // of the accounts
	held    map[attempt.ID]cost.Amounts // by each call without an outcome
	entries []attempt.Entry             // that wait for what Recall returns about them
}

// memory is what Recall may keep of calls that are far apart.
const memory = 64 << 20

func newReader(s *workspace.Session, builder *report.ReportBuilder, open checkpoint.OpenCalls) *reader {
	usage := usageOf(s)
	r := &reader{journal: s.Journal, builder: builder, recall: s.Journal.Recall(memory, true), answers: s.Options.AnswerReaders(), held: map[attempt.ID]cost.Amounts{}}
	for _, call := range open.Calls {
		r.held[call.ID] = call.Holds
	}
	for number := range s.Journal.Accounts() {
		r.all = append(r.all, usage.Interface(number))
	}
	return r
}

// read adds the calls of the scope, and for the forecast those of other runs of its job. A call of a month can have got
// its outcome long after it, so all are read.
func (r *reader) read() error {
	err := r.journal.Attempts(time.Time{}, time.Time{}, func(e attempt.Entry) error {
		if !r.builder.Wants(e) {
			r.builder.Add(report.ReportCall{Entry: e})
			return nil
		}
		r.entries = append(r.entries, e)
		if len(r.entries) < checkpoint.AttemptsTogether {
			return nil
		}
		return r.add()
	})
	if err != nil {
		return err
	}
	return r.add()
}

// add adds the calls that wait.
func (r *reader) add() error {
	ids := make([]attempt.ID, len(r.entries))
	for i, e := range r.entries {
		ids[i] = e.ID
	}
	known, err := r.recall(ids, nil)
	if err != nil {
		return err
	}
	for i, e := range r.entries {
		call := report.ReportCall{Entry: e, Held: r.held[e.ID]}
		if call.Company, call.MailHost, err = r.hosts(e, known[i]); err != nil {
			return err
		}
		r.builder.Add(call)
	}
	r.entries = r.entries[:0]
	return nil
}

// hosts returns the host of the company that a call was about, and that of the email that was found. Without
// another, the email's host names the company unless many share it. Nothing else of a person leaves the
// reader.
func (r *reader) hosts(e attempt.Entry, known attempt.Outcome) (company, mail string, err error) {
	company = strings.ToLower(known.Who.CompanyDomain)
	if company == "" {
		company = strings.ToLower(known.Who.Company.Website)
	}
	of := r.all[e.Account]
	if e.Returned&of.MailHosts == 0 {
		return company, "", nil
	}
	mail = report.UnknownPart
	if known.Ended.Data == "" {
		return company, mail, nil
	}
	answer, _, err := r.answers.export(of.Catalogue.Interface, known.Ended.Answer())
	if err != nil {
		return company, mail, err
	}
	if host := strings.ToLower(answer.Email[strings.LastIndexByte(answer.Email, '@')+1:]); isHost.MatchString(host) {
		mail = host
		if company == "" && enrich.SharedHostOf([]byte(host)) == enrich.NotSharedHost {
			company = host
		}
	}
	return company, mail, nil
}

// isHost matches what a service returns behind the @ of an email unless it is something else.
var isHost = regexp.MustCompile(`^[\pL\d-]+(\.[\pL\d-]+)+$`)
