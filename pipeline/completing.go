// This file computes how many rows of a run end complete under its ceilings, and which rows to complete first.

package pipeline

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// maxNeeds is the most kinds of needs that are distinguished. Rows of further kinds are not completed first.
const maxNeeds = 1 << 14

// values is a set of values that rows can lack. Fields of several interfaces with the same value have one bit.
type values uint64

// ask is what a row asks of a step when earlier steps find nothing.
type ask struct {
	fields   enrich.Fields
	byAnswer bool // an answer of an earlier step has to name the company
}

// need is what rows of one kind lack. A row is complete when the steps find all of it.
type need struct {
	asks  []ask // of each step
	lacks values
	never bool // they lack something that no step can ask for
}

// rowState says how far a row has come.
type rowState struct {
	kind  uint16 // the number of its need
	found values
	// closed are values that later steps do not ask for in the same pass: an earlier step was not asked for them, and
	// not because of a limit of its account alone.
	closed values
	named  bool // an answer has named the company
}

// playedStep is a step as completing simulates it.
type playedStep struct {
	passed     bool // it is skipped: nothing depends on it when all values are found
	account    int  // the number of the account
	wanted     enrich.Fields
	values     enrich.ByField[values]
	prices     enrich.ByField[int64]
	givesIDs   bool
	expendable enrich.Fields
	// uses returns what a lookup for some fields uses at most of each limit, without a free allowance.
	uses func(enrich.Fields) []int64
	// refuses reports whether the account has reached a limit of what a lookup for some fields uses.
	refuses func(enrich.Fields) bool
}

// completing simulates how the rows go through the steps of a run under its ceilings when every value is found.
type completing struct {
	*playing
	of    []uint32          // the number of the state of each row; 0 for a row that asks for nothing
	left  []int64           // under each limit
	free  []cost.Allowances // of each account
	order []uint32          // the numbers of the rows, from 1, in the order of the lookups; nil for that of the list
}

// playing is what all simulations of one run share.
type playing struct {
	steps   []playedStep
	meters  []cost.Meter // of each limit
	needs   []need
	states  []rowState
	numbers map[rowState]uint32 // of the states
}

// sending is what a step has met in a pass over the list.
type sending struct {
	halted, short bool
	reached       []int64 // of each limit, the least amount that no lookup gets any more; 0 for none
}

