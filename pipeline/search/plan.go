package search

import (
	"context"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// Plan says what a search will ask for, before anything is sent.
type Plan struct {
	Search   string `json:"search"` // the kind of the search
	Filters  string `json:"filters"`
	Run      string `json:"run"`
	Searches int64  `json:"searches"` // one for each company whose employees are searched
	Most     int64  `json:"max,omitempty"`
	PerOne   int64  `json:"per_company,omitempty"`
	// Known are the results that the journal has, and Pages the pages that they are from.
	Known int64  `json:"known_results"`
	Pages int64  `json:"known_pages"`
	Total *int64 `json:"total_results"` // by the service's count; null while that is not known
	// Needed are the calls to send first. What they bring says how many follow, and AtMost bounds them all.
	Needed int64  `json:"calls_needed"`
	AtMost *int64 `json:"calls_at_most"` // null when a call uses up nothing that has a limit
	// Maximum is what AtMost calls cost at most. It is left out where units have no price.
	Maximum *cost.Money `json:"maximum_usd,omitempty"`
	Units   []UsedMeter `json:"units"`
	// Seconds is how long AtMost calls take at least.
	Seconds  float64       `json:"seconds_at_most"`
	FreshFor time.Duration `json:"-"`
	each     string        // for what there is a search each
	ofRun    bool          // the search is a part of a run, whose units these are
	Fresh    float64       `json:"fresh_for_seconds"`
}

// UsedMeter says how much of a module a run has used.
type UsedMeter struct {
	Module string `json:"module"`
	Limit  *int64 `json:"limit"` // of the run; null when only other limits bind, such as one on money
	Used   int64  `json:"used"`
	Held   int64  `json:"held"` // by calls in doubt
	// AccountLeft is what is left of the account's own total; null when it does not tell.
	AccountLeft *int64 `json:"account_left"`
}

// plan says what a walk needs.
func (s *session) plan(progress Progress) *Plan {
	p := &Plan{
		Search: s.Order.Kind.Name, Filters: s.Order.Query.String(), Run: s.name, Searches: max(progress.Roots, s.Order.Count),
		Most: s.Order.Most, PerOne: s.Order.PerOne, Known: int64(len(progress.Items)), Pages: progress.Pages,
		Total: valueOf(progress.Total), Needed: int64(len(progress.Needed)), Units: s.used(),
		FreshFor: s.FreshFor, Fresh: s.FreshFor.Seconds(), each: s.Order.each(), ofRun: s.people != nil,
	}
	atMost := int64(0)
	if p.Needed > 0 {
		atMost = s.atMost(progress)
	}
	if covered, limited := s.covered(); limited {
		p.AtMost = &covered
	}
	if atMost > 0 || p.Needed == 0 {
		if p.AtMost == nil || atMost < *p.AtMost {
			p.AtMost = &atMost
		}
	}
	if p.AtMost != nil {
		rate := s.Service.KeptRate()
		p.Seconds = cost.Duration(*p.AtMost, rate.Slots, rate.Window).Seconds()
		p.Maximum = s.maximum(*p.AtMost)
	}
	return p
}

// atMost returns how many calls a search can need that never needs to be split; 0 for any number.
func (s *session) atMost(progress Progress) int64 {
	q := s.Order.Query
	bound := s.Order.Most
	if isRecord(q.operation) {
		return int64(len(progress.Needed)) // each search is one call
	}
	if pages := int64(s.Order.pagesOfOne()); pages > 0 {
		return progress.awaited() * pages
	}
	if perOne := s.Order.PerOne; perOne > 0 {
		searches := max(s.Order.Count, 1)
		pages := (perOne + int64(q.PerPage()) - 1) / int64(q.PerPage())
		return max(int64(len(progress.Needed)), searches*pages)
	}
	if last := int64(q.LastPage()); bound > 0 && s.Order.Companies == nil && (last == 0 || bound <= last*int64(q.PerPage())) {
		pages := (bound + int64(q.PerPage()) - 1) / int64(q.PerPage())
		return max(int64(len(progress.Needed)), pages)
	}
	return 0
}

func valueOf(count cost.Optional[int64]) *int64 {
	if !count.Known {
		return nil
	}
	return &count.Value
}

// MakePlan plans a search. It reads the journal, if there is one, and the account, and sends nothing that is
// paid for.
func MakePlan(ctx context.Context, w *pipeline.Work, o Options) (*Plan, error) {
	return makePlan(ctx, w, o, nil)
}

func makePlan(ctx context.Context, w *pipeline.Work, o Options, people *peopleSearch) (*Plan, error) {
	return pipeline.WithSession(w, func(place *workspace.Session) (*Plan, error) {
		s, err := newSession(w, place, o, people)
		if err != nil {
			return nil, err
		}
		found, err := place.ReadExisting(ctx, "search")
		if err != nil {
			return nil, err
		}
		var journal *checkpoint.Journal
		if found {
			if journal, err = place.AccountOf(s.Service); err != nil {
				return nil, err
			}
		}
		if err := s.use(journal); err != nil {
			return nil, err
		}
		at, err := place.Endpoint(s.Service)
		if err != nil {
			return nil, err
		}
		status, err := v2.NewStatusClient(s.Provider.Config(at))
		if err != nil {
			return nil, problem.AsUsage(err)
		}
		if s.Account, err = status.Status(ctx); err != nil {
			return nil, problem.AsRefused(ctx, err)
		}
		progress, err := s.walk()
		if err != nil {
			return nil, err
		}
		if people != nil {
			people.progress = progress
			people.page = s.page()
		}
		return s.plan(progress), nil
	})
}
