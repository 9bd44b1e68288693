// This file computes how many rows of a run end complete under its ceilings, and which rows to complete first.

package pipeline

import (
	"cmp"
	"context"
	"slices"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// maxNeeds is the most kinds of needs that are distinguished. Rows of further kinds are not completed first.
const maxNeeds = 1 << 14

// need is what rows of one kind still ask for: fields of each step. A row is complete when the steps find all of them.
type need struct {
	fields []enrich.Fields // of each step
	// never says that a step cannot name the subject of the rows, so that they do not end complete.
	never bool
	uses  []allowed // of each step, by limit
	sum   allowed   // over the steps
	rows  int64
}

// allowed has an amount for each limit of a run.
type allowed []int64

func (a allowed) within(left allowed) bool {
	for i, amount := range a {
		if amount > 0 && amount > left[i] {
			return false
		}
	}
	return true
}

func (a allowed) take(from allowed, times int64) {
	for i, amount := range a {
		from[i] -= amount * times
	}
}

// times returns how many times the amounts fit, n at most.
func (a allowed) times(left allowed, n int64) int64 {
	for i, amount := range a {
		if amount > 0 {
			n = min(n, max(left[i], 0)/amount)
		}
	}
	return n
}

func (a allowed) weight() (sum int64) {
	for _, amount := range a {
		sum += amount
	}
	return sum
}

// completing says which rows ask for something, and which of them the ceilings of a run can complete.
type completing struct {
	kinds []need
	of    []uint16 // the kind of each row, from 1 on; 0 for a row that asks for nothing
	left  allowed
	rows  int64 // that ask for something
	// inOrder is how many rows of each kind a run completes in the order of the list. First is the same for a run that
	// completes rows first.
	inOrder, first []int64
}

// completing computes both numbers, if every value is found. The scans of the steps have been taken.
func (r *RunSteps) completing() *completing {
	c := &completing{of: make([]uint16, r.Steps[0].Scan.Rows)}
	now, limits := r.now(), r.limits()
	for _, l := range limits {
		left := max(l.Left(r.used(l, now)), 0)
		if l.Meter == cost.USD {
			left += int64(r.savedByFree(l))
		}
		c.left = append(c.left, left)
	}
	known := map[string]uint16{}
	fields, key := make([]enrich.Fields, len(r.Steps)), []byte(nil)
	for i := range c.of {
		never := r.needOf(int64(i+1), fields)
		key = key[:0]
		all := enrich.Fields(0)
		for _, f := range fields {
			key, all = append(key, byte(f)), all|f
		}
		if all == 0 {
			continue
		}
		c.rows++
		if never {
			key = append(key, 1)
		}
		kind, seen := known[string(key)]
		if !seen {
			if len(c.kinds) == maxNeeds {
				continue
			}
			c.kinds = append(c.kinds, r.newNeed(slices.Clone(fields), never, limits))
			kind = uint16(len(c.kinds))
			known[string(key)] = kind
		}
		c.kinds[kind-1].rows++
		c.of[i] = kind
	}
	c.inOrder = c.asListed(r.Steps)
	c.first = c.extended(make([]int64, len(c.kinds)))
	if other := c.extended(c.inOrder); total(other) > total(c.first) {
		c.first = other
	}
	return c
}

// savedByFree returns how much more the lookups under a ceiling on money would cost without the free allowances.
func (r *RunSteps) savedByFree(l limit) (saved cost.Money) {
	for _, account := range r.Accounts {
		if l.own && l.account != account || !account.TakesMoney() {
			continue
		}
		free, rates := account.FreeLeft(), account.Rates()
		for f := range account.Wanted.Each() {
			asked := int64(0)
			for _, s := range r.Of(account) {
				asked += s.Counts.Asked[f]
			}
			saved += rates[f].Price().Times(min(asked, max(free[f], 0)))
		}
	}
	return saved
}

// needOf sets what a row asks of each step. It reports whether a step cannot name the subject of the row. A value that
// an earlier step asks for counts there, and what depends on what is not found does not count.
func (r *RunSteps) needOf(row int64, fields []enrich.Fields) (never bool) {
	var asked []string // the values that earlier steps ask for
	gives := false
	for i, s := range r.Steps {
		if fields[i] = 0; s.Scope.Fallback > 0 || s.Scope.Resolves {
			continue
		}
		found := s.Scan.Asked(row)
		switch unnamed := s.Scan.NamesNobody(row); {
		case found == 0 && s.AsksByAnswers && gives:
			found = s.Scope.Wanted
		case unnamed:
			never = true
		}
		for f := range found.Each() {
			kind := valueKind(s.Scope.Catalogue.Fields[f])
			if slices.Contains(asked, kind) {
				continue
			}
			asked, fields[i] = append(asked, kind), fields[i].With(f)
		}
		gives = gives || s.GivesIDs && fields[i] != 0
	}
	return never
}

// valueKind returns what the fields of several interfaces with the same value have in common.
func valueKind(d enrich.Description) string { return cmp.Or(d.Role, d.Name) }

// newNeed returns the need of rows that ask each step for some fields.
func (r *RunSteps) newNeed(fields []enrich.Fields, never bool, limits []limit) need {
	n := need{fields: fields, never: never, sum: make(allowed, len(limits))}
	for i, s := range r.Steps {
		uses := make(allowed, len(limits))
		if fields[i] != 0 {
			most, _ := s.Account.Rates().Total(fields[i]) // they have prices
			for m := range s.reached() {
				never = never || most[m] > 0
			}
			for l, limit := range limits {
				switch {
				case !s.limitedBy(limit):
				case limit.Meter == cost.Lookups:
					uses[l] = 1
				default:
					uses[l] = most[limit.Meter]
				}
			}
		}
		uses.take(n.sum, -1)
		n.uses = append(n.uses, uses)
	}
	n.never = never
	return n
}

// reached returns the meters of which the account of a step has reached a limit.
func (s *RunStep) reached() map[cost.Meter]bool {
	meters := map[cost.Meter]bool{}
	if s.Account.Journal != nil {
		for _, limit := range s.Account.Journal.Limits() {
			for m := range limit.Meters.Each() {
				meters[m] = true
			}
		}
	}
	return meters
}

// asListed returns how many rows of each kind end complete when each step asks in the order of the list until a limit does
// not allow a call.
func (c *completing) asListed(steps []*RunStep) []int64 {
	complete, left := make([]int64, len(c.kinds)), slices.Clone(c.left)
	short := make([]bool, len(c.of)) // rows of which a step did not ask for something
	for step := range steps {
		for i, kind := range c.of {
			if kind == 0 {
				continue
			}
			n := &c.kinds[kind-1]
			switch uses := n.uses[step]; {
			case n.fields[step] == 0 || short[i] && steps[step].AsksByAnswers:
			case uses.within(left):
				uses.take(left, 1)
			default:
				short[i] = true
			}
		}
	}
	for i, kind := range c.of {
		if kind > 0 && !short[i] && !c.kinds[kind-1].never {
			complete[kind-1]++
		}
	}
	return complete
}

// extended adds rows to those that will end complete, as long as the limits allow. Rows that need the least come first.
func (c *completing) extended(rows []int64) []int64 {
	rows, left := slices.Clone(rows), slices.Clone(c.left)
	var order []int
	for kind, n := range rows {
		c.kinds[kind].sum.take(left, n)
		if !c.kinds[kind].never {
			order = append(order, kind)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.kinds[a].sum.weight(), c.kinds[b].sum.weight()) })
	for _, kind := range order {
		n := &c.kinds[kind]
		more := n.sum.times(left, n.rows-rows[kind])
		n.sum.take(left, more)
		rows[kind] += more
	}
	return rows
}

