package watch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/paidcalls"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// AddOptions say which companies are to be watched.
type AddOptions struct {
	Paying
	List   List
	Fields []string // to watch; empty for those that the service chooses
}

// CheckFields returns an error for a name of a field that cannot be watched.
func CheckFields(fields []string) error {
	for _, field := range fields {
		if !slices.Contains(v2.WatchableFields(), field) {
			return problem.Usagef("%q is not a field that can be watched; give some of %s", field, strings.Join(v2.WatchableFields(), ", "))
		}
	}
	return nil
}

// AddPlan says how many companies of a list would be started, and what that needs.
type AddPlan struct {
	Run       string       `json:"run"`
	Companies int64        `json:"companies"`
	Watched   int64        `json:"watched"`    // already, with all the fields
	AddFields int64        `json:"add_fields"` // watched already, but without some of the fields
	Starts    int64        `json:"starts"`
	InDoubt   int64        `json:"in_doubt"` // lost starts that are undecided
	Fields    []string     `json:"fields"`   // empty for those that the service chooses
	Unknown   []UnknownRow `json:"unknown_rows"`
	Units     []Units      `json:"units"`
}

// Calls implements Plan.
func (p *AddPlan) Calls() int64 { return p.Starts }

// Render writes the plan.
func (p *AddPlan) Render(page *report.Page) {
	page.Titlef("Plan to watch companies")
	page.Gap()
	page.Entryf("run", "%s", p.Run)
	page.Entryf("companies", "%d", p.Companies)
	page.Entryf("watched already", "%d", p.Watched)
	if p.AddFields > 0 {
		page.Entryf("get more fields", "%d, which is free", p.AddFields)
	}
	page.Entryf("to start", "%d", p.Starts)
	if p.InDoubt > 0 {
		page.Entryf("in doubt", "%s, not started again", report.Counted(p.InDoubt, "lost start"))
	}
	renderUnknown(page, p.Unknown)
	renderUnits(page, p.Units)
}

// shownRows is how many rows are shown to a person.
const shownRows = 20

func renderUnknown(page *report.Page, rows []UnknownRow) {
	if len(rows) == 0 {
		return
	}
	page.Entryf("rows without a known id", "%d, which are left out%s", len(rows), page.Hint("watch_unknown"))
	for _, row := range rows[:min(len(rows), shownRows)] {
		page.Itemf("row %d: %s", row.Row, row.Why)
	}
}

// Added says how many companies were started, and which were not.
type Added struct {
	AddPlan
	Started   int64         `json:"started"`
	NotFound  int64         `json:"not_found"`
	NotSent   int64         `json:"not_sent"` // because of a limit or a stop
	Calls     int64         `json:"calls"`
	Problems  []string      `json:"problems"` // of fields that could not be added
	StopWord  *string       `json:"stop"`
	Stop      dispatch.Stop `json:"-"`
	Advice    string        `json:"-"`
	DoubtsNow int64         `json:"in_doubt_now"`
}

// Render writes the summary.
func (v *Added) Render(page *report.Page) {
	page.Titlef("Watching companies")
	page.Gap()
	page.Entryf("watched before", "%d", v.Watched+v.AddFields)
	page.Entryf("started", "%d", v.Started)
	if v.NotFound > 0 {
		page.Entryf("not found", "%d, which the service does not know", v.NotFound)
	}
	if v.NotSent > 0 {
		page.Entryf("not started", "%d", v.NotSent)
	}
	if v.DoubtsNow > 0 {
		page.Entryf("in doubt", "%s", report.Counted(v.DoubtsNow, "lost start"))
	}
	renderUnknown(page, v.Unknown)
	for _, text := range v.Problems {
		page.Alertf("fields", "%s", text)
	}
	renderUnits(page, v.Units)
	if v.Advice != "" {
		page.Linef("%s", v.Advice)
	}
}

// adding is what an Add is about to do.
type adding struct {
	AddOptions
	plan   AddPlan
	starts []wanted
	more   map[string][]string // fields that companies are watched without
	order  []string            // of the companies of more
}

// PlanAdd returns the plan of Add. It sends no paid call.
func PlanAdd(ctx context.Context, w *pipeline.Work, o AddOptions) (*AddPlan, error) {
	return with(w, func(s *session) (*AddPlan, error) {
		if err := s.look(ctx, "watch add"); err != nil {
			return nil, err
		}
		if err := s.ReadAccount(ctx, s.free.StatusClient); err != nil {
			return nil, err
		}
		a, err := s.adding(ctx, o)
		if err != nil {
			return nil, err
		}
		return &a.plan, nil
	})
}

