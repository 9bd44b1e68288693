package simulation_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// waterfall is a run of two steps over one list: both accounts of one journal are asked for the same fields.
type waterfall struct {
	*rig
	list     csvList
	wanted   enrich.Fields
	second   *scripted // the service of the second account
	accounts []*checkpoint.Journal
	stops    []string // of the steps
}

// withWaterfall runs a test on a waterfall with a script for each account.
func withWaterfall(
	t *testing.T, list csvList, first, second func(call) reply, test func(t *testing.T, w *waterfall),
) {
	t.Helper()
	withRig(t, first, func(t *testing.T, r *rig) {
		w := &waterfall{rig: r, list: list, wanted: v1.AllFields, second: newScripted(second)}
		w.openAccounts()
		if err := w.accounts[1].Rebase(w.second.account); err != nil {
			t.Fatal(err)
		}
		test(t, w)
	})
}

// openAccounts opens the accounts of the journal.
func (w *waterfall) openAccounts() {
	w.t.Helper()
	id := checkpoint.AccountID{Interface: "v1", Service: "https://second.example", Key: "key"}
	options := checkpoint.AccountOptions{Rate: w.rate, Catalogue: v1.Catalogue()}
	number, err := w.journal.Account(id, options)
	if err != nil {
		w.t.Fatal(err)
	}
	second, err := w.journal.For(number)
	if err != nil || number == 0 {
		w.t.Fatalf("the second account has the number %d, %v", number, err)
	}
	w.accounts = []*checkpoint.Journal{w.journal, second}
}

// reopen begins a new process.
func (w *waterfall) reopen() {
	w.t.Helper()
	w.open()
	w.openAccounts()
}

func (w *waterfall) services() []*scripted { return []*scripted{w.service, w.second} }

func (w *waterfall) steps() (all output.Steps) {
	for i, name := range []string{"first", "second"} {
		made := output.Output{Scope: w.list.scope(w.t, w.wanted), Run: "run", Decoder: new(v1.AnswerDecoder)}
		all = append(all, output.Step{Output: made, Name: name, Account: w.accounts[i]})
	}
	return all
}

// run runs the steps until they end or ctx does.
func (w *waterfall) run(ctx context.Context) dispatch.Stop {
	w.t.Helper()
	w.stops = nil
	stops, err := w.steps().Run(ctx, w.list, nil, func(
		ctx context.Context, step int, found *scan.Scan, rows scan.List,
	) (sent output.Sent, err error) {
		next, done := found.Lookups(ctx, rows)
		defer done()
		lookups := w.lookups()
		lookups.Ledger, lookups.Finder = w.accounts[step], w.services()[step]
		lookups.Reconciler.Arbiter, lookups.Reconciler.Status = w.accounts[step], w.services()[step]
		lookups.Limited = func(refuses dispatch.Refuses) { sent.Refuses = refuses }
		_, sent.Stop, err = lookups.Run(ctx, next)
		w.stops = append(w.stops, outcome{stop: sent.Stop}.word())
		return sent, err
	})
	if err != nil {
		w.t.Fatalf("the run failed: %v", err)
	}
	return stops.FirstStop()
}

// output returns the list with the answers of both accounts.
func (w *waterfall) output() written {
	w.t.Helper()
	rows, err := w.steps().After(w.list, 2)
	if err != nil {
		w.t.Fatal(err)
	}
	reader, err := w.list.Open(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	var text, rejects bytes.Buffer
	out := csvtable.NewWriter(&text, reader.(*csvtable.Reader), w.steps().Outputs().Columns(reader.Schema()))
	rejected := csvtable.NewWriter(&rejects, reader.(*csvtable.Reader), []table.Column{{Name: "reject_reason"}})
	statuses, err := rows.Write(w.t.Context(), w.list, out, rejected)
	if err := errors.Join(err, out.Close(), rejected.Close(), rows.Close(), reader.Close()); err != nil {
		w.t.Fatal(err)
	}
	return written{text.String(), rejects.String(), statuses}
}

// askedOf returns what an account was asked for, as "NAME: FIELDS".
func askedOf(s *scripted) (asked []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		asked = append(asked, c.who+": "+v1.Catalogue().Names(c.fields))
	}
	return asked
}

// wantLedger fails unless the charge columns of the output, the ledger of the journal and what the services
// charged are the same for each account.
func (w *waterfall) wantLedger(out written) {
	w.t.Helper()
	sum := func(column string) (total cost.Money) {
		for _, cell := range out.column(w.t, column) {
			var charge cost.Money
			if cell != "" && charge.UnmarshalText([]byte(cell)) != nil {
				w.t.Errorf("column %s has the charge %q", column, cell)
			}
			total += charge
		}
		return total
	}
	for i, column := range []string{"enrich_charge_usd_first", "enrich_charge_usd_second"} {
		ledger := w.accounts[i].Totals(checkpoint.ScopeAccount).Settled.Money()
		if charged := w.services()[i].charged; ledger != charged || sum(column) != charged {
			w.t.Errorf("account %d charged %s, the journal has %s, the output %s", i, charged, ledger, sum(column))
		}
	}
	if total := w.service.charged + w.second.charged; sum("enrich_charge_usd") != total {
		w.t.Errorf("the accounts charged %s, the output has %s", total, sum("enrich_charge_usd"))
	}
}

