package cost

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payonce/enrich"
)

// The meters of these tests: two modules, and emails of a time span.
const (
	firstModule = Meter(1 + iota)
	secondModule
	spanCount
)

// counting is a tariff whose fields are counted on one module each. The first and the third are on the same.
func counting() Tariff {
	t := Tariff{Meters: []MeterInfo{
		{Name: "usd", Hidden: true},
		{Name: "first", Counting: CountsPeriod},
		{Name: "second", Counting: CountsPeriod},
		{Name: "emails", Counting: CountsSpan},
	}}
	t.Rates[0].Call[firstModule] = 1
	t.Rates[1].Call[secondModule] = 1
	t.Rates[2].Call[firstModule] = 1
	return t
}

var (
	firstOperation  = Operation{"one", MetersOf(firstModule)}
	secondOperation = Operation{"two", MetersOf(secondModule)}
	thirdOperation  = Operation{"three", MetersOf(firstModule)}
)

// assumed are the modules that the operations of fields are assumed to count on.
var assumed = [3]Meter{firstModule, secondModule, firstModule}

// event is something that moves the counters of an account.
type event struct {
	kind  string // "answer", "lost", "spare" (lost before it was counted), "others", "reset" or "reading"
	field enrich.Field
	on    Meter // the module that counts it
}

// played is an account whose counters events have moved.
type played struct {
	evidence Evidence
	used     [4]int64
	counted  []bool // of each lost call
	asked    []enrich.Fields
}

// play applies events to an account that shows base of each module. They take a tenth of a window together.
func play(base int64, events []event, pace Pace) played { return playFrom(base, base, events, pace) }

// playFrom is play for an account that shows two numbers.
func playFrom(first, second int64, events []event, pace Pace) played {
	tariff := counting()
	p := played{used: [4]int64{0, first, second, 0}}
	at := time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)
	reading := func() Account {
		a := Account{ReadAt: at}
		for _, m := range []Meter{firstModule, secondModule, spanCount} {
			a.Used[m], a.Reserved[m] = Known(p.used[m]), Known[int64](0)
		}
		return a
	}
	e := &p.evidence
	*e = Evidence{Base: reading(), Tariff: tariff, Rates: tariff.At(Prices{0: 0, 1: 0, 2: 0}), Pace: pace, Answered: map[Operation]int64{}}
	operations := []Operation{firstOperation, secondOperation, thirdOperation}
	for _, happened := range events {
		at = at.Add(pace.Window / 10 / time.Duration(len(events)))
		o := operations[happened.field]
		var unit Amounts
		unit[assumed[happened.field]] = 1
		switch happened.kind {
		case "answer":
			p.used[happened.on]++
			e.Booked.Lookups++
			e.Booked.Settled, e.Booked.EverHeld = e.Booked.Settled.Plus(unit), e.Booked.EverHeld.Plus(unit)
			e.Booked.Charged[happened.field]++
			e.Booked.Returned[happened.field]++
			e.Answered[o]++
		case "lost", "spare":
			if happened.kind == "lost" {
				p.used[happened.on]++
			}
			e.Booked.Hold(unit)
			e.Lost = append(e.Lost, o)
			p.asked, p.counted = append(p.asked, enrich.FieldsOf(happened.field)), append(p.counted, happened.kind == "lost")
		case "others":
			p.used[happened.on]++
		case "reset":
			p.used[firstModule], p.used[secondModule] = 0, 0
		case "reading":
			e.Seen = e.Seen.With(e.Base, reading(), e.Booked, e.Booked, tariff, pace)
		}
	}
	e.Now = reading()
	return p
}

// reconcile returns what the evidence proves, and what of it is not so.
func (p played) reconcile() (results []CallResult, mistakes []string) {
	results, _ = p.evidence.Reconcile(p.asked)
	for i, j := range results {
		if j.Result == NotCharged && p.counted[i] || j.Result == Charged && !p.counted[i] {
			mistakes = append(mistakes, fmt.Sprintf("call %d is %s, counted: %t", i, j.Result, p.counted[i]))
		}
	}
	change, why := p.evidence.Change()
	most, known := p.evidence.MostInDoubt(p.evidence.Booked.Returned)
	counted := map[Meter]int64{}
	for i, asked := range p.asked {
		if p.counted[i] {
			for f := range asked.Each() {
				counted[assumed[f]]++
			}
		}
	}
	for m, units := range counted {
		if known && why == "" && change.Shown.Has(m) && most[m] < units {
			mistakes = append(mistakes, fmt.Sprintf("%d units of meter %d are in doubt at most, and %d were counted", most[m], m, units))
		}
	}
	return results, mistakes
}

