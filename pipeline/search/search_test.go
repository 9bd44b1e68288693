package search_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline/problem"
	"payonce/pipeline/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestASearchIsWrittenAndTheSameSearchBuysNothing searches twice, and a third time when the answers are too old.
func TestASearchIsWrittenAndTheSameSearchBuysNothing(t *testing.T) {
	b := newBench(t, 60)
	o := b.options(order(t, "companies"))
	ended := b.run(t, o)
	lines := b.lines(t, o)
	if len(lines) != 61 || lines[0] != "company_id,company_name" || lines[1] != "1000,Company 1000" || lines[60] != "1059,Company 1059" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
	v := ended.Summary
	if ended.Stop != nil || v.Results != 60 || *v.Total != 60 || v.Calls != 3 || v.Pages != 3 || v.Units[0].Used != 3 || b.used["companies"] != 3 || len(v.Gaps) > 0 {
		t.Errorf("%+v, the service counted %v", v, b.used)
	}
	again := b.run(t, o)
	if again.Summary.Calls != 0 || b.calls != 3 || again.Summary.Results != 60 || !slices.Equal(lines, b.lines(t, o)) {
		t.Errorf("the same search: %+v, %d calls in all", again.Summary, b.calls)
	}
	// Another spelling of the same search, under another name and to another file.
	o.Run, o.Output.Path = "other", filepath.Join(b.dir, "other.csv")
	if b.run(t, o); b.calls != 3 || !slices.Equal(lines, b.lines(t, o)) {
		t.Errorf("under another name: %d calls in all", b.calls)
	}
	b.now = func() time.Time { return time.Now().Add(8 * 24 * time.Hour) }
	if late := b.run(t, o); late.Summary.Calls != 3 || b.calls != 6 {
		t.Errorf("after eight days: %d calls, %d in all", late.Summary.Calls, b.calls)
	}
}

// TestALongSearchIsSplitAndFindsEverythingOnce has more companies than ten pages show.
func TestALongSearchIsSplitAndFindsEverythingOnce(t *testing.T) {
	b := newBench(t, 900)
	o := b.options(order(t, "companies", "number_of_employees=0..5000"))
	ended := b.run(t, o)
	lines := b.lines(t, o)
	slices.Sort(lines)
	if len(slices.Compact(lines)) != 901 || ended.Summary.Parts < 4 || len(ended.Summary.Gaps) > 0 || ended.Stop != nil {
		t.Errorf("%d different lines, %+v", len(slices.Compact(lines)), ended.Summary)
	}
	b.checkOnce(t)
	if got := b.used["companies"]; got != ended.Summary.Units[0].Used || got > 60 {
		t.Errorf("the service counted %d calls, the journal %d", got, ended.Summary.Units[0].Used)
	}
}

// TestASearchResumesWhereverItIsInterrupted interrupts a search in each of its calls.
func TestASearchResumesWhereverItIsInterrupted(t *testing.T) {
	whole := newBench(t, 300)
	undisturbed := whole.run(t, whole.options(order(t, "companies", "number_of_employees=0..5000")))
	want := whole.lines(t, whole.options(order(t, "companies")))
	for after := 1; after <= whole.calls; after += 1 + after/3 {
		b := newBench(t, 300)
		o := b.options(order(t, "companies", "number_of_employees=0..5000"))
		ctx, interrupt := context.WithCancel(t.Context())
		b.spoil = func(number int, _ http.ResponseWriter, _ func()) bool {
			if number == after {
				interrupt()
			}
			return false
		}
		ended, err := search.Run(ctx, b.work(t), o, &person{})
		if err != nil || after < whole.calls && stopWord(ended) != "interrupted" {
			t.Fatalf("interrupted in call %d: stop %q, error %v", after, stopWord(ended), err)
		}
		if ended = b.run(t, o); ended.Stop != nil || !slices.Equal(want, b.lines(t, o)) || b.used["companies"] != undisturbed.Summary.Units[0].Used {
			t.Errorf("interrupted in call %d: %+v, %d calls were counted", after, ended.Summary, b.used["companies"])
		}
		b.checkOnce(t)
		interrupt()
	}
}

