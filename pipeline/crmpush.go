// This file pulls a list from a CRM, pushes approved values to the CRM, and undoes a push.

package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/enrich"
	iocrm "payonce/io/crm"
	"payonce/io/table"
	"payonce/pipeline/crm"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// CRMPushOptions say which values are written to a CRM, and how.
type CRMPushOptions struct {
	CRMOptions
	CRM     CRMAccount
	Review  string // the file with the decisions; "" for those that are saved
	Limit   int64  // the most records to write; 0 for all
	Trigger bool   // start workflows of the CRM
	DryRun  bool   // write nothing
}

// pulledRun replaces the name of a run in the record of a pulled list. No run has this name.
const pulledRun = "crm/pull"

// PullCRM writes the contacts of a CRM to a list. Those who opted out are left out unless they are wanted: a run would
// pay for values that are never written.
func (w *Work) PullCRM(ctx context.Context, account CRMAccount, which iocrm.Selection, optedOut bool, to Output) (*report.CRMPull, error) {
	return with(w, func(s *session) (_ *report.CRMPull, err error) {
		if err := s.place.OpenJournal(ctx, "crm pull"); err != nil {
			return nil, err
		}
		if err := s.checkPullTarget(to); err != nil {
			return nil, err
		}
		from, err := s.connect(account)
		if err != nil {
			return nil, err
		}
		view := &report.CRMPull{CRM: from.Name, List: to.Path, ListsOptedOut: optedOut}
		var rows [][]string
		if err := from.Find(ctx, which, func(r iocrm.Record) error {
			if view.Count(from, &r) {
				rows = append(rows, from.Pulled(&r))
			}
			return nil
		}); err != nil {
			return nil, crmProblem(ctx, err)
		}
		if len(which.IDs) > 0 {
			view.Missing = int64(len(which.IDs)) - view.Found
		}
		// The list can be pulled again, so only an edited file is kept.
		view.KeptFiles, err = output.WriteNew(ctx,
			output.Request{Path: to.Path, Stdout: to.Stdout, Mode: w.Env.FileMode, Raw: w.Env.Raw, Remade: true},
			table.NewMemory(crm.PulledHeader(), rows),
			output.Protection{Journal: output.JournalOf(s.journal(), false), Run: pulledRun, Now: s.now(), Most: to.Keep, Rows: int64(len(rows))})
		if err != nil {
			return nil, err
		}
		return view, nil
	})
}

// checkPullTarget returns an error for a file that is an output, or a list that was not pulled.
func (s *session) checkPullTarget(to Output) error {
	lists, err := RecordedLists(s.journal())
	if err != nil {
		return err
	}
	outputs, err := RecordedOutputs(s.journal())
	if err != nil {
		return err
	}
	if is, err := output.IsRecorded(s.journal(), to.Path, pulledRun); err != nil {
		return err
	} else if is {
		lists = nil
	}
	return output.CheckTarget(to.Path, slices.Concat(lists, outputs, to.Sources))
}

// PushCRM writes the approved values to the records of the CRM that the list was pulled from.
func (w *Work) PushCRM(ctx context.Context, o CRMPushOptions) (*report.CRMPush, error) {
	return with(w, func(s *session) (*report.CRMPush, error) {
		if err := s.place.Require(ctx, "crm push"); err != nil {
			return nil, err
		}
		r, err := s.reviewCRM(ctx, o.CRMOptions)
		if err != nil {
			return nil, err
		}
		if r.at.Pulled == nil {
			return nil, problem.Coded("crm_not_pulled", "%s was not pulled from a CRM, so nothing can be written to one", strings.Join(r.order.Names, " "))
		}
		if o.Review != "" {
			if err := r.readDecisions(ctx, o.Review); err != nil {
				return nil, err
			}
		}
		decided, err := r.apply()
		if err != nil {
			return nil, err
		}
		to, err := s.connect(o.CRM)
		if err != nil {
			return nil, err
		}
		for i := range r.Lines {
			if line := &r.Lines[i]; line.CRM != to.Name {
				return nil, problem.Usagef("%s: row %d is from the CRM %q, but the credentials are for %q; use those of the first",
					strings.Join(r.order.Names, " "), line.Row, line.CRM, to.Name)
			}
		}
		if !o.DryRun { // decisions that the review removed are also removed for later commands
			for i := range r.Lines {
				if r.Lines[i].Decision != crm.Undecided || r.saved[i] {
					decided = append(decided, i)
				}
			}
			if err := r.save(decided...); err != nil {
				return nil, err
			}
		}
		return r.push(ctx, to, o)
	})
}

// push writes the values, one record after the other.
func (r *crmReview) push(ctx context.Context, to *crm.CRM, o CRMPushOptions) (*report.CRMPush, error) {
	view := report.NewCRMPush(r.Review, to.Name, o.DryRun)
	fields, err := to.Fields(ctx)
	if err != nil {
		return nil, crmProblem(ctx, err)
	}
	push := &crm.Push{
		CRM: to, Run: r.Review.Run, Fields: fields, Trigger: o.Trigger, Hash: r.journal().ValueKey, Now: r.now,
		Save: func(item *crm.Item) error {
			var lines []int
			if item.Event != (enrich.Key{}) {
				return r.saveStates(item)
			}
			for _, c := range item.Cells {
				r.Take(c)
				lines = append(lines, c.Line)
			}
			return r.save(lines...)
		},
	}
	// A value that the list has by now is in no line. What became of its write is noted all the same.
	lines := map[string]bool{}
	for i := range r.Lines {
		key := r.eventOf(&r.Lines[i])
		lines[string(key[:])+r.Lines[i].Field] = true
	}
	items, err := r.written(to.Name, func(event checkpoint.Event, field record.EventOutcome) bool {
		return field.Write.Run == r.Review.Run && field.Write.State == crm.Sent && !lines[string(event.Key[:])+field.Field]
	})
	if err != nil {
		return nil, err
	}
	items = append(items, r.Items(to)...)
	err = eachItem(ctx, items, view, o.Limit, func(item *crm.Item) (err error) {
		if !o.DryRun {
			err = push.Write(ctx, item)
		} else {
			_, _, err = push.Look(ctx, item)
		}
		if err == nil {
			view.Add(item)
		}
		return err
	})
	return view, err
}

