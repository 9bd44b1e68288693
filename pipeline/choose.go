package pipeline

import (
	"context"

	"payonce/enrich"
	"payonce/pipeline/output"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// choose reads which candidates somebody selected. Steps about companies then ask for them by their ids.
func (j *job) choose(ctx context.Context) error {
	if err := j.choosing.Read(ctx); err != nil {
		return err
	}
	for _, s := range j.Steps {
		if s.Scope.Subject == enrich.Companies {
			s.Scope.Selected = j.choosing.choices.IDs()
		}
	}
	return nil
}

// search returns the step that searches for companies, which is the first one; nil for none.
func (j *job) search() *ChoosingSearch {
	s := j.Steps[0]
	if !s.Searches {
		return nil
	}
	search := &ChoosingSearch{Scope: s.Scope, List: j.list, Journal: provider.Known(s.Account.Journal)}
	if j.order.Resolve {
		search.Resolving = j.run()[:2]
	}
	return search
}

// candidatesRequest says where candidates are written.
func (j *job) candidatesRequest() output.Request {
	return output.Request{Path: j.output.Candidates, Mode: j.work.Env.FileMode, Raw: j.work.Env.Raw}
}

// writeCandidates writes the candidates, also after an interrupt.
func (j *job) writeCandidates(ctx context.Context) (*report.Choices, []output.KeptVersion, error) {
	defer j.work.Observer.Scanning()()
	protection := output.Protection{
		Journal: output.JournalOf(j.journal(), j.place.Snapshot()), Run: j.Name, Now: j.now(), Most: j.output.Keep,
	}
	left, kept, err := j.choosing.Write(context.WithoutCancel(ctx), j.search(), j.candidatesRequest(), protection)
	if err != nil {
		err = output.AsNotWritten(j.output.Candidates, err)
	}
	return left, kept, err
}