// drop ends the connection without a response.
func drop(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

// TestALostPageIsNeverBoughtTwice loses responses, of calls that the service counted and of others.
func TestALostPageIsNeverBoughtTwice(t *testing.T) {
	for _, test := range []struct {
		name               string
		counts, exclusive  bool
		rebuy, nearZero    bool
		gaps               []string
		results, callsMore int64
	}{
		{name: "not counted", results: 60},
		{name: "not counted, by counters near zero", nearZero: true, gaps: []string{"in_doubt"}, results: 35},
		{name: "counted, on a shared account", counts: true, gaps: []string{"in_doubt"}, results: 35},
		{name: "counted, on an exclusive account", counts: true, exclusive: true, gaps: []string{"forfeited"}, results: 35},
		{name: "counted, and wanted again", counts: true, exclusive: true, rebuy: true, gaps: []string{"forfeited"}, results: 35, callsMore: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, 60)
			b.opts.Exclusive = test.exclusive
			b.second().Connections = 1 // so the second call is for the second page
			if !test.nearZero {
				b.used["companies"] = 50_000 // more than anybody can have used since the start
			}
			b.spoil = func(number int, w http.ResponseWriter, count func()) bool {
				if number != 2 {
					return false
				}
				if test.counts {
					count()
				}
				drop(w)
				return true
			}
			o := b.options(order(t, "companies"))
			ended := b.run(t, o)
			var gaps []string
			for _, gap := range ended.Summary.Gaps {
				gaps = append(gaps, string(gap.Why))
			}
			if !slices.Equal(gaps, test.gaps) || ended.Summary.Results != test.results || ended.Summary.Lost() != (len(gaps) > 0) {
				t.Errorf("gaps %q, %d results, %+v", gaps, ended.Summary.Results, ended.Summary)
			}
			before := b.calls
			o.Rebuy = test.rebuy
			ended = b.run(t, o)
			if int64(b.calls-before) != test.callsMore || ended.Summary.Results != test.results+25*test.callsMore {
				t.Errorf("%d more calls, %d results", b.calls-before, ended.Summary.Results)
			}
			if !test.rebuy {
				b.checkOnce(t)
			}
			// It is not asked for again when it is old, either.
			b.now = func() time.Time { return time.Now().Add(30 * 24 * time.Hour) }
			if ended = b.run(t, o); test.name == "counted, on a shared account" && (ended.Summary.Results != 35 || b.counted[lostPage(b)] != 1) {
				t.Errorf("a month later: %+v", ended.Summary)
			}
		})
	}
}

// lostPage returns the page that was counted in the second call: the other than the first one and a later one.
func lostPage(b *bench) string {
	for page, n := range b.counted {
		if n == 1 {
			return page
		}
	}
	return ""
}

// TestACeilingOnUnitsIsNeverPassed has room for two pages, and then for more.
func TestACeilingOnUnitsIsNeverPassed(t *testing.T) {
	b := newBench(t, 60)
	o := b.options(order(t, "companies"))
	o.Budget.Units = map[string]int64{"companies": 2}
	ended := b.run(t, o)
	if stopWord(ended) != "ceiling:max-units companies" || b.used["companies"] != 2 || ended.Summary.Results != 50 {
		t.Errorf("%+v, the service counted %v", ended.Summary, b.used)
	}
	if ended = b.run(t, o); stopWord(ended) != "ceiling:max-units companies" || b.used["companies"] != 2 {
		t.Errorf("again: %+v, the service counted %v", ended.Summary, b.used)
	}
	o.Budget.Units["companies"] = 3
	if ended = b.run(t, o); ended.Stop != nil || b.used["companies"] != 3 || ended.Summary.Results != 60 {
		t.Errorf("with more: %+v, the service counted %v", ended.Summary, b.used)
	}
}

// TestMoneyBoundsASearchWhoseUnitsHavePrices has money for two pages of a module whose units have a price.
func TestMoneyBoundsASearchWhoseUnitsHavePrices(t *testing.T) {
	b := newBench(t, 60)
	b.setPrices(v2.Prices{v2.MeterCompanies: 5 * cost.Dollar / 100})
	o := b.options(order(t, "companies"))
	limit := cost.Dollar / 10
	o.Budget.WorkspaceMonthly = &limit
	ended := b.run(t, o)
	if stopWord(ended) != "ceiling:workspace-monthly" || b.used["companies"] != 2 {
		t.Errorf("%+v, the service counted %v", ended.Summary, b.used)
	}
}

// TestTheMoneyOfASearchLimitsUnitsThatHaveAPrice: such units need no limit of their own, others do.
func TestTheMoneyOfASearchLimitsUnitsThatHaveAPrice(t *testing.T) {
	b := newBench(t, 60)
	b.setPrices(v2.Prices{v2.MeterCompanies: 5 * cost.Cent})
	o := b.options(order(t, "companies"))
	o.Budget.Units, o.Budget.MaxSpend = nil, new(10*cost.Cent)
	ended := b.run(t, o)
	if stopWord(ended) != "ceiling:max-spend" || b.used["companies"] != 2 {
		t.Errorf("%+v, the service counted %v", ended.Summary, b.used)
	}
}

// codeOf returns the code of a problem.
func codeOf(err error) string {
	if found, is := errors.AsType[*problem.Error](err); is {
		return found.Code
	}
	return fmt.Sprint(err)
}