// someOf is a script that finds for each person what the name says: "e" the email, "p" the phone, both, or
// nothing.
func someOf(c call) reply {
	var returned enrich.Fields
	if strings.Contains(c.who, "e") {
		returned |= email
	}
	if strings.Contains(c.who, "p") {
		returned |= phone
	}
	return answersWith(time.Second, returned&c.fields)
}

const waterfallList = csvList("profile url,email,phone\n" +
	"https://pro.example/in/ep1,,\n" + // the first account has all
	"https://pro.example/in/e2,,\n" + // it has the email alone
	"https://pro.example/in/3,,\n" + // it has nothing
	"https://pro.example/in/bad,,\n" + // it refuses the person
	"https://pro.example/in/ep5,a@own.example,\n" + // the list has the email
	"https://pro.example/in/6,a@own.example,+1 555\n" + // the list has all
	"https://pro.example/in/e2,,\n" + // again
	",,\n")

// firstOf is the script of the first account for waterfallList.
func firstOf(c call) reply {
	if c.who == "bad" {
		return refuses(time.Second, enrich.InvalidInput, "invalid_identifiers")
	}
	return someOf(c)
}

// secondOf is the script of the second account for waterfallList: it has everything, but of person 3 it has
// the phone alone.
func secondOf(c call) reply {
	if c.who == "3" {
		return answersWith(time.Second, phone&c.fields)
	}
	return answersWith(time.Second, c.fields)
}

func TestAWaterfallAsksTheSecondAccountForWhatTheFirstDidNotFind(t *testing.T) {
	withWaterfall(t, waterfallList, firstOf, secondOf, func(t *testing.T, w *waterfall) {
		if stop := w.run(t.Context()); stop != nil {
			t.Fatalf("the run stopped: %v", stop)
		}
		const both = "work_email,business_phone"
		want := []string{"ep1: " + both, "e2: " + both, "3: " + both, "bad: " + both, "ep5: business_phone"}
		if diff := cmp.Diff(want, askedOf(w.service)); diff != "" {
			t.Errorf("asked of the first account (-want +got):\n%s", diff)
		}
		want = []string{"e2: business_phone", "3: " + both, "bad: " + both}
		if diff := cmp.Diff(want, askedOf(w.second)); diff != "" {
			t.Errorf("asked of the second account (-want +got):\n%s", diff)
		}
		out := w.output()
		w.wantLedger(out)
		const found, own, number = "ada@co.example", "a@own.example", "+1 555 0100"
		out.want(t, "email", found, found, "", found, own, own, found, "")
		out.want(t, "phone", number, number, number, number, number, "+1 555", number, "")
		out.want(t, "enrich_status",
			"matched", "matched", "partial", "matched", "matched", "filled", "duplicate", "unidentifiable")
		out.want(t, "enrich_charge_usd", "0.40", "0.40", "0.25", "0.40", "0.25", "", "", "")
		out.want(t, "enrich_charge_usd_first", "0.40", "0.15", "0.00", "", "0.25", "", "", "")
		out.want(t, "enrich_charge_usd_second", "", "0.25", "0.25", "0.40", "", "", "", "")
		out.want(t, "enrich_reason", "", "",
			"first: person known, work_email,business_phone not found; second: work_email not found", "", "", "",
			"first, second: same person as row 2",
			"first, second: no profile URL and no name")
		if !strings.Contains(out.rejects, ",,,") || strings.Contains(out.rejects, "/bad") {
			t.Errorf("the rejects are\n%s", out.rejects)
		}
		calls := len(askedOf(w.service)) + len(askedOf(w.second))
		w.reopen()
		stop := w.run(t.Context())
		if stop != nil || len(askedOf(w.service))+len(askedOf(w.second)) != calls {
			t.Errorf("run again: stop %v, %q and %q were asked", stop, askedOf(w.service), askedOf(w.second))
		}
		if again := w.output(); again.text != out.text {
			t.Errorf("written again:\n%s\nwant\n%s", again.text, out.text)
		}
	})
}

