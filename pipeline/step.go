package pipeline

import (
	"context"
	"errors"
	"slices"

	"payonce/enrich"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/scan"
)

// knownTo returns what the journal knows of an account.
func (j *job) knownTo(account *provider.Account) output.StepAccount {
	if watched := j.watched[account.Journal]; watched != nil {
		return provider.Watched(account.Journal, watched)
	}
	return provider.Known(account.Journal)
}

// run returns the steps of the run for the pipeline.
func (j *job) run() (all output.Steps) {
	for _, s := range j.Steps {
		scope := s.Scope
		scope.Known = j.knownCompanies(s)
		all = append(all, output.Step{
			Name: s.Name, Account: j.knownTo(s.Account), Scan: s.Scan,
			Output: output.Output{
				Scope: scope, Run: j.Name, Stopped: s.Stopped, Optional: j.profile, Names: j.Schema.Columns,
				Units: output.UnitsOf(s.Account.Tariff, s.Scope.Wanted), CopyHeld: j.order.CopyHeld,
				AcceptMismatch: j.order.AcceptMismatch, Decoder: s.Account.NewDecoder(),
			},
		})
	}
	return all
}

// knownCompanies finds out which companies of a step are known by other identities than those of their rows. It returns
// nil where answers of the step name no identities.
func (j *job) knownCompanies(s *RunStep) scan.Known {
	journal := s.Account.Journal
	if journal == nil || s.Scope.Subject != enrich.Companies || s.Scope.Wanted&s.Account.Identifying == 0 {
		return nil
	}
	return &output.KnownCompanies{
		Account: journal, Catalogue: s.Account.Catalogue, Decoder: s.Account.NewDecoder(), Wanted: s.Scope.Wanted,
		Matching: s.Account.Matching,
	}
}

// namesCompanies reports whether a step asks an account whose answers name other identities of companies.
func (j *job) namesCompanies(account *provider.Account) bool {
	return slices.ContainsFunc(j.Steps, func(s *RunStep) bool { return s.Account == account && j.knownCompanies(s) != nil })
}

// take scans the whole list for each step.
func (j *job) take(ctx context.Context) error {
	defer j.work.Observer.Scanning()()
	if err := j.limitRows(ctx); err != nil {
		return err
	}
	if err := j.takeSteps(ctx); err != nil {
		return err
	}
	j.Count()
	return nil
}