// TestNoResetAtAnyMomentProvesAnything goes through every order of calls, resets and readings up to a length, with
// counters from zero on, and others' use up to the most calls that they can send.
func TestNoResetAtAnyMomentProvesAnything(t *testing.T) {
	kinds := []string{"answer", "lost", "spare", "others", "reset", "reading"}
	longest := 5
	if testing.Short() {
		longest = 4
	}
	cases, decided := 0, map[Result]int{}
	for _, pace := range []Pace{{Calls: 0, Window: time.Hour}, {Calls: 1, Window: time.Hour}} {
		most := pace.most(readAccuracy + pace.Window/10)
		var extend func(events []event, others int64)
		extend = func(events []event, others int64) {
			if slices.ContainsFunc(events, func(e event) bool { return e.kind == "lost" || e.kind == "spare" }) {
				for base := range int64(6) {
					p := playFrom(base, 0, events, pace) // a counter above zero would fall
					p.evidence.Exclusive = others == 0
					results, mistakes := p.reconcile()
					if len(mistakes) > 0 {
						t.Fatalf("base %d, others send %d, %v: %q", base, most, events, mistakes)
					}
					cases++
					decided[results[0].Result]++
				}
			}
			if len(events) == longest {
				return
			}
			for _, kind := range kinds {
				more := others
				if kind == "others" {
					more++
				}
				if more <= most {
					extend(append(slices.Clip(events), event{kind, 0, firstModule}), more)
				}
			}
		}
		extend(nil, 0)
	}
	t.Logf("%d cases: %v", cases, decided)
	if decided[NotCharged] == 0 || decided[Charged] == 0 {
		t.Errorf("of %d cases the findings are %v", cases, decided)
	}
}

// TestCallsAnsweredDuringAReadingBelongToTheNextOne has a period end, and two calls answered, after a reading was made
// and before it has come. They are part of what the next reading shows, whether or not they had begun before the
// reading was asked for.
func TestCallsAnsweredDuringAReadingBelongToTheNextOne(t *testing.T) {
	pace := Pace{Calls: 1, Window: 45 * time.Second}
	if most := pace.most(readAccuracy + 10*time.Second); most != 3 {
		t.Fatalf("others send %d calls", most)
	}
	answers := func(n int) []event { return slices.Repeat([]event{{"answer", 0, firstModule}}, n) }
	others := slices.Repeat([]event{{"others", 0, firstModule}}, 3)
	first := slices.Concat([]event{{"lost", 0, firstModule}}, others)
	all := slices.Concat(first, []event{{kind: "reset"}}, answers(2), others, answers(2))
	p, read := playFrom(3, 0, all, pace), playFrom(3, 0, first, pace)
	p.evidence.Now.ReadAt = p.evidence.Base.ReadAt.Add(20 * time.Second)
	read.evidence.Now.ReadAt = read.evidence.Base.ReadAt.Add(10 * time.Second)
	after := playFrom(3, 0, slices.Concat(first, answers(2)), pace).evidence.Booked
	for _, begun := range []int64{0, 2} {
		before := read.evidence.Booked
		before.Open += begun
		p.evidence.Seen = Seen{}.With(p.evidence.Base, read.evidence.Now, before, after, p.evidence.Tariff, pace)
		if p.evidence.Seen.BeganAgain {
			t.Fatal("the first reading proves nothing, so this test shows nothing")
		}
		if results, mistakes := p.reconcile(); len(mistakes) > 0 || results[0].Result != Undecided {
			t.Errorf("%d had begun: %v, %q", begun, results, mistakes)
		}
	}
}