// completing returns the rows as the scans of the steps, which have been taken, show them.
func (r *RunSteps) completing() *completing {
	c := &completing{
		playing: &playing{states: make([]rowState, 1), numbers: map[rowState]uint32{}},
		of:      make([]uint32, r.Steps[0].Scan.Rows),
	}
	now, limits := r.now(), r.limits()
	for _, l := range limits {
		c.meters, c.left = append(c.meters, l.Meter), append(c.left, r.leftUnder(l, now))
	}
	for _, account := range r.Accounts {
		free := cost.Allowances{}
		if account.TakesMoney() {
			free = account.FreeLeft()
		}
		c.free = append(c.free, free)
	}
	var kinds []string // of values
	for _, s := range r.Steps {
		c.steps = append(c.steps, r.played(s, limits, &kinds))
	}
	known, key, asks := map[string]uint32{}, []byte(nil), make([]ask, len(c.steps))
	for i := range c.of {
		n := r.needOf(int64(i+1), c.steps, asks)
		if n.lacks == 0 {
			continue
		}
		key = key[:0]
		for _, a := range n.asks {
			key = append(key, byte(a.fields), flag(a.byAnswer))
		}
		key = append(key, flag(n.never))
		state, seen := known[string(key)]
		if !seen {
			if len(c.needs) == maxNeeds {
				continue
			}
			n.asks = slices.Clone(asks)
			c.needs = append(c.needs, n)
			state = c.number(rowState{kind: uint16(len(c.needs) - 1)})
			known[string(key)] = state
		}
		c.of[i] = state
	}
	return c
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// number returns the number of a state.
func (c *playing) number(s rowState) uint32 {
	number, known := c.numbers[s]
	if !known {
		number = uint32(len(c.states))
		c.states, c.numbers[s] = append(c.states, s), number
	}
	return number
}

// played returns a step for the simulation. Kinds are those of the values so far.
func (r *RunSteps) played(s *RunStep, limits []limit, kinds *[]string) playedStep {
	rates := s.Account.Rates()
	p := playedStep{
		passed: s.Scope.Fallback > 0 || s.Scope.Resolves, account: slices.Index(r.Accounts, s.Account), wanted: s.Scope.Wanted,
		givesIDs: s.GivesIDs, expendable: r.Budget.Expendable,
	}
	for f := range s.Scope.Wanted.Each() {
		d := s.Scope.Catalogue.Fields[f]
		kind := cmp.Or(d.Role, d.Name)
		i := slices.Index(*kinds, kind)
		if i < 0 {
			i, *kinds = len(*kinds), append(*kinds, kind)
		}
		p.values[f], p.prices[f] = 1<<i, int64(rates[f].Price())
	}
	known := map[enrich.Fields][]int64{}
	p.uses = func(fields enrich.Fields) []int64 {
		uses, is := known[fields]
		if is {
			return uses
		}
		uses = make([]int64, len(limits))
		most, _ := rates.Total(fields) // they have prices
		for i, l := range limits {
			switch {
			case !s.limitedBy(l):
			case l.Meter == cost.Lookups:
				uses[i] = 1
			default:
				uses[i] = most[l.Meter]
			}
		}
		known[fields] = uses
		return uses
	}
	reached := s.reached()
	p.refuses = func(fields enrich.Fields) bool {
		most, _ := rates.Total(fields)
		return slices.ContainsFunc(reached, func(m cost.Meter) bool { return most[m] > 0 })
	}
	return p
}

// reached returns the meters of which the account of a step has reached a limit.
func (s *RunStep) reached() (meters []cost.Meter) {
	if s.Account.Journal != nil {
		for _, limit := range s.Account.Journal.Limits() {
			meters = slices.AppendSeq(meters, limit.Meters.Each())
		}
	}
	return meters
}

// needOf returns what a row asks of each step, in asks, which are 0 for the steps that are skipped. What depends on
// values that are not found does not count.
func (r *RunSteps) needOf(row int64, steps []playedStep, asks []ask) (n need) {
	n.asks = asks
	var unnamed, others values // that steps want which can, and cannot, name the subject of the row
	gives := false
	for i, s := range r.Steps {
		if steps[i].passed {
			continue
		}
		asked := ask{fields: s.Scan.Asked(row)}
		wanted := steps[i].valuesOf(s.Scope.Wanted)
		switch nobody := s.Scan.NamesNobody(row); {
		case asked.fields == 0 && s.AsksByAnswers && gives:
			asked = ask{fields: s.Scope.Wanted, byAnswer: true}
		case nobody:
			unnamed |= wanted
		default:
			others |= wanted
		}
		asks[i] = asked
		n.lacks |= steps[i].valuesOf(asked.fields)
		gives = gives || s.GivesIDs && asked.fields != 0
	}
	n.never = unnamed&^(others|n.lacks) != 0
	return n
}

// valuesOf returns the values of fields.
func (p *playedStep) valuesOf(fields enrich.Fields) (sum values) {
	for f := range fields.Each() {
		sum |= p.values[f]
	}
	return sum
}

// open reports whether a row in a state still asks for something, and complete whether it has all that it lacked.
func (c *completing) open(state uint32) bool {
	s := c.states[state]
	return state != 0 && c.needs[s.kind].lacks&^s.found != 0
}

func (c *completing) complete(state uint32) bool {
	return state != 0 && !c.needs[c.states[state].kind].never && !c.open(state)
}

// count returns how many rows are in states.
func (c *completing) count(is func(state uint32) bool) (rows int64) {
	for _, state := range c.of {
		if is(state) {
			rows++
		}
	}
	return rows
}

// rows returns the rows, from 0, in the order of the lookups.
func (c *completing) rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		if c.order == nil {
			for i := range c.of {
				if !yield(i) {
					return
				}
			}
			return
		}
		for _, row := range c.order {
			if !yield(int(row) - 1) {
				return
			}
		}
	}
}

