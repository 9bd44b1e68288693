// Package reading reads the facts of a report on runs from a journal.
package reading

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"payonce/internal/accounts"
	"payonce/internal/recorded"
	"payonce/internal/report/planview"
	"payonce/internal/usage"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/checkpoint/outcomes"
	"payonce/cost"
	"payonce/enrich/sharedhost"
	"payonce/internal/app"
	"payonce/internal/problem"
	"payonce/internal/report/runview"
	"payonce/internal/runreport"
	"payonce/internal/workspace"
	v1 "payonce/service/v1"
	"payonce/service/v1/v1fields"
)

// Options say what a report is about, and what is known besides the journal.
type Options struct {
	Scope    runreport.Scope
	DaysLeft *int           // as in runreport.Facts
	Plan     *planview.Plan // the same
}

// Read returns the report on the runs of the workspace's journal, which another process may own.
func Read(ctx context.Context, w *app.Work, o Options) (*runreport.Report, error) {
	return app.WithJournal(ctx, w, "report", func(s *workspace.Session) (*runreport.Report, error) {
		all, err := runsOf(s.Journal, o.Scope)
		if err != nil {
			return nil, err
		}
		runs := slices.DeleteFunc(slices.Clone(all), func(run checkpoint.Run) bool {
			return o.Scope.Month != "" && cost.Month.Of(run.LastStarted().UTC()) != o.Scope.Month
		})
		builder := runreport.New(runreport.Facts{
			Scope: o.Scope, At: w.Env.Now(), Runs: runs, Waits: runview.WaitsOf(all, o.Scope.Month), Catalogues: s.Journal.Catalogues(), Tariffs: tariffs(s), DaysLeft: o.DaysLeft, Plan: o.Plan,
		})
		if err := newReader(s.Journal, builder).read(o.Scope); err != nil {
			return nil, err
		}
		return builder.Report(), ctx.Err()
	})
}

// tariffs returns the tariffs of the accounts by their numbers.
func tariffs(s *workspace.Session) (all []cost.Tariff) {
	reader := usage.Reader{Journal: s.Journal, Interfaces: accounts.Interfaces(s.Options).All}
	for _, terms := range reader.AccountTerms() {
		all = append(all, terms.Tariff)
	}
	return all
}

// runsOf returns the runs of the scope, of all months. A run belongs to the month in which it was started last.
// Its waits belong to the months in which it waited.
func runsOf(journal *checkpoint.Journal, scope runreport.Scope) ([]checkpoint.Run, error) {
	if scope.Run != "" {
		run, err := recorded.Find(journal, scope.Run)
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
	builder *runreport.Builder
	recall  func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error)
	answers v1.AnswerDecoder
	held    map[attempt.ID]cost.Amounts // by the calls in doubt
	entries []attempt.Entry             // that wait for what Recall returns about them
}

// memory is what Recall may keep of calls that are far apart.
const memory = 64 << 20

func newReader(journal *checkpoint.Journal, builder *runreport.Builder) *reader {
	return &reader{journal: journal, builder: builder, recall: journal.Recall(memory, true)}
}

// read adds the calls of the scope, and for the forecast those of other runs of its job.
func (r *reader) read(scope runreport.Scope) error {
	if err := r.readHeld(); err != nil {
		return err
	}
	var from, to time.Time
	if scope.Month != "" {
		month, err := time.Parse("2006-01", scope.Month)
		if err != nil {
			return err
		}
		from, to = month, month.AddDate(0, 1, 0)
	}
	err := r.journal.Attempts(from, to, func(e attempt.Entry) error {
		if !r.builder.Wants(e) {
			r.builder.Add(runreport.Call{Entry: e})
			return nil
		}
		r.entries = append(r.entries, e)
		if len(r.entries) < outcomes.Together {
			return nil
		}
		return r.add()
	})
	if err != nil {
		return err
	}
	return r.add()
}

func (r *reader) readHeld() error {
	r.held = map[attempt.ID]cost.Amounts{}
	for account := range r.journal.Accounts() {
		journal, err := r.journal.For(account)
		if err != nil {
			return err
		}
		for _, doubt := range journal.Doubts() {
			r.held[doubt.ID] = doubt.Hold.Amounts()
		}
	}
	return nil
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
		call := runreport.Call{Entry: e, Held: r.held[e.ID].Money(), HeldUnits: r.held[e.ID]}
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
	if e.Account != 0 || !e.Returned.Has(v1fields.WorkEmail) {
		return company, "", nil
	}
	mail = runreport.Unknown
	if known.Ended.Data == "" {
		return company, mail, nil
	}
	answer, err := r.answers.Decode(known.Ended.Answer())
	if err != nil {
		return company, mail, err
	}
	if host := strings.ToLower(answer.WorkEmail[strings.LastIndexByte(answer.WorkEmail, '@')+1:]); isHost.MatchString(host) {
		mail = host
		if company == "" && sharedhost.Of([]byte(host)) == sharedhost.None {
			company = host
		}
	}
	return company, mail, nil
}

// isHost matches what a service returns behind the @ of an email unless it is something else.
var isHost = regexp.MustCompile(`^[\pL\d-]+(\.[\pL\d-]+)+$`)