// A search does not begin without a limit on units, an approval, the interface and an output that can be written.
func TestASearchDoesNotBeginWithoutLimitApprovalOrOutput(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*bench, *search.Options)
		person person
		want   string
	}{
		"without a limit": {change: func(_ *bench, o *search.Options) { o.Budget.Units = nil }, want: "max_units_missing"},
		"with a limit on money that units do not cost": {
			change: func(_ *bench, o *search.Options) { o.Budget.Units, o.Budget.MaxSpend = nil, new(cost.Dollar) }, want: "max_units_missing",
		},
		"with another limit":   {change: func(_ *bench, o *search.Options) { delete(o.Budget.Units, "companies") }, want: "max_units_missing"},
		"without an interface": {change: func(b *bench, _ *search.Options) { b.second().BaseURL = "" }, want: "v2_missing"},
		"where nobody is asked": {
			change: func(_ *bench, o *search.Options) { o.Yes = false }, want: "search_cannot_ask",
		},
		"when the answer is no": {
			change: func(_ *bench, o *search.Options) { o.Yes = false }, person: person{asks: true}, want: "",
		},
		"to a file of no format": {
			change: func(b *bench, o *search.Options) { o.Output.Path = filepath.Join(b.dir, "no such directory", "x.csv") }, want: "",
		},
		"with a key that is refused": {change: func(b *bench, _ *search.Options) { b.second().Key = "other" }, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 60)
			o := b.options(order(t, "companies"))
			test.change(b, &o)
			_, err := search.Run(t.Context(), b.work(t), o, &test.person)
			if err == nil || codeOf(err) != test.want || b.calls > 0 {
				t.Errorf("error %v with the code %q, %d calls", err, codeOf(err), b.calls)
			}
		})
	}
}

// TestAPlanSendsNothing plans before the journal exists, and after a search.
func TestAPlanSendsNothing(t *testing.T) {
	b := newBench(t, 60)
	o := b.options(order(t, "companies"))
	o.Order.Most = 40
	plan, err := search.MakePlan(t.Context(), b.work(t), o)
	if err != nil || b.calls > 0 || plan.Needed != 2 && plan.Needed != 1 || *plan.AtMost != 2 || plan.Known != 0 || plan.Total != nil {
		t.Fatalf("%+v, error %v", plan, err)
	}
	o.Yes = false
	p := &person{asks: true, says: true}
	if _, err := search.Run(t.Context(), b.work(t), o, p); err != nil || p.asked != 1 || p.plan.Needed != plan.Needed {
		t.Errorf("asked %d times, error %v", p.asked, err)
	}
	calls := b.calls
	plan, err = search.MakePlan(t.Context(), b.work(t), o)
	if err != nil || b.calls != calls || plan.Needed != 0 || *plan.AtMost != 0 || plan.Known != 40 || *plan.Total != 60 || plan.Units[0].Used != 2 || *plan.Units[0].AccountLeft != 99_998 {
		t.Errorf("%+v, error %v", plan, err)
	}
	if _, err := search.Run(t.Context(), b.work(t), o, p); err != nil || p.asked != 1 {
		t.Errorf("it asks although there is nothing to send, error %v", err)
	}
	// Without a bound nothing but the units bounds the calls.
	o.Order.Most, o.Budget.Units = 0, map[string]int64{"companies": 500}
	plan, err = search.MakePlan(t.Context(), b.work(t), o)
	if err != nil || plan.Needed != 1 || *plan.AtMost != 500 {
		t.Errorf("%+v, error %v", plan, err)
	}
}

// TestFiltersThatTheServiceRefusesEndTheSearch shows what the service says, also when it is not asked again.
func TestFiltersThatTheServiceRefusesEndTheSearch(t *testing.T) {
	b := newBench(t, 60)
	o := b.options(order(t, "companies", "nace=wrong"))
	ended := b.run(t, o)
	if stopWord(ended) != "service:invalid_request" || !strings.Contains(fmt.Sprint(ended.Stop), "there is no such code") || b.used["companies"] > 0 {
		t.Errorf("%v", ended.Stop)
	}
	if again := b.run(t, o); stopWord(again) != "service:invalid_request" || b.calls != 1 {
		t.Errorf("%v, %d calls", again.Stop, b.calls)
	}
}

// TestUnexpectedAnswersDoNotStopASearch has answers with strange members, and bodies that are no answers.
func TestUnexpectedAnswersDoNotStopASearch(t *testing.T) {
	b := newBench(t, 100)
	b.change = func(number int, answer map[string]any) {
		switch number {
		case 1:
			answer["data"] = append(answer["data"].([]any), nil, 7, map[string]any{}, map[string]any{"id": nil, "name": "No identifier\n\"quoted\""}, map[string]any{"id": []int{1}, "name": "=1+1"})
		case 2:
			answer["data"], answer["total_pages"] = nil, "many"
		case 3:
			answer["total_companies"], answer["total_pages"] = -4, 1e300
		}
	}
	b.spoil = func(number int, w http.ResponseWriter, _ func()) bool {
		if number == 4 {
			fmt.Fprint(w, `{"total_companies": 100, "dat`)
		}
		return number == 4
	}
	o := b.options(order(t, "companies"))
	o.Pace.Concurrency = 1
	ended := b.run(t, o)
	text := strings.Join(b.lines(t, o), "\n")
	if !strings.Contains(text, "\"No identifier\n\"\"quoted\"\"\"") || !strings.Contains(text, ",=1+1") && !strings.Contains(text, ",'=1+1") {
		t.Errorf("%s\n%+v", text, ended.Summary)
	}
	b.checkOnce(t)
}