// clone returns a copy that shares the states. Its order is that of the list.
func (c *completing) clone() *completing {
	return &completing{playing: c.playing, of: slices.Clone(c.of), left: slices.Clone(c.left), free: slices.Clone(c.free)}
}

// begin returns what a step has met before its first lookup.
func (c *completing) begin() *sending { return &sending{reached: make([]int64, len(c.left))} }

// send takes a row in a state through a step, and returns its next state. It reports whether a lookup was sent.
func (c *completing) send(step int, now *sending, state uint32) (next uint32, sent bool) {
	p, row := &c.steps[step], c.states[state]
	asks := c.needs[row.kind].asks[step]
	if asks.byAnswer && !row.named {
		return state, false
	}
	fields := enrich.Fields(0)
	for f := range asks.fields.Each() {
		switch {
		case p.values[f]&(row.found|row.closed) != 0:
		case now.short && p.expendable.Has(f) && c.free[p.account][f] == 0:
			row.closed |= p.values[f]
		default:
			fields = fields.With(f)
		}
	}
	if fields == 0 {
		return c.number(row), false
	}
	uses := p.uses(fields)
	if p.refuses(fields) || now.refuses(uses) {
		return c.number(row), false // another account may be asked
	}
	over := -1
	for l, amount := range uses {
		if amount = c.paid(p, fields, l, amount); !now.halted && amount > 0 && amount > c.left[l] && (over < 0 || c.left[l] < c.left[over]) {
			over = l
		}
	}
	switch {
	case over >= 0 && c.meters[over] == cost.USD && !now.short && fields&p.expendable != 0:
		now.short = true
		return c.send(step, now, state)
	case over >= 0 && c.meters[over] != cost.USD && c.meters[over] != cost.Lookups: // the others go on
		now.reached[over] = uses[over]
		return c.number(row), false
	case over >= 0 || now.halted:
		now.halted = true
		row.closed |= p.valuesOf(fields)
		return c.number(row), false
	}
	for l, amount := range uses {
		c.left[l] -= c.paid(p, fields, l, amount)
	}
	for f := range fields.Each() {
		c.free[p.account][f] = max(c.free[p.account][f]-1, 0)
	}
	row.found |= p.valuesOf(fields)
	row.named = row.named || p.givesIDs
	return c.number(row), true
}

// refuses reports whether a lookup that uses some amounts of the limits does not fit under one that was reached.
func (s *sending) refuses(uses []int64) bool {
	for l, least := range s.reached {
		if least > 0 && uses[l] >= least {
			return true
		}
	}
	return false
}

// paid returns what a lookup for some fields uses of a limit when the free allowance pays for what it can.
func (c *completing) paid(p *playedStep, fields enrich.Fields, limit int, amount int64) int64 {
	if amount == 0 || c.meters[limit] != cost.USD {
		return amount
	}
	for f := range fields.Each() {
		if c.free[p.account][f] > 0 {
			amount -= p.prices[f]
		}
	}
	return amount
}

// pass takes the rows of a set, nil for all, through the steps, each step in the order of the lookups. It reports
// whether a lookup was sent.
func (c *completing) pass(set []bool) (sent bool) {
	for step := range c.steps {
		if c.steps[step].passed {
			continue
		}
		now := c.begin()
		for i := range c.rows() {
			if state := c.of[i]; state != 0 && (set == nil || set[i]) {
				next, did := c.send(step, now, state)
				c.of[i], sent = next, sent || did
			}
		}
	}
	for i, state := range c.of {
		if row := c.states[state]; row.closed != 0 {
			row.closed = 0
			c.of[i] = c.number(row)
		}
	}
	return sent
}

// alone takes one row in a state through all steps. It reports whether the row is complete then.
func (c *completing) alone(state uint32) bool {
	for step := range c.steps {
		if !c.steps[step].passed {
			state, _ = c.send(step, c.begin(), state)
		}
	}
	return c.complete(state)
}

