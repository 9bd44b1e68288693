// This file takes a list through the steps of a run. Each step asks one account for some fields of one
// kind of subject, which columns of the list or answers of earlier steps name. It asks only for what is still
// missing when it starts.
//
// A step does not ask for a value while an earlier one may still find it: while that one was not asked for
// it, or may have been charged for it. So a run that stopped in an earlier step goes on there. But what an earlier step
// did not ask for because a limit of its account alone was reached goes to the next step. What that one finds, or may
// have been charged for, the earlier step does not ask for afterwards.

package output

import (
	"context"
	"errors"
	"slices"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/scan"
)

// StepAccount is what the journal knows of one account.
type StepAccount interface {
	scan.Recorder
	OutputAnswers
	// Forgotten returns the keys that identities which were forgotten have in the account.
	Forgotten() (map[enrich.Key]bool, error)
}

// Step is one step of a run. Its Scope is that of a first step. Each scan reads
// which identities the account has forgotten.
type Step struct {
	Output
	Name    string // unique in the run
	Account StepAccount
	// Scan is the latest scan of the list for the step; nil for none. The output uses its index.
	Scan *scan.Scan

	refuses dispatch.Refuses // since the step has ended
	later   Steps
}

// Steps are the steps of a run in their order, one at least.
type Steps []Step

// Step returns a step that knows the steps after it.
func (s Steps) Step(i int) Step {
	step := s[i]
	step.later = s[i+1:]
	return step
}

// next returns the later steps that ask other accounts for values of the step.
func (s Step) next() (all []scan.Next, err error) {
	for _, later := range s.later {
		next := scan.Next{Scope: later.Scope, Account: later.Account}
		if next.Scope.Subject != s.Scope.Subject || s.asksAccountOf(later) {
			continue
		}
		shared := false
		for f := range s.Scope.Wanted.Each() {
			for g := range later.Scope.Wanted.Each() {
				if kindOf(s.Scope.Catalogue.Fields[f]) == kindOf(later.Scope.Catalogue.Fields[g]) {
					next.Fields[f], shared = next.Fields[f].With(g), true
				}
			}
		}
		if !shared {
			continue
		}
		if next.Scope.Forgotten, err = later.Account.Forgotten(); err != nil {
			return nil, err
		}
		all = append(all, next)
	}
	return all, nil
}

// asksAccountOf reports whether two steps ask the same account: a subject has another key in each.
func (s Step) asksAccountOf(other Step) bool {
	return s.Account.KeyOf([]byte("account")) == other.Account.KeyOf([]byte("account"))
}

// AnsweredRows are the rows of a list with the answers of the first steps. They have to be closed.
type AnsweredRows struct {
	list  scan.List // without answers
	all   Steps     // the first steps of the run
	steps Sequence  // all, with the indexes that were needed so far
}