// TestLossesAreDecidedWhenNothingElseMovedTheCounters: a call that was not counted is asked again, also after hours and
// on an exclusive account with small counters, and one that was counted is forfeited on an exclusive account.
func TestLossesAreDecidedWhenNothingElseMovedTheCounters(t *testing.T) {
	spare, lost, reading := event{"spare", 0, firstModule}, event{"lost", 0, firstModule}, event{"reading", 0, 0}
	answers := slices.Repeat([]event{{"answer", 0, firstModule}}, 5)
	for name, test := range map[string]struct {
		base      int64
		hours     time.Duration
		exclusive bool
		events    []event
		want      Result
	}{
		"at once":                                  {500, 0, false, []event{spare}, NotCharged},
		"after answers":                            {500, 0, false, slices.Concat(answers, []event{spare}), NotCharged},
		"with readings":                            {500, 0, false, slices.Concat([]event{reading}, answers, []event{reading, spare, reading}), NotCharged},
		"an hour later":                            {4000, 1, false, []event{spare}, NotCharged},
		"a day later":                              {90_000, 24, false, []event{spare}, NotCharged},
		"a day later, with too small counters":     {80_000, 24, false, []event{spare}, Undecided},
		"exclusive":                                {7, 0, true, slices.Concat(answers, []event{spare}), NotCharged},
		"exclusive, a day later":                   {7, 24, true, slices.Concat(answers, []event{spare}), NotCharged},
		"exclusive, a day later, counted":          {7, 24, true, slices.Concat(answers, []event{lost}), Charged},
		"exclusive, a day later, near zero":        {0, 24, true, slices.Concat(answers, []event{spare}), Undecided},
		"exclusive, with readings, a week later":   {7, 7 * 24, true, slices.Concat([]event{reading}, answers, []event{reading, spare}), NotCharged},
		"shared, with counters near zero, at once": {300, 0, false, []event{spare}, NotCharged},
	} {
		p := play(test.base, test.events, Pace{Calls: 60, Window: time.Minute})
		p.evidence.Exclusive = test.exclusive
		p.evidence.Now.ReadAt = p.evidence.Now.ReadAt.Add(test.hours * time.Hour)
		results, mistakes := p.reconcile()
		if last := results[len(results)-1].Result; last != test.want || len(mistakes) > 0 {
			t.Errorf("%s: %s, want %s; %q", name, last, test.want, mistakes)
		}
	}
}

// TestALowOwnRateDoesNotLimitWhatOthersMayHaveSent: a user who sets a low rate leaves the rest of it to others.
func TestALowOwnRateDoesNotLimitWhatOthersMayHaveSent(t *testing.T) {
	for _, test := range []struct {
		others Pace
		want   Result
	}{{Pace{}, NotCharged}, {Pace{Calls: 1, Window: time.Minute}, NotCharged}, {Pace{Calls: 60, Window: time.Minute}, Undecided}} {
		p := play(100, []event{{"spare", 0, firstModule}}, Pace{Calls: 5, Window: time.Minute})
		p.evidence.Tariff.Others = test.others
		if results, _ := p.reconcile(); results[0].Result != test.want {
			t.Errorf("others send %v: %s, want %s", test.others, results[0].Result, test.want)
		}
	}
}

// TestMoreUseThanIsAssumedProvesNothing: others send more than the rate limit allows, so they can have used the
// account until its counters were where they had been.
func TestMoreUseThanIsAssumedProvesNothing(t *testing.T) {
	for others, want := range map[int]Result{100: NotCharged, 300: Undecided} {
		events := append(slices.Repeat([]event{{"others", 0, secondModule}}, others), event{"spare", 0, firstModule})
		p := play(1000, events, Pace{Calls: 60, Window: time.Minute})
		p.evidence.Confirmed = []Operation{firstOperation}
		if results, _ := p.reconcile(); results[0].Result != want {
			t.Errorf("%d calls of others: %s, want %s", others, results[0].Result, want)
		}
	}
}

// TestCountersWellAboveZeroDecideAsWithoutResets compares the results with those of meters that never begin again.
func TestCountersWellAboveZeroDecideAsWithoutResets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pace := Pace{Calls: 60, Window: time.Minute}
		events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
			f := enrich.Field(rapid.IntRange(0, 1).Draw(t, "field"))
			return event{rapid.SampledFrom([]string{"answer", "answer", "answer", "lost", "spare", "reading"}).Draw(t, "kind"), f, firstModule + Meter(f)}
		}), 1, 12).Draw(t, "events")
		p := play(1000, events, pace)
		p.evidence.Exclusive = rapid.Bool().Draw(t, "exclusive")
		p.evidence.Confirmed = []Operation{firstOperation, secondOperation}
		got, _ := p.evidence.Reconcile(p.asked)
		p.evidence.Tariff = counting()
		for m := range p.evidence.Tariff.Meters {
			p.evidence.Tariff.Meters[m].Counting = CountsLeft
		}
		if want, _ := p.evidence.Reconcile(p.asked); !slices.Equal(got, want) {
			t.Fatalf("%v\nfindings %v, want %v", events, got, want)
		}
	})
}