// takeSteps scans the list for each step. A step sees the rows with the answers of the steps before it.
// Nothing is sent meanwhile, so the answers of each step are added to the rows once.
func (j *job) takeSteps(ctx context.Context) (err error) {
	if err := j.closeScans(); err != nil {
		return err
	}
	for _, s := range j.Steps {
		if s.Account.Journal != nil {
			s.Scope.InFlight = s.Account.Journal.InFlight
		}
	}
	run := j.run()
	rows, err := run.After(j.list, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	take := scan.New
	// Another step may ask the account about persons that are not open in the first one, and answers may show other
	// identities of companies.
	if j.output.Path != "" && len(j.Steps) == 1 && run[0].Scope.Known == nil {
		take = scan.NewWithIndex
	}
	for i, s := range j.Steps {
		if i > 0 {
			if err := rows.Answer(run.Step(i - 1)); err != nil {
				return err
			}
		}
		if s.Scan, err = run.Scan(ctx, rows, i, i > 0, take); err != nil {
			return err
		}
	}
	return nil
}

// closeScans drops what the scans keep for the output.
func (j *job) closeScans() (err error) {
	for _, s := range j.Steps {
		if s.Scan != nil {
			err = errors.Join(err, s.Scan.Close())
		}
	}
	return err
}

// limitsRows reports whether the limit is on rows, which go through all steps.
func (j *job) limitsRows() bool {
	return j.order.Limit > 0 && (len(j.Steps) > 1 || j.Steps[0].Scope.Subject == enrich.Companies)
}

// limitRows keeps all steps to the rows of the first subjects, in whichever step they are. The list alone decides which
// rows these are: answers make rows duplicates or name their companies, and the same command must not ask for other
// rows then.
func (j *job) limitRows(ctx context.Context) error {
	if !j.limitsRows() || j.Steps[0].Scope.Only != nil {
		return nil
	}
	scans := make([]*scan.Scan, len(j.Steps))
	for i, s := range j.Steps {
		var err error
		if scans[i], err = scan.OfList(ctx, s.Scope, j.list, j.knownTo(s.Account)); err != nil {
			return err
		}
	}
	only, err := scan.FirstOf(ctx, j.list, j.order.Limit, scans...)
	for _, s := range j.Steps {
		s.Scope.Only = only
	}
	return err
}

// addSteps adds the steps that the list is taken through.
func (j *job) addSteps() error {
	list := provider.ListOf(j.Reading.Lists, j.Reading.Mapping)
	list.Resolve = j.order.Resolve
	if j.order.Fallback {
		list.Fallbacks = provider.FallbacksOf(j.Reading.Mapping)
		list.Fallbacks.Persons, list.Fallbacks.OnRequest = !j.order.OnlyCompaniesFallBack, !j.order.FallbackByDefault
	}
	planned, err := list.Steps(j.asked)
	if err != nil {
		return err
	}
	names := provider.StepNames(planned)
	for i, p := range planned {
		added := j.Add(j.accountOf(p.Interface), j.scope(p))
		added.Name = names[i]
		added.AsksByAnswers = p.ByID || p.Searched.Patterns != 0 && !p.WithoutID
		added.GivesIDs, added.Searches = p.Names(), p.Searches()
	}
	if !j.limitsRows() {
		for _, s := range j.Steps {
			s.Scope.Limit = j.order.Limit
		}
	}
	return nil
}

// keepFallback takes over the fallbacks of a run that was recorded, unless the user chooses them now.
func (j *job) keepFallback() error {
	run, recorded, err := j.journal().Run(j.Name)
	if err != nil || !recorded || !j.order.FallbackByDefault || !j.order.Fallback {
		return err
	}
	j.order.recallFallback(run)
	before := j.Steps
	j.Steps = nil
	if err := j.addSteps(); err != nil {
		return err
	}
	for _, s := range j.Steps {
		s.Scope.Priority = before[0].Scope.Priority
		if i := slices.IndexFunc(before, func(b *RunStep) bool { return b.Scope.Subject == s.Scope.Subject }); i >= 0 {
			s.Scope.Selected = before[i].Scope.Selected
		}
	}
	return nil
}

// accountOf returns the account of an interface, which the steps of a run share.
func (j *job) accountOf(of provider.Interface) *provider.Account {
	for _, account := range j.Accounts {
		if account.Catalogue.Interface == of.Catalogue.Interface {
			return account
		}
	}
	service, _ := j.session.work.Workspace.Service(of.Catalogue.Interface) // which the interface comes from
	account := j.account(service)
	if len(j.order.Figures) > 0 && account.Showing != nil {
		account.Interface, _ = account.Showing(j.order.Figures, j.order.Years) // checkFigures has the error
	}
	return account
}

// checkFigures refuses figures that none of the interfaces of the run has.
func (j *job) checkFigures() error {
	if len(j.order.Figures) == 0 {
		if len(j.order.Years) > 0 {
			return problem.Coded("years_alone", "years are given without figures")
		}
		return nil
	}
	for _, a := range j.asked {
		if a.Interface.Showing != nil && a.Fields&a.Interface.FiguresOf != 0 {
			_, err := a.Interface.Showing(j.order.Figures, j.order.Years)
			return problem.AsUsage(err)
		}
	}
	return problem.Usagef("no interface of this run has figures")
}

// account returns the account of a service.
func (s *session) account(of provider.Service) *provider.Account {
	return s.place.Account(of, s.note, func(err error) { s.note(s.work.Explain(err) + "; the plan goes on without it") })
}