// weight returns what a row in a state uses of all limits together.
func (c *completing) weight(state uint32) (sum int64) {
	const plenty = 1 << 50
	trial := &completing{playing: c.playing, left: make([]int64, len(c.left)), free: make([]cost.Allowances, len(c.free))}
	for l := range trial.left {
		trial.left[l] = plenty
	}
	trial.alone(state)
	for _, left := range trial.left {
		sum += plenty - left
	}
	return sum
}

// completable returns a set of rows that the limits can complete: those of another set first, and then those that need
// the least.
func (c *completing) completable(before []bool) (set []bool) {
	weights, rows := map[uint32]int64{}, []uint32(nil)
	for i, state := range c.of {
		if c.open(state) && !c.needs[c.states[state].kind].never {
			rows = append(rows, uint32(i))
			if _, known := weights[state]; !known {
				weights[state] = c.weight(state)
			}
		}
	}
	later := func(row uint32) int {
		if before != nil && before[row] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(rows, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(later(a), later(b)), cmp.Compare(weights[c.of[a]], weights[c.of[b]]))
	})
	trial, had := c.clone(), c.clone()
	failed := map[uint32]bool{}
	set = make([]bool, len(c.of))
	for _, row := range rows {
		state := c.of[row]
		if failed[state] {
			continue
		}
		copy(had.left, trial.left)
		copy(had.free, trial.free)
		if set[row] = trial.alone(state); !set[row] {
			failed[state] = true
			trial.left, had.left = had.left, trial.left
			trial.free, had.free = had.free, trial.free
		}
	}
	return set
}

// chosen returns the rows to complete first, and how many of them a pass completes. Where the order of the list
// completes more rows, they are those and what fits besides.
func (c *completing) chosen() (set []bool, completed int64) {
	inOrder := c.clone()
	inOrder.pass(nil)
	listed := make([]bool, len(c.of))
	for i, state := range inOrder.of {
		listed[i] = inOrder.complete(state)
	}
	before := c.count(c.complete)
	for _, first := range [][]bool{nil, listed} {
		rows, trial := c.completable(first), c.clone()
		trial.pass(rows)
		if n := trial.count(trial.complete) - before; set == nil || n > completed {
			set, completed = rows, n
		}
	}
	return set, completed
}

// inOrder returns how many rows a run completes in an order; nil is the order of the list. The method first returns how
// many a run completes with CompleteFirst.
func (c *completing) inOrder(order []uint32) int64 {
	c = c.clone()
	c.order = order
	c.pass(nil)
	return c.count(c.complete)
}

func (c *completing) first() int64 {
	c = c.clone()
	for {
		if set, n := c.chosen(); n == 0 || n == c.count(c.open) || !c.pass(set) {
			break
		}
	}
	c.pass(nil)
	return c.count(c.complete)
}

// planComplete shows how many rows end complete; nil where the ceilings cover everything.
func (j *job) planComplete(ctx context.Context, ceilings []report.Ceiling) (*report.PlanComplete, error) {
	if !slices.ContainsFunc(ceilings, func(c report.Ceiling) bool { return c.TooLow }) {
		return nil, nil
	}
	c := j.completing()
	order, err := j.Steps[0].Scan.ByPriority(ctx, j.list, func(row int64) bool { return c.open(c.of[row-1]) })
	if err != nil {
		return nil, err
	}
	view := &report.PlanComplete{Of: c.count(c.open), Rows: c.inOrder(order), First: c.first()}
	if view.IsFirst = j.order.CompleteFirst; view.IsFirst {
		view.Rows = view.First
	}
	return view, nil
}

// lookUpRows sends the lookups of the scans. With CompleteFirst, the rows that the ceilings can complete go through all
// steps before the others. What is not found leaves units, which may complete further rows.
func (j *job) lookUpRows(ctx context.Context, update func(SentSoFar)) (dispatch.Stop, error) {
	for j.order.CompleteFirst {
		c := j.completing()
		set, n := c.chosen()
		if n == 0 || n == c.count(c.open) {
			break
		}
		sent := j.Tally().Posts
		j.only = func(row int64) bool { return set[row-1] }
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