// TestAWaterfallAppendsOneColumnForAValue has a list without columns for the values.
func TestAWaterfallAppendsOneColumnForAValue(t *testing.T) {
	list := csvList("profile url\n" +
		"https://pro.example/in/ep1\nhttps://pro.example/in/e2\nhttps://pro.example/in/p3\n")
	withWaterfall(t, list, someOf, secondOf, func(t *testing.T, w *waterfall) {
		w.run(t.Context())
		if diff := cmp.Diff([]string{"e2: business_phone"}, askedOf(w.second)[:1]); diff != "" {
			t.Errorf("asked of the second account (-want +got):\n%s", diff)
		}
		out := w.output()
		w.wantLedger(out)
		header, _, _ := strings.Cut(out.text, "\n")
		const want = "profile url,work_email,business_phone,full_name,phone_type,enrich_status,enrich_reason," +
			"enrich_charge_usd,enrich_request_id,enrich_retrieved_at,enrich_provenance,enrich_confidence,enrich_charge_usd_first,enrich_charge_usd_second"
		if header != want {
			t.Errorf("the columns are\n%s\nwant\n%s", header, want)
		}
		out.want(t, "work_email", "ada@co.example", "ada@co.example", "ada@co.example")
		out.want(t, "business_phone", "+1 555 0100", "+1 555 0100", "+1 555 0100")
	})
}

// TestAWaterfallDoesNotAskAgainWhatMayHaveBeenCharged has the first account lose a response that was charged,
// and one that was not.
func TestAWaterfallDoesNotAskAgainWhatMayHaveBeenCharged(t *testing.T) {
	list := csvList("profile url,email\n" +
		"https://pro.example/in/lost,\nhttps://pro.example/in/gone,\nhttps://pro.example/in/3,\n")
	withWaterfall(t, list, func(c call) reply {
		switch c.who {
		case "lost":
			return loses(time.Second, 0)
		case "gone":
			return loses(time.Second, c.fields)
		}
		return someOf(c)
	}, secondOf, func(t *testing.T, w *waterfall) {
		w.wanted, w.shared = email, true // on a shared account both stay in doubt
		w.run(t.Context())
		if diff := cmp.Diff([]string{"3: work_email"}, askedOf(w.second)); diff != "" {
			t.Errorf("asked of the second account (-want +got):\n%s", diff)
		}
		w.output().want(t, "enrich_status", "in_doubt", "in_doubt", "not_found")
	})
}

// TestNoStepAsksForAForgottenPerson has a row with a profile URL and a name, and the person was forgotten by
// name.
func TestNoStepAsksForAForgottenPerson(t *testing.T) {
	list := csvList("profile url,first name,last name,company,email\n" +
		"https://pro.example/in/3,Ada,Byron,Co,\nhttps://pro.example/in/4,Ada,Example,Co,\n")
	withWaterfall(t, list, someOf, secondOf, func(t *testing.T, w *waterfall) {
		w.wanted = email
		if err := forget(w.journal, enrich.Identity{FirstName: "Ada", LastName: "Byron", CompanyName: "Co"}); err != nil {
			t.Fatal(err)
		}
		w.run(t.Context())
		for i, service := range w.services() {
			if diff := cmp.Diff([]string{"4: work_email"}, askedOf(service)); diff != "" {
				t.Errorf("asked of account %d (-want +got):\n%s", i, diff)
			}
		}
		w.output().want(t, "enrich_status", "not_attempted", "matched")
	})
}

// TestAWaterfallGoesOnAfterAnInterruptInEitherStep interrupts a run at every call, begins a new process, and
// compares the outcome with that of a run that was not interrupted.
func TestAWaterfallGoesOnAfterAnInterruptInEitherStep(t *testing.T) {
	const calls = 8
	var want string
	for interruptAt := range calls + 1 { // 0 for none
		interrupt := func() {}
		seen := 0
		counted := func(script func(call) reply) func(call) reply {
			return func(c call) reply {
				if seen++; seen == interruptAt {
					interrupt()
				}
				return script(c)
			}
		}
		withWaterfall(t, waterfallList, counted(firstOf), counted(secondOf), func(t *testing.T, w *waterfall) {
			ctx, cancel := context.WithCancel(t.Context())
			interrupt = cancel
			stop := w.run(ctx)
			cancel()
			if _, interrupted := stop.(dispatch.Interrupted); interrupted != (interruptAt > 0) {
				t.Errorf("interrupted at %d: stop %v", interruptAt, stop)
			}
			w.wantLedger(w.output())
			w.reopen()
			if stop := w.run(t.Context()); stop != nil {
				t.Errorf("interrupted at %d: the second start stopped: %v", interruptAt, stop)
			}
			out := w.output()
			w.wantLedger(out)
			if interruptAt == 0 {
				want = withoutTimes(t, out.text)
			}
			if got := withoutTimes(t, out.text); got != want {
				t.Errorf("interrupted at %d:\n%s\nwant\n%s", interruptAt, got, want)
			}
			for i, service := range w.services() {
				asked := askedOf(service)
				if slices.Sort(asked); len(slices.Compact(asked)) != len(askedOf(service)) {
					t.Errorf("interrupted at %d: account %d was asked for %q", interruptAt, i, asked)
				}
			}
		})
	}
}