// Add starts to watch those companies of a list that are not watched yet. It shows the plan and asks first. Running the
// same again resumes.
func Add(ctx context.Context, w *pipeline.Work, o AddOptions, approver Approver) (*Added, error) {
	return with(w, func(s *session) (*Added, error) {
		if err := s.CheckUnits(o.Budget, v2.OpWatchStart); err != nil {
			return nil, err
		}
		if err := paidcalls.MayAsk(o.Yes, approver.CanAsk()); err != nil {
			return nil, err
		}
		if err := s.own(ctx, "watch add"); err != nil {
			return nil, err
		}
		if err := s.settle(ctx); err != nil {
			return nil, err
		}
		a, err := s.adding(ctx, o)
		if err != nil {
			return nil, err
		}
		if err := s.agree(ctx, &a.plan, o.Yes, approver); err != nil {
			return nil, err
		}
		return s.add(ctx, a)
	})
}

// adding finds the companies to start.
func (s *session) adding(ctx context.Context, o AddOptions) (*adding, error) {
	if err := CheckFields(o.Fields); err != nil {
		return nil, err
	}
	companies, unknown, err := s.companies(ctx, o.List)
	if err != nil {
		return nil, err
	}
	if o.Run == "" {
		o.Run = nameOf("watch-add", companies)
	}
	a := &adding{AddOptions: o, more: map[string][]string{}}
	a.plan = AddPlan{Run: o.Run, Companies: int64(len(companies)), Fields: append([]string{}, o.Fields...), Unknown: append([]UnknownRow{}, unknown...)}
	// Starts up to this attempt have ended before the list is read. So a company that is not in the list is no longer
	// watched.
	var last attempt.ID
	if s.Journal != nil {
		last = s.Journal.LastAttempt()
	}
	watched, err := s.watched(ctx)
	if err != nil {
		return nil, err
	}
	fields := map[string][]string{}
	for _, w := range watched {
		fields[w.ID.Value] = append([]string{}, w.Fields...)
	}
	for _, c := range companies {
		start, err := v2.WatchStartCall(c.id, nil).Lookup()
		if err != nil {
			return nil, problem.AsUsage(err)
		}
		call := wanted{start, attempt.Reask{Before: s.Work.Env.Now(), UpTo: last, Forfeited: true}}
		now, is := fields[c.id]
		if !is {
			if now, is, err = s.startedBefore(ctx, start, c.id); err != nil {
				return nil, err
			}
		}
		missing := slices.DeleteFunc(slices.Clone(o.Fields), func(f string) bool { return slices.Contains(now, f) })
		switch {
		case is && len(missing) > 0:
			a.plan.AddFields++
			a.more[c.id], a.order = missing, append(a.order, c.id)
		case is:
			a.plan.Watched++
		case s.isOpen(start):
			a.plan.InDoubt++
		default:
			a.starts = append(a.starts, call)
		}
	}
	a.plan.Starts = int64(len(a.starts))
	a.plan.Units = s.units(o.Paying, map[v2.Operation]int64{v2.OpWatchStart: a.plan.Starts})
	return a, nil
}

// nameOf returns the name of a run about some companies: the same companies give the same name.
func nameOf(command string, companies []company) string {
	sum := sha256.New()
	for _, c := range companies {
		fmt.Fprintln(sum, c.id)
	}
	return command + "-" + hex.EncodeToString(sum.Sum(nil)[:4])
}

// startedBefore asks the service whether a company is watched when the journal has a start of it and the list of watched
// companies lacks it. The list may be older than the start.
func (s *session) startedBefore(ctx context.Context, start enrich.Lookup, id string) (fields []string, is bool, err error) {
	if s.Journal == nil {
		return nil, false, nil
	}
	known, err := s.Journal.Record(start.Identity)
	if err != nil || known.States[v2.FieldCompany] != attempt.Found && known.States[v2.FieldCompany] != attempt.PaidAndGone {
		return nil, false, err
	}
	fields, err = ask(ctx, func() ([]string, error) { return s.free.WatchFields(ctx, id) })
	if isNotFound(err) {
		return nil, false, nil
	}
	return fields, err == nil, err
}

// isOpen reports whether the outcome of a start is unknown.
func (s *session) isOpen(start enrich.Lookup) bool {
	if s.Journal == nil {
		return false
	}
	known, err := s.Journal.Record(start.Identity)
	return err == nil && known.States[v2.FieldCompany] == attempt.OutcomeUnknown // an error comes again with the call
}