// TestCountersNeverProveAWrongResult draws accounts whose modules count other operations than is assumed, that begin
// again and that others use. On an exclusive account nobody else does.
func TestCountersNeverProveAWrongResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pace := Pace{Calls: 3, Window: time.Hour}
		var confirmed []Operation
		on := assumed
		for f, o := range []Operation{firstOperation, secondOperation, thirdOperation} {
			if rapid.IntRange(0, 2).Draw(t, "another module") == 0 {
				on[f] = firstModule + secondModule - on[f]
			} else if rapid.Bool().Draw(t, "confirmed") {
				confirmed = append(confirmed, o)
			}
		}
		exclusive := rapid.Bool().Draw(t, "exclusive")
		kinds := []string{"answer", "answer", "answer", "lost", "spare", "reading", "reset"}
		if !exclusive {
			kinds = append(kinds, "others")
		}
		others, most := 0, int(pace.most(readAccuracy))
		events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
			f := enrich.Field(rapid.IntRange(0, 2).Draw(t, "field"))
			happened := event{rapid.SampledFrom(kinds).Draw(t, "kind"), f, on[f]}
			if happened.kind == "others" {
				happened.on = rapid.SampledFrom([]Meter{firstModule, secondModule}).Draw(t, "others use")
			}
			return happened
		}), 1, 14).Draw(t, "events")
		events = slices.DeleteFunc(events, func(e event) bool {
			if e.kind == "others" {
				others++
			}
			return e.kind == "others" && others > most
		})
		bases := rapid.SampledFrom([]int64{0, 0, 1, 3, 8, 20, 1000})
		p := playFrom(bases.Draw(t, "first"), bases.Draw(t, "second"), events, pace)
		p.evidence.Exclusive, p.evidence.Confirmed = exclusive, confirmed
		if _, mistakes := p.reconcile(); len(mistakes) > 0 {
			t.Fatalf("on %v, confirmed %v, exclusive %t, %v: %q", on, confirmed, exclusive, events, mistakes)
		}
	})
}