// eachItem calls do for each item. An error of the CRM or an interrupt ends it, and is noted in the view.
func eachItem(ctx context.Context, items []*crm.Item, view *report.CRMPush, limit int64, do func(*crm.Item) error) error {
	doubts := int64(0) // records that may have been changed
	for i, item := range items {
		if limit > 0 && view.Records+doubts >= limit {
			view.Left = int64(len(items) - i)
			return nil
		}
		err := ctx.Err()
		before := view.InDoubt
		if err == nil {
			err = do(item)
		}
		if err == nil {
			if view.InDoubt > before {
				doubts++
			}
			continue
		}
		view.Left = int64(len(items) - i)
		stop := new(iocrm.Error)
		switch {
		case ctx.Err() != nil && (errors.As(err, &stop) || errors.Is(err, ctx.Err())):
			view.Stop = &report.CRMStop{Code: "crm_interrupted", Message: "interrupted"}
		case errors.As(err, &stop):
			view.Stop = &report.CRMStop{Code: "crm_" + string(stop.Problem), Message: stop.Error(), Until: stop.Until}
		default:
			return err
		}
		return nil
	}
	return nil
}

// crmProblem adds to an error of a CRM who has to act.
func crmProblem(ctx context.Context, err error) error {
	e := new(iocrm.Error)
	if ctx.Err() != nil || !errors.As(err, &e) {
		return cmp.Or(ctx.Err(), err)
	}
	kind := problem.Refused
	if e.Problem == iocrm.Invalid {
		kind = problem.Usage
	}
	return &problem.Error{Kind: kind, Code: "crm_" + string(e.Problem), Err: err}
}

// UndoCRM clears the values that a run wrote to a CRM and that the CRM still has. It first calls confirm with the
// fields to clear, and clears nothing when confirm returns an error.
func (w *Work) UndoCRM(ctx context.Context, account CRMAccount, name string, confirm func(*report.CRMPush) error) (*report.CRMPush, error) {
	return with(w, func(s *session) (*report.CRMPush, error) {
		if err := s.place.Require(ctx, "crm undo"); err != nil {
			return nil, err
		}
		run, err := FindRun(s.journal(), name)
		if err != nil {
			return nil, err
		}
		from, err := s.connect(account)
		if err != nil {
			return nil, err
		}
		view := &report.CRMPush{Run: run.Name, CRM: from.Name, Undo: true, Returned: []report.CRMReason{}}
		items, err := s.written(from.Name, func(_ checkpoint.Event, field record.EventOutcome) bool {
			w := field.Write
			return w.Run == run.Name && (w.State == crm.Written || w.State == crm.Sent || w.State == crm.Clearing)
		})
		if err != nil || len(items) == 0 {
			return view, err
		}
		for _, item := range items {
			for _, c := range item.Cells {
				view.Writes = append(view.Writes, report.CRMWrite{Record: item.Record, Field: c.Target})
			}
		}
		if err := confirm(view); err != nil {
			return nil, err
		}
		view.Writes = nil
		undo := &crm.Undo{CRM: from, Hash: s.journal().ValueKey, Now: s.now, Save: s.saveStates}
		return view, eachItem(ctx, items, view, 0, func(item *crm.Item) error {
			err := undo.Clear(ctx, item)
			if err == nil {
				view.Add(item)
			}
			return err
		})
	})
}

// written returns the requested values of the events of a CRM, in the order of the records' ids.
func (s *session) written(name string, asked func(checkpoint.Event, record.EventOutcome) bool) (items []*crm.Item, err error) {
	err = s.journal().Events(func(event checkpoint.Event) error {
		item := &crm.Item{Event: event.Key, Record: event.Record}
		for i, field := range event.Fields {
			if event.CRM == name && asked(event, field) {
				item.Cells = append(item.Cells, &crm.Cell{Line: i, Asked: true, RecordWrite: field.Write})
			}
		}
		if len(item.Cells) > 0 {
			items = append(items, item)
		}
		return nil
	})
	slices.SortFunc(items, func(a, b *crm.Item) int { return strings.Compare(a.Record, b.Record) })
	return items, err
}

// saveStates records the states of the values of an event. A value that was cleared or sent back loses its decision.
func (s *session) saveStates(item *crm.Item) error {
	event, found, err := s.journal().Event(item.Event)
	if err != nil || !found {
		return err
	}
	event.Changed = s.now()
	for _, c := range item.Cells {
		field := &event.Fields[c.Line]
		if field.Write = c.RecordWrite; c.State == crm.Cleared || c.State == crm.Returned {
			field.Decision, field.DecidedBy, field.At = "", "", time.Time{}
		}
	}
	return s.journal().SaveEvents([]checkpoint.Event{{Key: item.Event, Event: event}})
}