// TestAnInterruptBetweenTwoStepsIsTheStop ends the context when the first step has ended, with and without a limit.
func TestAnInterruptBetweenTwoStepsIsTheStop(t *testing.T) {
	withWaterfall(t, waterfallList, firstOf, secondOf, func(t *testing.T, w *waterfall) {
		for _, first := range []dispatch.Stop{nil, dispatch.ServiceRefused{Code: "limits.daily", Module: "mail"}} {
			ctx, cancel := context.WithCancel(t.Context())
			stops, err := w.steps().Run(ctx, w.list, nil,
				func(context.Context, int, *scan.Scan, scan.List) (output.Sent, error) {
					cancel()
					return output.Sent{Stop: first}, nil
				})
			want := dispatch.Interrupted{}
			if stops[0] != first || stops[1] != want || stops.FirstStop() != want || err != nil {
				t.Errorf("the first step: %v; the steps: stopped by %v, error %v", first, stops, err)
			}
		}
	})
}

// withoutTimes returns a list without the times of its answers.
func withoutTimes(t *testing.T, text string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "enrich_retrieved_at")
	for _, row := range rows {
		row[at] = ""
	}
	return fmt.Sprint(rows)
}

// TestACeilingCountsBothSteps lets the ceiling bind in the first step, in the second and in neither.
func TestACeilingCountsBothSteps(t *testing.T) {
	for limit, want := range map[cost.Money]struct {
		stops  []string
		status []string
	}{
		1000 * cost.Cent: {[]string{"", ""}, []string{"matched", "matched", "partial", "matched", "matched"}},
		// The second step has 0.25 for person e2, and not the 0.40 that person 3 may cost.
		120 * cost.Cent: {
			[]string{"", "ceiling:max-spend"}, []string{"matched", "matched", "not_attempted", "not_attempted", "matched"},
		},
		// The first step has 0.40 for person ep1 and 0.15 for e2, and not the 0.40 that person 3 may cost.
		// Person e2 was asked for, so that the second step may look for the phone.
		85 * cost.Cent: {
			[]string{"ceiling:max-spend", ""},
			[]string{"matched", "matched", "not_attempted", "not_attempted", "not_attempted"},
		},
	} {
		withWaterfall(t, waterfallList, firstOf, secondOf, func(t *testing.T, w *waterfall) {
			w.maxSpend(limit)
			w.run(t.Context())
			if diff := cmp.Diff(want.stops, w.stops); diff != "" {
				t.Errorf("limit %s: stops (-want +got):\n%s", limit, diff)
			}
			out := w.output()
			w.wantLedger(out)
			if spent := w.service.charged + w.second.charged; spent > limit {
				t.Errorf("%s was spent, and the ceiling is %s", spent, limit)
			}
			if got := out.column(t, "enrich_status")[:5]; !slices.Equal(got, want.status) {
				t.Errorf("limit %s: statuses %q, want %q", limit, got, want.status)
			}
		})
	}
}

// TestThePlanOfAWaterfallCountsTheMostThatEachStepAsksFor plans before anything was sent, after the first
// step and at the end.
func TestThePlanOfAWaterfallCountsTheMostThatEachStepAsksFor(t *testing.T) {
	withWaterfall(t, waterfallList, firstOf, secondOf, func(t *testing.T, w *waterfall) {
		want := func(when string, first, second cost.Workload) {
			t.Helper()
			for i, want := range []cost.Workload{first, second} {
				rows, err := w.steps().After(w.list, i)
				if err != nil {
					t.Fatal(err)
				}
				most, err := w.steps().Scan(t.Context(), rows, i, true, scan.New)
				if err := errors.Join(err, rows.Close()); err != nil {
					t.Fatal(err)
				}
				got := most.Count().Lookups
				if !maps.Equal(workload(got), workload(want)) {
					t.Errorf("%s, step %d: %v, want %v", when, i, got, want)
				}
			}
		}
		const both = v1.AllFields
		want("before", cost.Workload{both: 4, phone: 1}, cost.Workload{both: 4, phone: 1})
		ctx, cancel := context.WithCancel(t.Context())
		w.second.script = func(c call) reply { cancel(); return secondOf(c) }
		w.run(ctx) // which ends after the first call of the second step
		want("in between", cost.Workload{}, cost.Workload{both: 2})
		w.run(t.Context())
		want("at the end", cost.Workload{}, cost.Workload{})
	})
}

// workload returns the kinds of lookups of which there are some.
func workload(w cost.Workload) map[enrich.Fields]int64 {
	some := map[enrich.Fields]int64{}
	for fields, n := range w {
		if n > 0 {
			some[enrich.Fields(fields)] = n
		}
	}
	return some
}