// After returns the rows of the list after the first steps, as the journal knows their answers when they are read.
func (s Steps) After(list scan.List, first int) (r *AnsweredRows, err error) {
	r = &AnsweredRows{list: list}
	for i := range s[:first] {
		if err := r.Answer(s.Step(i)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Answer adds the answers of the next step to the rows.
func (r *AnsweredRows) Answer(next Step) (err error) {
	if next.Scope, err = r.scope(next); err != nil {
		return err
	}
	r.all = append(r.all, next)
	r.steps = append(r.steps, StepOutput{
		Output: next.Output, Name: next.Name, Answers: next.Account, Refuses: next.refuses,
	})
	return nil
}

// For returns the rows as a step with a scope reads them. It reads the list at most once for each step whose answers
// the scope reads, unless an earlier call did.
func (r *AnsweredRows) For(ctx context.Context, scope scan.Scope) (scan.List, error) {
	if len(r.steps) == 0 {
		return r.list, nil
	}
	read := scope.Columns()
	if scope.Priority != nil {
		read = append(read, scope.Priority.Column)
	}
	if err := r.index(ctx, r.steps.feeding(read)); err != nil {
		return nil, err
	}
	return r.steps.Answered(r.list), nil
}

// Index reads the list at most once for each step: what Write does first.
func (r *AnsweredRows) Index(ctx context.Context) error {
	return r.index(ctx, slices.Repeat([]bool{true}, len(r.steps)))
}

// index makes the indexes of steps that have none yet. The rows of a step have the answers of the steps before it. The
// list is read once for steps that read nothing of what others of them found.
func (r *AnsweredRows) index(ctx context.Context, of []bool) error {
	for first := 0; first < len(r.steps); {
		end := r.independent(first)
		list := r.list
		if first > 0 {
			list = r.steps[:first].Answered(r.list)
		}
		if err := r.indexTogether(ctx, list, first, end, of); err != nil {
			return err
		}
		first = end
	}
	return nil
}

// independent returns the end of the steps, from the first of them, that read nothing of what others of them found. A
// step whose scan keeps an index stands alone, and so does the first step of a run: its rows are those of the list.
func (r *AnsweredRows) independent(first int) (end int) {
	for end = first + 1; first > 0 && end < len(r.steps) && !r.all[first].Scan.KeepsIndex() && !r.all[end].Scan.KeepsIndex(); end++ {
		if slices.Contains(r.steps[:end].feeding(r.all[end].Scope.Columns())[first:], true) {
			break
		}
	}
	return end
}

// indexTogether makes the indexes of the steps from the first to the end, of the same list.
func (r *AnsweredRows) indexTogether(ctx context.Context, list scan.List, first, end int, of []bool) error {
	var steps []int
	var indexed []scan.Indexed
	for i := first; i < end; i++ {
		if of[i] && r.steps[i].Index == nil {
			steps, indexed = append(steps, i), append(indexed, scan.Indexed{Scope: r.all[i].Scope, Journal: r.all[i].Account})
		}
	}
	if len(steps) == 0 {
		return nil
	}
	if scanned := r.all[first].Scan; scanned.KeepsIndex() {
		index, err := scanned.Index(ctx, indexed[0].Scope, list, indexed[0].Journal)
		if err == nil {
			r.steps[first].Index = index
		}
		return err
	}
	indexes, err := scan.NewIndexes(ctx, list, indexed...)
	for i := range indexes {
		r.steps[steps[i]].Index = indexes[i]
	}
	return err
}

// scope returns the scope of the next step.
func (r *AnsweredRows) scope(next Step) (scope scan.Scope, err error) {
	scope = next.Scope
	if scope.Forgotten, err = next.Account.Forgotten(); err != nil {
		return scope, err
	}
	if scope.Next, err = next.next(); err != nil || len(r.steps) == 0 {
		return scope, err
	}
	return r.steps.Follow(scope), nil
}

// Rows returns how many rows the list has, after Index.
func (r *AnsweredRows) Rows() int64 {
	if len(r.steps) == 0 || r.steps[0].Index == nil {
		return 0
	}
	return r.steps[0].Index.Rows()
}

// Write writes the list with the answers of the steps, as Sequence.Write does.
func (r *AnsweredRows) Write(
	ctx context.Context, list scan.List, out, rejects table.Writer,
) (rows map[scan.Status]int64, err error) {
	return r.WriteAll(ctx, list, Writers{Out: out, Rejects: rejects})
}

// WriteAll is Write for all writers.
func (r *AnsweredRows) WriteAll(ctx context.Context, list scan.List, to Writers) (rows map[scan.Status]int64, err error) {
	if err := r.Index(ctx); err != nil {
		return nil, err
	}
	return r.steps.WriteAll(ctx, list, to)
}

// Close removes temporary files.
func (r *AnsweredRows) Close() (err error) {
	for i := range r.steps {
		if index, is := r.steps[i].Index.(*scan.Index); is {
			err = errors.Join(err, index.Close())
		}
		r.steps[i].Index = nil
	}
	return err
}

// Outputs returns the outputs of the steps with the scopes that they have in the run, for the columns of the
// output.
func (s Steps) Outputs() (sequence Sequence) {
	for _, step := range s {
		if len(sequence) > 0 {
			step.Scope = sequence.Follow(step.Scope)
		}
		sequence = append(sequence, StepOutput{Output: step.Output, Name: step.Name})
	}
	return sequence
}

// Scan scans the list for a step with scan.New or scan.NewWithIndex. The rows are those after the steps before it.
// With most, what an earlier step may still find counts as missing: a plan needs the most that a step can ask for.
func (s Steps) Scan(
	ctx context.Context, rows *AnsweredRows, step int, most bool,
	take func(context.Context, scan.Scope, scan.List, scan.Recorder) (*scan.Scan, error),
) (*scan.Scan, error) {
	scope, err := rows.scope(s.Step(step))
	if err != nil {
		return nil, err
	}
	scope.Most = most
	list, err := rows.For(ctx, scope)
	if err != nil {
		return nil, err
	}
	return take(ctx, scope, list, s[step].Account)
}

// RowsOf returns the numbers of the first occurrences of the given subjects in a step, 0 for a subject whose rows miss
// nothing.
func (s Steps) RowsOf(ctx context.Context, list scan.List, step int, subjects []enrich.Identity) (_ []int64, err error) {
	rows, err := s.After(list, step)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	scope, err := rows.scope(s.Step(step))
	if err != nil {
		return nil, err
	}
	scope.Most = true
	answered, err := rows.For(ctx, scope)
	if err != nil {
		return nil, err
	}
	return scan.RowsOf(ctx, scope, answered, subjects)
}

// Sent says how a step ended.
type Sent struct {
	Stop dispatch.Stop // nil when it was not ended early
	// Refuses says which lookups it did not send because of limits of its account; nil for none.
	Refuses dispatch.Refuses
}

// Send sends the lookups of one step, whose scan is given.
type Send func(ctx context.Context, step int, found *scan.Scan, rows scan.List) (Sent, error)

// Stops says of each step why it stopped, nil when it did not.
type Stops []dispatch.Stop

// FirstStop returns the first of the stops. When that is a limit that was reached, a later stop takes its place if
// somebody has to act on it, or if it is a limit that ends earlier.
func (s Stops) FirstStop() (first dispatch.Stop) {
	for _, stop := range s {
		first = dispatch.FirstStop(first, stop)
	}
	return first
}

// Run runs the steps one after another, and returns why each stopped. The scan is that of the first step, nil when
// it was not taken yet. After a step stops, later steps still ask for what does not wait for it. After the end of ctx
// they do not.
func (s Steps) Run(ctx context.Context, list scan.List, found *scan.Scan, send Send) (stops Stops, err error) {
	stops, s = make(Stops, len(s)), slices.Clone(s)
	for step := range s {
		var sent Sent
		switch {
		case step == 0 && found != nil:
			sent, err = send(ctx, 0, found, list)
		case step > 0 && ctx.Err() != nil:
			sent.Stop = dispatch.StopOf(ctx)
		default:
			sent, err = s.run(ctx, list, step, send)
		}
		stops[step], s[step].refuses = sent.Stop, s.refusing(step, sent.Refuses)
		if err != nil {
			return stops, err
		}
	}
	return stops, nil
}

// refusing returns what a step refuses when its own lookups met some limits: also what earlier steps of its account do.
// A fallback does not ask about a row that waits for an earlier step, so it meets no limit with it.
func (s Steps) refusing(step int, own dispatch.Refuses) dispatch.Refuses {
	for _, earlier := range s[:step] {
		if met := own; earlier.refuses != nil && earlier.asksAccountOf(s[step]) {
			own = func(fields enrich.Fields) bool { return earlier.refuses(fields) || met != nil && met(fields) }
		}
	}
	return own
}

// passingTo returns the steps of which those that ask the account of a step pass nothing on to it.
func (s Steps) passingTo(step int) Steps {
	s = slices.Clone(s)
	for i := range s[:step] {
		if s[i].asksAccountOf(s[step]) {
			s[i].refuses = nil
		}
	}
	return s
}

func (s Steps) run(ctx context.Context, list scan.List, step int, send Send) (sent Sent, err error) {
	rows, err := s.passingTo(step).After(list, step)
	if err != nil {
		return sent, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	found, err := s.Scan(ctx, rows, step, false, scan.New)
	if err != nil {
		return stopped(ctx, err)
	}
	scope, err := rows.scope(s.Step(step))
	if err != nil {
		return sent, err
	}
	answered, err := rows.For(ctx, scope)
	if err != nil {
		return stopped(ctx, err)
	}
	return send(ctx, step, found, answered)
}

// stopped returns the stop of a run whose reading of the list ended with the context, or else the error.
func stopped(ctx context.Context, err error) (Sent, error) {
	if ctx.Err() != nil {
		return Sent{Stop: dispatch.StopOf(ctx)}, nil
	}
	return Sent{}, err
}