// TestAModuleIsConfirmedByItsAnswers shows when the module of an operation is confirmed.
func TestAModuleIsConfirmedByItsAnswers(t *testing.T) {
	pace := Pace{Calls: 3, Window: time.Hour}
	one, two := event{"answer", 0, firstModule}, event{"answer", 1, secondModule}
	swapped, elsewhere := event{"answer", 0, secondModule}, event{"others", 0, secondModule}
	for name, test := range map[string]struct {
		events []event
		want   []Operation
	}{
		"alone":                          {[]event{one}, []Operation{firstOperation}},
		"others use as many":             {[]event{one, elsewhere}, nil},
		"others use fewer":               {[]event{one, one, elsewhere}, []Operation{firstOperation}},
		"another operation uses as many": {[]event{one, two}, nil}, // they may be exchanged
		"another operation uses fewer":   {[]event{one, one, two}, []Operation{firstOperation, secondOperation}},
		"another module":                 {[]event{swapped}, nil},
		"a reset":                        {[]event{one, {kind: "reset"}}, nil},
		"no answer":                      {[]event{{"lost", 0, firstModule}}, nil},
	} {
		p := play(1000, test.events, pace)
		if got, _ := p.evidence.Confirm(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	p := play(1000, []event{one, two}, pace)
	p.evidence.Confirmed = []Operation{secondOperation}
	if got, _ := p.evidence.Confirm(); !slices.Equal(got, []Operation{firstOperation}) {
		t.Errorf("beside a confirmed operation: %v", got)
	}
	p = play(1000, []event{one}, pace)
	p.evidence.Now.OtherUsed = map[string]int64{"unknown": 5}
	if got, _ := p.evidence.Confirm(); got != nil {
		t.Errorf("beside a counter that was not shown before: %v", got)
	}
	p.evidence.Base.OtherUsed = map[string]int64{"unknown": 5}
	if got, _ := p.evidence.Confirm(); !slices.Equal(got, []Operation{firstOperation}) {
		t.Errorf("beside a counter that did not move: %v", got)
	}
}

// TestAnAssumedModuleProvesNothingWhenAnotherCounterRises: the other counter may have counted the call.
func TestAnAssumedModuleProvesNothingWhenAnotherCounterRises(t *testing.T) {
	pace := Pace{Calls: 3, Window: time.Hour}
	spare, counted := event{"spare", 0, firstModule}, event{"lost", 0, secondModule}
	answer, others := event{"answer", 0, firstModule}, event{"others", 0, secondModule}
	for name, test := range map[string]struct {
		events    []event
		confirmed []Operation
		want      Result
	}{
		"nothing rose":                            {[]event{spare}, nil, NotCharged},
		"another counter rose":                    {[]event{counted}, nil, Undecided},
		"another counter rose after answers":      {[]event{answer, answer, spare, others}, nil, NotCharged}, // which confirm the module
		"an earlier answer confirmed the module":  {[]event{spare, others}, []Operation{firstOperation}, NotCharged},
		"one confirmed that of another operation": {[]event{counted}, []Operation{{"other", MetersOf(firstModule)}}, Undecided},
		"one confirmed another module":            {[]event{counted}, []Operation{{"one", MetersOf(secondModule)}}, Undecided},
	} {
		p := play(1000, test.events, pace)
		p.evidence.Confirmed = test.confirmed
		if got, why := p.evidence.Reconcile(p.asked); got[0].Result != test.want || (why == "") != (test.want != Undecided) {
			t.Errorf("%s: %v (%s), want %v", name, got[0].Result, why, test.want)
		}
	}
	p := play(1000, []event{spare}, pace)
	p.evidence.Base.OtherUsed, p.evidence.Now.OtherUsed = map[string]int64{"unknown": 5}, map[string]int64{"unknown": 6}
	if got, why := p.evidence.Reconcile(p.asked); got[0].Result != Undecided {
		t.Errorf("a counter of no operation rose: %v (%s)", got[0].Result, why)
	}
}

// TestAnErasedCallMayHaveMovedAnotherCounter: nobody knows the operation of a lost call whose subject was erased. So an
// exclusive account does not explain another lost call exactly by the counter that it may have moved.
func TestAnErasedCallMayHaveMovedAnotherCounter(t *testing.T) {
	p := play(1000, []event{{"lost", 0, secondModule}, {"spare", 1, secondModule}}, Pace{Calls: 3, Window: time.Hour})
	p.evidence.Exclusive = true
	p.evidence.Lost[0].Name = ""
	p.evidence.Confirmed = []Operation{secondOperation}
	got, why := p.evidence.Reconcile(p.asked)
	if got[0].Result != Undecided || got[1].Result != Undecided {
		t.Errorf("%v (%s)", got, why)
	}
}

// TestASpanCounterIsEvidenceOnlyAfterAnAnswerMovedIt: the service may count in another time zone than is asked for.
func TestASpanCounterIsEvidenceOnlyAfterAnAnswerMovedIt(t *testing.T) {
	for name, test := range map[string]struct {
		before, booked, moved int64
		spans                 Meters
		shown                 bool
	}{
		"no answer yet":          {moved: 0},
		"somebody else moved it": {moved: 2},
		"it did not move":        {booked: 1, moved: 0},
		"an answer moved it":     {booked: 1, moved: 1, shown: true},
		"an earlier one had":     {spans: MetersOf(spanCount), shown: true},
	} {
		p := play(1000, []event{{"answer", 0, firstModule}}, Pace{Calls: 3, Window: time.Hour})
		p.evidence.Booked.Settled[spanCount], p.evidence.Spans = test.booked, test.spans
		p.evidence.Now.Used[spanCount] = Known(test.moved)
		change, why := p.evidence.Change()
		if why != "" || change.Shown.Has(spanCount) != test.shown || !change.Shown.Has(firstModule) {
			t.Errorf("%s: shown %b (%s), want the span: %t", name, change.Shown, why, test.shown)
		}
	}
}