func total(rows []int64) (sum int64) {
	for _, n := range rows {
		sum += n
	}
	return sum
}

// chosen returns a function that reports whether a row is one of those to complete first: of each kind the first ones
// of the list.
func (c *completing) chosen() func(row int64) bool {
	rest, set := slices.Clone(c.first), make([]bool, len(c.of))
	for i, kind := range c.of {
		if kind > 0 && rest[kind-1] > 0 {
			rest[kind-1]--
			set[i] = true
		}
	}
	return func(row int64) bool { return set[row-1] }
}

// planComplete shows how many rows end complete; nil where the ceilings cover everything.
func (j *job) planComplete(ceilings []report.Ceiling) *report.PlanComplete {
	if !slices.ContainsFunc(ceilings, func(c report.Ceiling) bool { return c.TooLow }) {
		return nil
	}
	c := j.completing()
	view := &report.PlanComplete{Of: c.rows, Rows: total(c.inOrder), First: total(c.first)}
	if view.IsFirst = j.order.CompleteFirst; view.IsFirst {
		view.Rows = view.First
	}
	return view
}

// lookUpRows sends the lookups of the scans. With CompleteFirst, the rows that the ceilings can complete go through all
// steps before the others. What is not found leaves units, which may complete further rows.
func (j *job) lookUpRows(ctx context.Context, update func(SentSoFar)) (dispatch.Stop, error) {
	for j.order.CompleteFirst {
		c := j.completing()
		if n := total(c.first); n == 0 || n == c.rows {
			break
		}
		sent := j.Tally().Posts
		j.only = c.chosen()
		stop, err := j.lookUpOnce(ctx, update)
		j.only = nil
		if err != nil || endsRun(stop) || ctx.Err() != nil {
			return stop, err
		}
		if err := j.take(ctx); err != nil {
			if ctx.Err() != nil {
				return dispatch.StopOf(ctx), nil
			}
			return nil, err
		}
		if j.Tally().Posts == sent {
			break
		}
		j.lookAheadNow()
	}
	return j.lookUpOnce(ctx, update)
}

// endsRun reports whether nothing else may be sent after a stop. After a limit or failed lookups, other rows go on.
func endsRun(stop dispatch.Stop) bool {
	switch stop := stop.(type) {
	case nil, dispatch.CeilingReached:
		return false
	case dispatch.ServiceRefused:
		return stop.Module == "" && stop.Code != dispatch.CodeUnavailable
	}
	return true
}

// keep leaves the rows of a scan that are to be asked for now.
func (j *job) keep(found *scan.Scan) {
	if j.only != nil {
		found.Keep(j.only)
	}
}
