package watch

import (
	"context"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/paidcalls"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// RefreshOptions say for which companies changed records are asked for again.
type RefreshOptions struct {
	Paying
	List   List
	Since  time.Time // the table leaves out changes that were observed before; zero for all changes
	Output pipeline.Output
}

// RefreshPlan says what Refresh would ask for.
type RefreshPlan struct {
	Run       string `json:"run"`
	Companies int64  `json:"companies"`
	// Unanswered are companies without an answer in the journal. A run has to ask for them first.
	Unanswered int64        `json:"unanswered"`
	Changed    int64        `json:"companies_changed"` // since their answers
	Changes    int64        `json:"changes_observed"`  // of them
	Needed     int64        `json:"calls_needed"`      // one for each changed record of a company
	InDoubt    int64        `json:"in_doubt"`          // records whose call was lost and is undecided
	Forfeited  int64        `json:"charged_and_lost"`  // records whose last call was charged and its answer lost
	Polled     *time.Time   `json:"polled"`            // until when changes were observed; null before the first poll
	Oldest     *time.Time   `json:"oldest_change"`     // null for none
	Unknown    []UnknownRow `json:"unknown_rows"`
	Units      []Units      `json:"units"`
}

// Calls implements Plan.
func (p *RefreshPlan) Calls() int64 { return p.Needed }

// Render writes the plan.
func (p *RefreshPlan) Render(page *report.Page) {
	page.Titlef("Plan to refresh changed companies")
	page.Gap()
	p.render(page)
	page.Entryf("calls", "%d", p.Needed)
	renderUnits(page, p.Units)
}

func (p *RefreshPlan) render(page *report.Page) {
	page.Entryf("run", "%s", p.Run)
	page.Entryf("companies", "%d", p.Companies)
	if p.Unanswered > 0 {
		page.Entryf("without an answer", "%d, which are not asked for%s", p.Unanswered, page.Hint("watch_unanswered"))
	}
	if p.Polled == nil {
		page.Alertf("polled", "never%s", page.Hint("watch_never_polled"))
	} else {
		page.Entryf("polled", "%s", p.Polled.Format("2006-01-02 15:04 MST"))
	}
	page.Entryf("changed", "%s, %s", companiesCounted(p.Changed), report.Counted(p.Changes, "observed change"))
	if p.Oldest != nil {
		page.Entryf("oldest change", "%s", p.Oldest.Format("2006-01-02 15:04 MST"))
	}
	if p.InDoubt > 0 {
		page.Entryf("in doubt", "%s, not asked again", report.Counted(p.InDoubt, "lost call"))
	}
	if p.Forfeited > 0 {
		page.Entryf("charged and lost", "%s, not asked again%s", report.Counted(p.Forfeited, "answer"), page.Hint("watch_rebuy"))
	}
	renderUnknown(page, p.Unknown)
}

// Refreshed says what Refresh asked for and wrote.
type Refreshed struct {
	RefreshPlan
	Calls    int64                `json:"calls"`
	Answered int64                `json:"answered"`
	NotSent  int64                `json:"not_sent"`
	Rows     int64                `json:"changes_written"` // rows of the table, from this start and from earlier ones
	Output   string               `json:"output,omitempty"`
	Kept     []output.KeptVersion `json:"kept,omitempty"`
	StopWord *string              `json:"stop"`
	Stop     dispatch.Stop        `json:"-"`
	Advice   string               `json:"-"`
}

// Lost reports whether calls are in doubt or their answers are lost.
func (v *Refreshed) Lost() bool { return v.InDoubt+v.Forfeited > 0 }

// Render writes the summary.
func (v *Refreshed) Render(page *report.Page) {
	page.Titlef("Refreshed companies")
	page.Gap()
	v.render(page)
	page.Entryf("calls", "%d, %d answered", v.Calls, v.Answered)
	if v.NotSent > 0 {
		page.Entryf("not sent", "%d", v.NotSent)
	}
	if v.Output != "" {
		page.Entryf("changes", "%d in %s", v.Rows, v.Output)
		report.RenderKept(page, v.Kept)
	}
	renderUnits(page, v.Units)
	if v.Advice != "" {
		page.Linef("%s", v.Advice)
	}
}

// part is one record of a company, with the observed changes of its fields.
type part struct {
	company
	field   enrich.Field
	who     enrich.Identity // by which the record is asked for again
	changes []observation   // of fields of the record, the oldest first
	answers []attempt.ID    // under all identities of the company, the oldest first
	state   attempt.FieldState
}

// pending returns the changes that are later than the last answer.
func (p *part) pending() []observation {
	last := p.answers[len(p.answers)-1]
	for i, o := range p.changes {
		if o.After >= last {
			return p.changes[i:]
		}
	}
	return nil
}

// parts returns those records of a company that have answers in the journal and observed changes. Answered says whether
// the journal has a company record.
func (s *session) parts(c company) (parts []*part, answered bool, err error) {
	changes, err := s.observations(c.id)
	if err != nil {
		return nil, false, err
	}
	byID := enrich.Identity{Company: enrich.Company{ID: c.id}}
	for _, field := range []enrich.Field{v2.FieldCompany, v2.FieldOwnership} {
		p := &part{company: c, field: field, who: byID}
		if field == v2.FieldCompany {
			p.who = c.who
		}
		for _, o := range changes {
			if o.Content != "" && v2.WatchedIn(o.field()) == field {
				p.changes = append(p.changes, o)
			}
		}
		keys, err := s.keys(p.who, byID)
		if err != nil {
			return nil, false, err
		}
		if p.answers, err = s.answers(keys, field); err != nil {
			return nil, false, err
		}
		answered = answered || field == v2.FieldCompany && len(p.answers) > 0
		if len(p.answers) == 0 || len(p.changes) == 0 {
			continue
		}
		if p.state, err = s.state(keys, field, p.answers[len(p.answers)-1]); err != nil {
			return nil, false, err
		}
		parts = append(parts, p)
	}
	return parts, answered, nil
}

// keys returns the keys of all identities of a company that an answer has named.
func (s *session) keys(who, byID enrich.Identity) ([]enrich.Key, error) {
	keys := []enrich.Key{s.Journal.Key(who), s.Journal.Key(byID)}
	aliases, err := s.Journal.Aliases(keys[1])
	for _, a := range aliases {
		keys = append(keys, a.Subject)
	}
	slices.SortFunc(keys, func(a, b enrich.Key) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(keys), err
}

// answers returns the attempts that answered a field of a company under any of its keys.
func (s *session) answers(keys []enrich.Key, field enrich.Field) (ids []attempt.ID, err error) {
	for _, key := range keys {
		of, err := s.Journal.AnswersOf(key, field)
		if err != nil {
			return nil, err
		}
		ids = append(ids, of...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// state says what became of a field of a company: a call under any of its keys may have been charged for the change. The
// journal compares only what names one company, and a website does not. A call that was charged and lost before the last
// answer was asked for again.
func (s *session) state(keys []enrich.Key, field enrich.Field, last attempt.ID) (attempt.FieldState, error) {
	state := attempt.Found
	for _, key := range keys {
		known, err := s.Journal.RecordOf(key, enrich.FieldsOf(field))
		if err != nil {
			return state, err
		}
		switch known.States[field] {
		case attempt.OutcomeUnknown:
			return attempt.OutcomeUnknown, nil
		case attempt.PaidAndGone:
			if known.Attempts[field] > last {
				state = attempt.PaidAndGone
			}
		}
	}
	return state, nil
}

// refreshing is what a refresh is about to do.
type refreshing struct {
	RefreshOptions
	plan      RefreshPlan
	companies []company
	calls     []wanted
}

// PlanRefresh returns the plan of Refresh. It sends no paid call.
func PlanRefresh(ctx context.Context, w *pipeline.Work, o RefreshOptions) (*RefreshPlan, error) {
	return with(w, func(s *session) (*RefreshPlan, error) {
		if err := s.look(ctx, "watch refresh"); err != nil {
			return nil, err
		}
		if s.Journal == nil {
			return nil, problem.Usagef("the journal has no answers of the v2 interface yet")
		}
		if err := s.ReadAccount(ctx, s.free.StatusClient); err != nil {
			return nil, err
		}
		r, err := s.refreshing(ctx, o)
		if err != nil {
			return nil, err
		}
		return &r.plan, nil
	})
}

// Refresh asks again for the companies of a list whose watched fields have changed since their answers, the oldest
// change first, and writes the table of changes. It shows the plan and asks first. Running the same again resumes. The
// table depends only on the journal and the list.
func Refresh(ctx context.Context, w *pipeline.Work, o RefreshOptions, approver Approver) (*Refreshed, error) {
	return with(w, func(s *session) (*Refreshed, error) {
		if o.Output.Path != "" {
			if err := output.CheckTarget(o.Output.Path, o.Output.Sources); err != nil {
				return nil, err
			}
			if err := output.CheckNew(s.request(o.Output), table.Schema{Columns: changeColumns()}); err != nil {
				return nil, problem.AsUsage(err)
			}
		}
		if len(s.Provider.Prices) > 0 && (o.Budget.Threshold != nil || o.Budget.Approved != nil) {
			return nil, problem.Usagef("the approval of a run does not cover the calls for changes, and their units have a price; leave one of them out")
		}
		if err := s.CheckUnits(o.Budget, v2.OpGetCompany); err != nil {
			return nil, err
		}
		if err := paidcalls.MayAsk(o.Yes, approver.CanAsk()); err != nil {
			return nil, err
		}
		if err := s.own(ctx, "watch refresh"); err != nil {
			return nil, err
		}
		if err := s.settle(ctx); err != nil {
			return nil, err
		}
		r, err := s.refreshing(ctx, o)
		if err != nil {
			return nil, err
		}
		if err := s.agree(ctx, &r.plan, o.Yes, approver); err != nil {
			return nil, err
		}
		return s.refresh(ctx, r)
	})
}

// refreshing reads the list and makes the plan.
func (s *session) refreshing(ctx context.Context, o RefreshOptions) (*refreshing, error) {
	companies, unknown, err := s.companies(ctx, o.List)
	if err != nil {
		return nil, err
	}
	if o.Run == "" {
		o.Run = "watch-refresh-" + s.Work.Env.Now().UTC().Format(time.DateOnly)
	}
	r, err := s.due(o, companies)
	if err != nil {
		return nil, err
	}
	r.plan.Unknown = append(r.plan.Unknown, unknown...)
	polled, err := s.Journal.Polled()
	if err != nil {
		return nil, err
	}
	if !polled.IsZero() {
		r.plan.Polled = &polled
	}
	return r, nil
}

// due finds the records that have changed since their answers.
func (s *session) due(o RefreshOptions, companies []company) (*refreshing, error) {
	r := &refreshing{RefreshOptions: o, companies: companies}
	r.plan = RefreshPlan{Run: o.Run, Companies: int64(len(companies)), Unknown: []UnknownRow{}}
	type dated struct {
		wanted
		oldest time.Time
	}
	var due []dated
	operations := map[v2.Operation]int64{}
	for _, c := range companies {
		parts, answered, err := s.parts(c)
		if err != nil {
			return nil, err
		}
		if !answered {
			r.plan.Unanswered++
		}
		changed := false
		for _, p := range parts {
			pending := p.pending()
			if len(pending) == 0 {
				continue
			}
			changed, r.plan.Changes = true, r.plan.Changes+int64(len(pending))
			oldest := pending[0].at()
			for _, o := range pending {
				if o.at().Before(oldest) {
					oldest = o.at()
				}
			}
			if r.plan.Oldest == nil || oldest.Before(*r.plan.Oldest) {
				r.plan.Oldest = &oldest
			}
			switch {
			case p.state == attempt.OutcomeUnknown:
				r.plan.InDoubt++
			case p.state == attempt.PaidAndGone && !o.Rebuy:
				r.plan.Forfeited++
			default:
				lookup := enrich.Lookup{Identity: p.who, Fields: enrich.FieldsOf(p.field)}
				operations[v2.CallOf(lookup).Operation]++
				// What is forfeited under another identity was asked for again since: see state.
				reask := attempt.Reask{UpTo: p.changes[len(p.changes)-1].After, Forfeited: true}
				due = append(due, dated{wanted{lookup, reask}, oldest})
			}
		}
		if changed {
			r.plan.Changed++
		}
	}
	slices.SortStableFunc(due, func(a, b dated) int { return a.oldest.Compare(b.oldest) })
	for _, d := range due {
		r.calls = append(r.calls, d.wanted)
	}
	r.plan.Needed = int64(len(r.calls))
	r.plan.Units = s.units(o.Paying, operations)
	for o := range operations {
		if err := s.CheckUnits(r.Budget, o); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// refresh sends the calls and writes the table.
func (s *session) refresh(ctx context.Context, r *refreshing) (*Refreshed, error) {
	run, err := s.begin(r.Paying, "watch refresh", r.Output.Path)
	if err != nil {
		return nil, err
	}
	client, err := v2.NewClient(s.config)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	defer client.Close()
	rates := s.Service.Connect(provider.ConnectOptions{}).Rates(enrich.FieldsOf(v2.FieldCompany, v2.FieldOwnership), nil)
	finder := v2.Finder{Client: client, Prices: s.Provider.Prices}
	tally, stop, err := s.send(ctx, sending{r.Paying, "changes", rates, finder}, r.calls)
	if err != nil {
		return nil, err
	}
	after := context.WithoutCancel(ctx)
	v := &Refreshed{Calls: tally.Posts, Answered: tally.Answered, Stop: stop, Output: r.Output.Path}
	if stop != nil {
		v.StopWord = new(stop.Word())
	}
	if r.Output.Path != "" {
		if v.Kept, v.Rows, err = s.write(after, r); err != nil {
			return nil, err
		}
	}
	if err := s.end(r.Paying, run, tally, stop); err != nil {
		return nil, err
	}
	// A call of this refresh may have been charged and lost. Only another refresh asks again.
	o := r.RefreshOptions
	o.Rebuy = false
	now, err := s.due(o, r.companies)
	if err != nil {
		return nil, err
	}
	v.RefreshPlan = r.plan
	v.InDoubt, v.Forfeited, v.NotSent, v.Units = now.plan.InDoubt, now.plan.Forfeited, now.plan.Needed, s.units(r.Paying, nil)
	return v, nil
}

func idsOf(companies []company) (ids []string) {
	for _, c := range companies {
		ids = append(ids, c.id)
	}
	return ids
}
