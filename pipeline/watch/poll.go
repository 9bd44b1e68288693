package watch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/io/service/v2"
	"payonce/io/spool"
	"payonce/pipeline"
	"payonce/pipeline/report"
)

// overlap is the time before the last poll that a poll reads again, because the service may show a change late and its
// clock may differ. A change that is read again is observed only once.
const overlap = 24 * time.Hour

// PollOptions say which companies are polled.
type PollOptions struct {
	// Notified polls only companies with a waiting notification.
	Notified bool
}

// Polled says what a poll read and observed.
type Polled struct {
	Watched   int64      `json:"watched"`  // companies
	Notified  int64      `json:"notified"` // companies with a waiting notification
	Read      int64      `json:"events_read"`
	Observed  int64      `json:"observed"` // of these, for the first time
	Companies int64      `json:"companies_changed"`
	From      *time.Time `json:"from"` // null when all changes were read
	Through   *time.Time `json:"through"`
}

// Render writes the summary.
func (v *Polled) Render(page *report.Page) {
	page.Titlef("Changes of watched companies")
	page.Gap()
	page.Entryf("watched", "%s", companiesCounted(v.Watched))
	if v.Notified > 0 {
		page.Entryf("with a notification", "%s", companiesCounted(v.Notified))
	}
	if v.From != nil {
		page.Entryf("read from", "%s", v.From.Format(time.DateOnly))
	}
	page.Entryf("events", "%d", v.Read)
	page.Entryf("new changes", "%d, of %s", v.Observed, companiesCounted(v.Companies))
}

func companiesCounted(n int64) string {
	if n == 1 {
		return "1 company"
	}
	return report.Number(n) + " companies"
}

// Poll observes the changes of all watched companies, and of companies with a waiting notification, since the last
// poll. A change is durable in the journal before its notification is removed, and before the time of the poll is
// recorded.
//
// The specification does not say whether the date of a watched company is that of its start or of its last change. So
// Poll reads the changes of each company. It is free.
func Poll(ctx context.Context, w *pipeline.Work, o PollOptions) (*Polled, error) {
	return with(w, func(s *session) (*Polled, error) {
		if err := s.own(ctx, "watch poll"); err != nil {
			return nil, err
		}
		return s.poll(ctx, o)
	})
}

func (s *session) poll(ctx context.Context, o PollOptions) (*Polled, error) {
	v, began := &Polled{}, s.Work.Env.Now().UTC()
	last, err := s.Journal.Polled()
	if err != nil {
		return nil, err
	}
	var from time.Time
	if !last.IsZero() {
		from = last.UTC().Add(-overlap).Truncate(24 * time.Hour)
		v.From = &from
	}
	dir, err := s.Work.Workspace.SpoolDir(s.Service)
	if err != nil {
		return nil, err
	}
	notified, err := spool.Open(dir)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	// An entry is read before the changes of its company, and removed after they are durable. A later entry stays.
	err = notified.Each(func(e spool.Entry) error {
		v.Notified++
		named[e.CompanyID] = true
		if err := s.observe(ctx, v, e.CompanyID, from); err != nil {
			return err
		}
		return notified.Done(e)
	})
	if err != nil || o.Notified {
		return v, err
	}
	watched, err := s.watched(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range watched {
		v.Watched++
		if named[one.ID.Value] {
			continue
		}
		if err := s.observe(ctx, v, one.ID.Value, from); err != nil {
			return nil, err
		}
	}
	if began.Before(last) { // the clock was set back
		began = last
	}
	v.Through = &began
	return v, s.Journal.SavePolled(began)
}

// observe records those changes of a company that are not recorded yet.
func (s *session) observe(ctx context.Context, v *Polled, id string, from time.Time) error {
	events, err := s.events(ctx, id, from)
	if err != nil {
		return err
	}
	changes := make([]checkpoint.Observed, len(events))
	for i, e := range events {
		changes[i] = checkpoint.Observed{Company: id, Content: e.Raw}
	}
	added, err := s.Journal.Observe(changes)
	v.Read, v.Observed = v.Read+int64(len(events)), v.Observed+int64(added)
	if added > 0 {
		v.Companies++
	}
	return err
}

// events returns the changes of a company from a day on, the newest first. It returns none when the service does not
// know the company.
func (s *session) events(ctx context.Context, id string, from time.Time) (all []v2.Event, err error) {
	err = pages(ctx, func(p v2.Paging) (v2.Page[v2.Event], error) {
		return s.free.WatchEvents(ctx, id, v2.EventsBetween{From: from, Paging: p})
	}, func(e v2.Event) { all = append(all, e) })
	if isNotFound(err) {
		s.Note("the service does not know company %s, so no changes of it were read", id)
		return nil, nil
	}
	return all, err
}

// observation is a recorded observation with its decoded content.
type observation struct {
	v2.Event
	checkpoint.Observation
}

// field returns the name of the watched field; "" when the content names none.
func (o observation) field() string { return o.Type.Value }

// at returns when the field changed according to the service, or else when the change was first observed.
func (o observation) at() time.Time {
	if o.Created.Known {
		return o.Created.Value
	}
	return o.At
}

// observations returns the recorded changes of a company, the oldest first.
func (s *session) observations(id string) (all []observation, err error) {
	recorded, err := s.Journal.Observations(id)
	for _, o := range recorded {
		all = append(all, observation{v2.ReadEvent([]byte(o.Content)), o})
	}
	slices.SortFunc(all, func(a, b observation) int {
		return cmp.Or(cmp.Compare(a.After, b.After), a.at().Compare(b.at()), cmp.Compare(a.Content, b.Content))
	})
	return all, err
}