// add adds missing fields and sends the starts.
func (s *session) add(ctx context.Context, a *adding) (*Added, error) {
	v := &Added{AddPlan: a.plan, Problems: []string{}}
	run, err := s.begin(a.Paying, "watch", "")
	if err != nil {
		return nil, err
	}
	for _, id := range a.order {
		if _, err := ask(ctx, func() ([]string, error) { return s.free.AddWatchFields(ctx, id, a.more[id]) }); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			v.Problems = append(v.Problems, fmt.Sprintf("company %s: %v", id, err))
		}
	}
	client, err := v2.NewClient(s.config)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	defer client.Close()
	finder := &starter{client: client, prices: s.Provider.Prices, fields: a.Fields}
	rates := s.Provider.Prices.Rates(cost.Rates{v2.FieldCompany: {Uses: s.Provider.Modules.Hold(v2.OpWatchStart, v2.Reveal{})}})
	var tally dispatch.Tally
	var stop dispatch.Stop
	left := a.starts
	for range mostTries {
		sent, why, err := s.send(ctx, sending{a.Paying, "watch", rates, finder}, left)
		if err != nil {
			return nil, err
		}
		tally, stop = tally.Plus(sent), why
		if err := s.decideStarts(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
		// A lost start that the service does not show was not charged.
		if left, err = s.unstarted(left); err != nil {
			return nil, err
		}
		if stop != nil || len(left) == 0 {
			break
		}
	}
	if stop == nil && len(left) > 0 {
		stop = dispatch.ServiceRefused{Code: dispatch.CodeUnavailable, Message: report.Counted(int64(len(left)), "start") + " failed three times"}
	}
	if err := s.end(a.Paying, run, tally, stop); err != nil {
		return nil, err
	}
	for _, call := range a.starts {
		known, err := s.Journal.Record(call.lookup.Identity)
		if err != nil {
			return nil, err
		}
		switch isNow := known.Attempts[v2.FieldCompany] > call.reask.UpTo; {
		case isNow && (known.States[v2.FieldCompany] == attempt.Found || known.States[v2.FieldCompany] == attempt.PaidAndGone):
			v.Started++ // also when the response was lost and the service shows the watch
		case isNow && known.States[v2.FieldCompany] == attempt.OutcomeUnknown:
			v.DoubtsNow++
		case isNow:
			v.NotFound++
		default:
			v.NotSent++
		}
	}
	v.Calls, v.Stop = tally.Posts, stop
	if stop != nil {
		v.StopWord = new(stop.Word())
	}
	v.Units = s.units(a.Paying, nil)
	return v, nil
}

// mostTries is how often a start is sent that the service proves not to have made.
const mostTries = 3

// unstarted returns the starts that have no outcome.
func (s *session) unstarted(starts []wanted) (left []wanted, err error) {
	for _, call := range starts {
		known, err := s.Journal.Record(call.lookup.Identity)
		if err != nil {
			return nil, err
		}
		if known.Attempts[v2.FieldCompany] <= call.reask.UpTo {
			left = append(left, call)
		}
	}
	return left, nil
}

// starter starts watches. The identity of a lookup names the company, and all are started with the same fields.
type starter struct {
	client *v2.Client
	prices v2.Prices
	fields []string
}

// Find implements dispatch.Finder.
func (f *starter) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	verdict := f.client.Send(ctx, v2.WatchStartCall(v2.CallOf(lookup).ID, f.fields))
	answered, ok := verdict.(enrich.Answered)
	if !ok {
		return verdict
	}
	if answered.Status != enrich.NotFound {
		answered.Returned = lookup.Fields
	}
	if len(f.prices) > 0 {
		var used cost.Amounts
		copy(used[:], answered.Consumed)
		answered.Consumed = v2.Consumed(f.prices.Priced(used))
	}
	return answered
}

// decideStarts decides lost starts by the service's answer: if the company is watched, the start succeeded. The counter
// of watched companies can fall, so it is not evidence.
func (s *session) decideStarts(ctx context.Context) error {
	for _, doubt := range s.Journal.Doubts() {
		call := v2.CallOf(enrich.Lookup{Identity: doubt.Identity, Fields: doubt.Hold.Fields})
		if doubt.Identity.Search == "" || call.Operation != v2.OpWatchStart || call.Check() != nil {
			continue
		}
		last := doubt.Since
		if doubt.Sender == "" && doubt.Arrived.After(last) {
			last = doubt.Arrived
		}
		if err := s.wait(ctx, last.Add(s.Work.Workspace.SettleDelay)); err != nil {
			return err
		}
		_, err := ask(ctx, func() ([]string, error) { return s.free.WatchFields(ctx, call.ID) })
		if err != nil && !isNotFound(err) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.Note("the service does not say whether company %s is watched, so its lost start stays in doubt: %v", call.ID, err)
			continue
		}
		if err != nil && doubt.Sender != "" {
			s.Note("%s may still send the start of watching company %s, so it stays in doubt", doubt.Sender, call.ID)
			continue
		}
		if err := s.Journal.Shown(err == nil, doubt.ID); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until a time, but never longer than the settle delay, because the clock may have been set back.
func (s *session) wait(ctx context.Context, until time.Time) error {
	left := min(until.Sub(s.Work.Env.Now()), s.Work.Workspace.SettleDelay)
	if left <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
