package output

import (
	"cmp"
	"slices"
	"strings"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// rowResult is what one row gets.
type rowResult struct {
	outcome outcome
	reason  string
	values  enrich.ByField[string]
	// answer are the values that do not belong to one field. Its details are the result's own.
	answer enrich.Values
	ids    []string // request IDs
	charge cost.Amounts
	// answered says that there is an answer.
	answered bool
	charged  bool          // the row is a first occurrence and was asked for: its charge is shown, also when it is zero
	waiting  enrich.Fields // missing fields that the step may still find, or may never ask for again
	unasked  enrich.Fields // those of waiting that the step was not asked for
	gone     enrich.Fields // those of waiting that were erased
	// mayBeFree says that a part of the charge may turn out to have been free.
	mayBeFree bool
	// found says that an answer is about the subject of the row and does not contradict it, or may have been.
	found bool
	// contradicted are the identities that answers name which contradict the row.
	contradicted []enrich.Identity
	// withheld are the fields whose answers are about another subject than the row. Their values are not in it.
	withheld enrich.Fields
	judged   judgement
}

// reset makes the result that of a row of which nothing is known. It keeps the memory.
func (r *rowResult) reset() {
	*r = rowResult{ids: r.ids[:0], contradicted: r.contradicted[:0], answer: enrich.Values{Details: r.answer.Details[:0]}}
}

// recall collects what the journal holds on the person of a row, and evaluates the row by
// the fields that it misses itself. A first occurrence also shows what the run
// paid for other fields: those that only its duplicates miss. With accept, answers that contradict the row count as
// all others.
func (o Output) recall(
	r *rowResult, missing enrich.Fields, isFirst bool, record *attempt.Record, attempts *loadedAttempts, row *judge,
	accept bool,
) {
	states := record.States
	row.reset()
	var reasons enrich.ByField[string]
	seen := make([]attempt.ID, 0, enrich.MaxFields)
	add := func(id attempt.ID, known *attempt.Outcome, values *enrich.Values, contradicts bool) {
		if slices.Contains(seen, id) {
			return
		}
		seen = append(seen, id)
		own := known.Ended.Run == o.Run && !o.shown.has(id)
		if contradicts {
			r.contradicted = append(r.contradicted, row.answer.Names(o.Scope.Subject)...)
			values = row.withheld(values)
		}
		r.found = r.found || known.Ended.Answered() && !contradicts && known.Ended.Status != enrich.NotFound
		r.add(&known.Ended, values, own)
		r.mayBeFree = r.mayBeFree || own && known.MayBeFree != 0
	}
	var kept enrich.Fields
	for f := range o.Scope.Wanted.Each() {
		for _, id := range [...]attempt.ID{record.Attempts[f], record.Kept[f]} {
			if id == 0 {
				continue
			}
			known, values := attempts.of(id)
			if known == nil || !missing.Has(f) && (!isFirst || known.Ended.Run != o.Run) {
				continue
			}
			isFound := id == record.FoundBy(f)
			contradicts := row.contradicts(id, known, values) && !accept
			if contradicts && isFound {
				r.withheld = r.withheld.With(f)
			} else {
				r.values[f] = values.Fields[f]
			}
			switch {
			case id == record.Kept[f]:
				kept = kept.With(f)
			case known.Ended.Erased && isFound:
				states[f], reasons[f] = attempt.Forgotten, reasonExpired
			case states[f] != attempt.Forgotten: // a forgotten field does not show how its call ended
				reasons[f] = cmp.Or(known.Doubt, known.Ended.Reason)
			}
			add(id, known, values, contradicts)
		}
		if kept.Has(f) && r.values[f] != "" {
			reasons[f] = joined(reasons[f], reasonKept)
		}
	}
	o.addForfeited(r, record, attempts, seen)
	for i, d := range o.Scope.Catalogue.Details {
		if d.Of != 0 && i < len(r.answer.Details) && o.Scope.FieldsOf(d)&missing&d.Searched == 0 && !r.fills(d.Of&missing) {
			r.answer.Details[i] = "" // it would speak of the row's own value
		}
	}
	r.waiting, r.unasked = waitingOf(missing, &states)
	for f := range missing.Each() {
		if states[f] == attempt.Forgotten {
			r.gone = r.gone.With(f)
		}
	}
	r.found = r.found || r.withheld == 0 && o.mayBeFound(&states)
	r.judged = row.judged
	r.withheld &= missing
	r.answer.Reason = joined(r.answer.Reason, r.judged.text(accept))
	r.outcome, r.reason = o.evaluate(missing.Without(r.withheld.Without(kept)), states, reasons, &r.answer)
	r.withhold()
	if r.mayBeFree {
		r.reason = strings.TrimPrefix(r.reason+"; "+reasonMayBeFree, "; ")
	}
}

// withhold makes the outcome of a row mismatch when values are withheld from it, unless it may still change.
func (r *rowResult) withhold() {
	switch {
	case r.withheld == 0 || r.outcome == inDoubt || r.outcome == forfeited:
	case r.outcome == matched:
		r.outcome, r.reason = mismatch, r.answer.Reason
	case strings.Contains(r.reason, r.answer.Reason):
		r.outcome = mismatch
	default:
		r.outcome, r.reason = mismatch, joined(r.answer.Reason, r.reason)
	}
}

// joined joins parts of a reason.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// waitingOf returns the missing fields that no later step may ask another account for: those that were not
// asked for, those that may have been charged, and those that were forgotten. It returns those that were not asked for
// apart, too.
func waitingOf(missing enrich.Fields, states *enrich.ByField[attempt.FieldState]) (waiting, unasked enrich.Fields) {
	for f := range missing.Each() {
		switch states[f] {
		case attempt.Found, attempt.Missing, attempt.Rejected:
		case attempt.Unasked:
			waiting, unasked = waiting.With(f), unasked.With(f)
		default:
			waiting = waiting.With(f)
		}
	}
	return waiting, unasked
}

// mayBeFound reports whether wanted fields of a subject were found, or may have been.
func (o Output) mayBeFound(states *enrich.ByField[attempt.FieldState]) bool {
	for f := range o.Scope.Wanted.Each() {
		switch states[f] {
		case attempt.Unasked, attempt.Missing, attempt.Rejected:
		default:
			return true
		}
	}
	return false
}

// addForfeited adds what was charged for fields before they were asked for again, however
// that ended; seen are the attempts whose charges are added already.
func (o Output) addForfeited(r *rowResult, record *attempt.Record, attempts *loadedAttempts, seen []attempt.ID) {
	var ids []attempt.ID
	for f := range o.Scope.Wanted.Each() {
		ids = append(ids, record.Earlier[f]...)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if known, _ := attempts.of(id); known != nil && known.Ended.Run == o.Run && !slices.Contains(seen, id) && !o.shown.has(id) {
			r.charge = r.charge.Plus(known.Ended.Charge.Amounts)
			r.charged = true
		}
	}
}

// add adds what one attempt brought. The run that shows the row shows only what
// it paid itself.
func (r *rowResult) add(res *attempt.Resolution, values *enrich.Values, own bool) {
	if res.RequestID != "" {
		r.ids = append(r.ids, res.RequestID)
	}
	if res.State == attempt.Settled || res.State == attempt.Forfeited {
		r.charged = true
	}
	if own {
		r.charge = r.charge.Plus(res.Charge.Amounts)
	}
	if !res.Answered() {
		return
	}
	details := r.answer.Details
	switch {
	case !r.answered:
		r.answer, r.answered = *values, true
		r.answer.Details = append(details[:0], values.Details...)
	case r.answer.RetrievedAt.After(values.RetrievedAt):
		for i := range details {
			details[i] = cmp.Or(details[i], values.Details[i])
		}
	default:
		r.answer = *values
		for i := range details {
			details[i] = cmp.Or(values.Details[i], details[i])
		}
		r.answer.Details = details
	}
}

// follow makes the result that of a duplicate of another row. An outcome that is
// not what was asked for is still shown.
func (r *rowResult) follow(same, differences string) {
	r.charge, r.charged = cost.Amounts{}, false
	if r.outcome == inDoubt || r.outcome == forfeited || r.outcome == mismatch {
		r.reason = same + ": " + r.reason
		return
	}
	r.outcome, r.reason = duplicate, joined(same, differences)
}

// fills reports whether there is a value of one of the fields.
func (r *rowResult) fills(fields enrich.Fields) bool {
	for f := range fields.Each() {
		if r.values[f] != "" {
			return true
		}
	}
	return false
}

// reasonMayBeFree is added while the charge of a row is an upper bound.
const reasonMayBeFree = "charged at most this: the free allowance may have paid"

// reasonResolved is that of a row for which the service chose among several companies.
const reasonResolved = "the service chose the company"

// The reasons of rows whose values are not in the journal any more; neither is
// bought again.
const (
	reasonForgotten = "forgotten on request"
	reasonExpired   = "the answer was erased after its retention time"
)

// reasonKept is that of a value that was asked for again, while the later call has no answer.
const reasonKept = "the values are from the earlier answer"

// reasonElsewhere is that of a row whose company has no answer, and whose call the journal refuses.
const reasonElsewhere = "the company was looked up by another identity; that answer was erased, or that call may have been charged"

// evaluate gives the row its status and the reason: what may still change comes first.
func (o Output) evaluate(
	missing enrich.Fields, states enrich.ByField[attempt.FieldState], reasons enrich.ByField[string],
	answer *enrich.Values,
) (outcome, string) {
	var in [attempt.Forgotten + 1]enrich.Fields
	for f := range missing.Each() {
		in[states[f]] = in[states[f]].With(f)
	}
	first := func(fields enrich.Fields) string {
		for f := range fields.Each() {
			return reasons[f]
		}
		return ""
	}
	switch {
	case in[attempt.OutcomeUnknown] != 0:
		return inDoubt, first(in[attempt.OutcomeUnknown])
	case in[attempt.PaidAndGone] != 0:
		return forfeited, first(in[attempt.PaidAndGone])
	case in[attempt.Rejected] != 0:
		return rejected, first(in[attempt.Rejected])
	case in[attempt.Unasked] != 0 && in[attempt.Found]|in[attempt.Missing] == 0:
		return notAttempted, o.Stopped
	case in[attempt.Unasked] != 0 && in[attempt.Found] == 0:
		return notFound, o.unaskedReason(in[attempt.Missing], in[attempt.Unasked])
	case in[attempt.Unasked] != 0:
		return partial, o.unaskedReason(in[attempt.Missing], in[attempt.Unasked])
	case in[attempt.Forgotten] != 0:
		return notAttempted, cmp.Or(first(in[attempt.Forgotten]), reasonForgotten)
	case answer.Status == enrich.Ambiguous:
		return ambiguous, answer.Reason
	case in[attempt.Missing] == 0:
		return matched, answer.Reason
	case in[attempt.Found] == 0 && answer.Status == enrich.NotFound:
		return notFound, o.unknownReason(in[attempt.Missing])
	case in[attempt.Found] == 0:
		return notFound, joined(o.Scope.Subject.String()+" known, "+o.names(in[attempt.Missing])+" not found", answer.Reason)
	default:
		return partial, strings.TrimSuffix(o.names(in[attempt.Missing])+" not found; "+answer.Reason, "; ")
	}
}

// unknownReason says that the service has nothing of what a row lacks. After a step that asks for parts of a record by
// the id of a company, this does not mean that the company is unknown.
func (o Output) unknownReason(missing enrich.Fields) string {
	describes := func(d enrich.Detail) bool { return d.Says != enrich.NoPart && d.Of&o.Scope.Wanted != 0 }
	if o.Scope.Patterns == enrich.PatternsOf(enrich.ByID) && !slices.ContainsFunc(o.Scope.Catalogue.Details, describes) {
		return o.names(missing) + " not found"
	}
	return o.Scope.Subject.String() + " unknown"
}

// names returns the names of fields.
func (o Output) names(fields enrich.Fields) string { return o.Scope.Catalogue.Names(fields) }

// unaskedReason says what a row still misses that was asked for in part, and why.
func (o Output) unaskedReason(missing, unasked enrich.Fields) string {
	reason := o.names(unasked) + " not asked for"
	if missing != 0 {
		reason = o.names(missing) + " not found, " + reason
	}
	if o.Stopped != "" {
		reason += ": " + o.Stopped
	}
	return reason
}
