package notify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/distuv"

	"payonce/checkpoint/record"
	"payonce/cost"
)

// noon is when occurrences ended.
var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// occurrence returns an occurrence that ended with an exit code and a reason.
func occurrence(exit int64, reason string) record.Occurrence {
	return record.Occurrence{
		Job: "nightly", At: "2026-11-23T02:30", Count: 1, Zone: "UTC", Due: noon.Add(-2 * time.Hour), Starts: 2,
		Began: noon.Add(-time.Hour), Ended: noon, Exit: exit, Reason: reason, Found: 3, Lookups: 5, Spent: 45 * cost.Cent,
	}
}

// kinds returns the kinds of alerts.
func kinds(alerts []record.Alert) string {
	var kinds []string
	for _, alert := range alerts {
		kinds = append(kinds, alert.Kind)
	}
	return strings.Join(kinds, " ")
}

// pasted are the commands of the tests.
var pasted = Commands{
	Run: "batch jobs run nightly --occurrence 2026-11-23T02:30", Plan: "batch jobs run nightly --occurrence 2026-11-23T02:30 --dry-run",
	Now: "batch jobs run nightly --now", Approve: "batch jobs run nightly --occurrence 2026-11-23T02:30 --approve 0.60",
	Resume: "batch jobs resume nightly", History: "batch jobs history nightly",
	Reconcile: "batch reconcile --workspace team", Account: "batch account --workspace team",
}

// checkCommands fails unless every command of a text has a line of its own, after a line that says what it does, and
// no line has a part of one.
func checkCommands(t *testing.T, text string) {
	t.Helper()
	whole := []string{
		pasted.Run, pasted.Plan, pasted.Now, pasted.Approve, pasted.Resume, pasted.History, pasted.Reconcile, pasted.Account,
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		isCommand := slices.Contains(whole, line)
		if strings.Contains(line, "batch ") != isCommand || isCommand && (i == 0 || !strings.HasSuffix(lines[i-1], ", run:")) {
			t.Errorf("%q cannot be pasted from %q", line, text)
		}
	}
}

func TestEachRunOutcomeRaisesTheRightAlerts(t *testing.T) {
	waits := occurrence(3, "ceiling:daily")
	waits.Until = noon.Add(12 * time.Hour)
	pauses := occurrence(4, "service:asked_to_wait")
	pauses.Until = noon.Add(time.Hour)
	paused := record.Job{Name: "nightly", Failures: 3, PausedAt: noon}
	for name, test := range map[string]struct {
		ended RunEnded
		want  string
		text  string // of the first
	}{
		"ran well": {RunEnded{Occurrence: occurrence(0, ""), End: RunDone}, "success", "The run came to its end."},
		"failed": {
			RunEnded{Occurrence: occurrence(4, "service:unreachable"), End: RunFailed},
			"failure",
			"The run failed: the service cannot be reached.\nTo run it again, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30",
		},
		"missing list": {
			RunEnded{Occurrence: caused(occurrence(2, "usage"), "there is no list lists/2026-*.csv"), End: RunFailed},
			"failure",
			"The run failed: there is no list lists/2026-*.csv.\nTo run it again, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30",
		},
		"wrong list": {
			RunEnded{Occurrence: occurrence(2, "usage"), End: RunFailed},
			"failure",
			"The run failed: the configuration or the list is wrong.\nTo see what is wrong, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30 --dry-run\nTo run it again, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30",
		},
		"wrong key": {
			RunEnded{Occurrence: occurrence(4, "service:invalid_api_key"), End: RunFailed},
			"failure",
			"The run failed: the service refuses the API key.\nTo run it again, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30",
		},
		"pauses": {
			RunEnded{Occurrence: occurrence(1, "internal"), End: RunFailed, Job: paused},
			"failure",
			"The run failed: there was an internal failure.\nTo see what is wrong, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30 --dry-run\nTo run it again, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30\nThe job is paused. Occurrences that become due meanwhile do not run.\nTo let it start again, run:\nbatch jobs resume nightly",
		},
		"approval": {
			RunEnded{Occurrence: occurrence(7, "approval_missing"), End: RunFailed},
			"approval",
			"The run needs an approval. Nothing was sent.\nTo approve it, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30 --approve 0.60",
		},
		"approval of an amount": {
			RunEnded{Occurrence: possible(60 * cost.Cent), End: RunFailed},
			"approval",
			"The run can spend $0.60 and needs an approval. Nothing was sent.\nTo approve it, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30 --approve 0.60",
		},
		"approval of a job that is paused": {
			RunEnded{Occurrence: possible(60 * cost.Cent), End: RunFailed, Job: paused},
			"approval",
			"The run can spend $0.60 and needs an approval. Nothing was sent.\nTo approve it, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30 --approve 0.60\nThe job is paused. Occurrences that become due meanwhile do not run.\nTo let it start again, run:\nbatch jobs resume nightly",
		},
		"waits": {
			RunEnded{Occurrence: waits, End: RunWaits},
			"ceiling",
			"The run reached the ceiling daily.\nIt goes on by itself at 2026-11-24 00:00 UTC.\nTo go on at once after a ceiling was raised, run:\nbatch jobs run nightly --now",
		},
		"ceiling": {
			RunEnded{Occurrence: occurrence(3, "ceiling:max-spend"), End: RunDone},
			"ceiling success",
			"The run reached the ceiling max-spend.\nRows that were not looked up are left.\nTo look up what is left after a ceiling was raised, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30",
		},
		"the budget": {
			RunEnded{Occurrence: waits2("service:usage_budget_reached"), End: RunWaits},
			"ceiling",
			"The run reached a limit of the account (usage_budget_reached).\nIt goes on by itself at 2026-11-24 00:00 UTC.\nTo go on at once after a ceiling was raised, run:\nbatch jobs run nightly --now",
		},
		"a pause": {RunEnded{Occurrence: pauses, End: RunWaits}, "", ""},
		"a pause that is too long": {
			RunEnded{Occurrence: occurrence(4, "service:asked_to_wait"), End: RunDone},
			"ceiling success",
			"The service asks for a pause.\nThat ends after the catch-up window of the occurrence. Rows that were not looked up are left.\nTo run it again, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30",
		},
		"interrupted": {RunEnded{Occurrence: occurrence(6, "interrupted"), End: RunGoesOn}, "", ""},
		"no journal":  {RunEnded{Occurrence: occurrence(11, "journal_held"), End: RunGoesOn}, "", ""},
		"in doubt": {
			RunEnded{Occurrence: occurrence(5, ""), End: RunDone, Facts: RunFacts{InDoubt: 2}},
			"success doubt", "The run came to its end.",
		},
		"in doubt after an interrupt": {
			RunEnded{Occurrence: occurrence(6, "interrupted"), End: RunGoesOn, Facts: RunFacts{InDoubt: 1}},
			"doubt", "The outcome of 1 lookup is not known.\nTo decide, run:\nbatch reconcile --workspace team",
		},
		"drift": {
			RunEnded{Occurrence: occurrence(4, "service:unreachable"), End: RunFailed, Facts: RunFacts{Lost: 30 * cost.Cent, LostUnits: 2}},
			"failure drift", "The run failed: the service cannot be reached.\nTo run it again, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30",
		},
		"a higher price": {
			RunEnded{Occurrence: occurrence(6, "interrupted"), End: RunGoesOn, Facts: RunFacts{Higher: map[string]cost.Money{"work_email": 20 * cost.Cent}}},
			"price", "Prices have changed: the account shows $0.20 for work_email.\nTo look at the account, run:\nbatch account --workspace team",
		},
		"stopped by a price": {
			RunEnded{Occurrence: occurrence(4, "service:price_higher"), End: RunFailed}, "failure price", "The run failed: the account shows a higher price than the one in use.\nTo run it again, run:\nbatch jobs run nightly --occurrence 2026-11-23T02:30",
		},
	} {
		test.ended.Commands = pasted
		alerts := AlertsOfEnd(test.ended)
		if got := kinds(alerts); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
			continue
		}
		if len(alerts) > 0 && alerts[0].Text != test.text {
			t.Errorf("%s: %q", name, alerts[0].Text)
		}
		for _, alert := range alerts {
			if alert.Job != "nightly" || alert.Occurrence != "2026-11-23T02:30" || alert.Start != 2 || !alert.At.Equal(noon) {
				t.Errorf("%s: %+v", name, alert)
			}
			if !slices.Contains(Alerts(), Kind(alert.Kind)) {
				t.Errorf("%s: no channel can ask for %s", name, alert.Kind)
			}
			checkCommands(t, alert.Text)
		}
	}
}

// caused returns an occurrence with a cause in words.
func caused(one record.Occurrence, cause string) record.Occurrence {
	one.Cause = cause
	return one
}

// possible returns an occurrence whose run can spend an amount that nobody approved.
func possible(amount cost.Money) record.Occurrence {
	one := occurrence(7, "approval_missing")
	one.Possible = amount
	return one
}

// waits2 returns an occurrence that waits for twelve hours.
func waits2(reason string) record.Occurrence {
	one := occurrence(4, reason)
	one.Until = noon.Add(12 * time.Hour)
	return one
}

func TestAReasonOfTheServiceIsShownOnlyAsACode(t *testing.T) {
	for reason, want := range map[string]string{
		"service:refused_2": "service:refused_2", "service:<ann@acme.example> owes us": "other", "service:" + strings.Repeat("x", 80): "other",
	} {
		alerts := AlertsOfEnd(RunEnded{Occurrence: occurrence(4, reason), End: RunFailed})
		if got := alerts[0].Figures[1]; got != (record.Figure{Name: "reason", Value: want}) {
			t.Errorf("%s: %+v", reason, got)
		}
	}
}

func TestAPriceIsComparedWithTheLastOneThatWasPaid(t *testing.T) {
	with := func(at string, price cost.Money) record.Occurrence {
		one := occurrence(0, "")
		one.At, one.Fields = at, []record.FieldCount{{Name: "work_email", Asked: 1, Price: price}}
		return one
	}
	now := with("2026-11-23T02:30", 20*cost.Cent)
	for name, test := range map[string]struct {
		earlier []record.Occurrence
		want    string
	}{
		"the first run": {nil, ""},
		"another price": {
			[]record.Occurrence{with("2026-11-21T02:30", 20*cost.Cent), with("2026-11-22T02:30", 15*cost.Cent)},
			"Prices have changed: work_email costs $0.20, and cost $0.15 on 2026-11-23.",
		},
		"the same price":      {[]record.Occurrence{with("2026-11-21T02:30", 15*cost.Cent), with("2026-11-22T02:30", 20*cost.Cent)}, ""},
		"an unknown one":      {[]record.Occurrence{with("2026-11-21T02:30", 20*cost.Cent), with("2026-11-22T02:30", 0)}, ""},
		"an earlier start":    {[]record.Occurrence{with("2026-11-23T02:30", 10*cost.Cent)}, "Prices have changed: work_email costs $0.20, and cost $0.10 on 2026-11-23."},
		"one of other fields": {[]record.Occurrence{occurrence(0, "")}, ""},
	} {
		got := ""
		for _, alert := range AlertsOfEnd(RunEnded{Occurrence: now, End: RunDone, Facts: RunFacts{Fields: now.Fields}, Earlier: test.earlier}) {
			if alert.Kind == string(Price) {
				got = alert.Text
			}
		}
		if got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// runs returns occurrences that asked for a field and found it as often as counts say.
func runs(asked int64, found ...int64) (earlier []record.Occurrence) {
	for i, n := range found {
		one := occurrence(0, "")
		one.At = noon.AddDate(0, 0, i-100).Format("2006-01-02T15:04")
		one.Fields = []record.FieldCount{{Name: "work_email", Asked: asked, Found: n}}
		earlier = append(earlier, one)
	}
	return earlier
}

func TestAnUnusualMatchRateIsOneThatChanceDoesNotExplain(t *testing.T) {
	usual := runs(100, 70, 72, 68, 71, 69, 70, 70, 73, 68, 69)
	for name, test := range map[string]struct {
		asked, found int64
		earlier      []record.Occurrence
		want         string
	}{
		"as usual":                      {100, 66, usual, ""},
		"few":                           {100, 45, usual, "work_email 45 of 100 (45 %); the usual rate is 70 %"},
		"none":                          {100, 0, usual, "work_email 0 of 100 (0 %); the usual rate is 70 %"},
		"all":                           {100, 100, usual, "work_email 100 of 100 (100 %); the usual rate is 70 %"},
		"few of a small list":           {20, 9, usual, ""},
		"none of a small list":          {20, 0, usual, "work_email 0 of 20 (0 %); the usual rate is 70 %"},
		"a list that is too small":      {19, 0, usual, ""},
		"too few earlier runs":          {100, 0, usual[:9], ""},
		"lists that differ":             {100, 45, runs(100, 40, 95, 60, 80, 50, 90, 70, 75, 60, 80), ""},
		"far from lists that differ":    {100, 0, runs(100, 40, 95, 60, 80, 50, 90, 70, 75, 60, 80), "work_email 0 of 100 (0 %); the usual rate is 70 %"},
		"many lookups, a small change":  {100000, 67000, runs(100000, 70000, 70100, 69900, 70050, 69950, 70000, 70020, 70000, 69990, 69990), ""},
		"many lookups, a larger change": {100000, 64000, runs(100000, 70000, 70100, 69900, 70050, 69950, 70000, 70020, 70000, 69990, 69990), "work_email 64,000 of 100,000 (64 %); the usual rate is 70 %"},
		"never found before":            {100, 0, runs(100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), ""},
		"found for the first time":      {100, 20, runs(100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), "work_email 20 of 100 (20 %); the usual rate is 0 %"},
		"always found before":           {100, 80, runs(100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100), "work_email 80 of 100 (80 %); the usual rate is 100 %"},
	} {
		one := occurrence(0, "")
		one.Fields = []record.FieldCount{{Name: "work_email", Asked: test.asked, Found: test.found}}
		if got := unusualRates(one, test.earlier); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRunsThatDidNotComeToTheirEndAreNotCompared(t *testing.T) {
	earlier := runs(100, 70, 72, 68, 71, 69, 70, 70, 68, 72, 70)
	one := occurrence(0, "")
	one.Fields = []record.FieldCount{{Name: "work_email", Asked: 100, Found: 30}}
	if unusualRates(one, earlier) == "" {
		t.Fatal("the rate is not unusual")
	}
	for name, change := range map[string]func(*record.Occurrence){
		"failed":       func(o *record.Occurrence) { o.Exit = 4 },
		"waits":        func(o *record.Occurrence) { o.Until = noon },
		"not finished": func(o *record.Occurrence) { o.Reason = record.NotFinished },
		"crashed":      func(o *record.Occurrence) { o.Ended = time.Time{} },
		"the same one": func(o *record.Occurrence) { o.At = one.At },
	} {
		changed := slices.Clone(earlier)
		change(&changed[0])
		if text := unusualRates(one, changed); text != "" {
			t.Errorf("%s: 9 runs are enough: %s", name, text)
		}
	}
}

// TestChanceAloneSeldomLeadsToAnAlert has many nights whose lists differ.
func TestChanceAloneSeldomLeadsToAnAlert(t *testing.T) {
	random := rand.NewPCG(1, 2)
	for name, rates := range map[string]distuv.Rander{
		"lists of one kind": distuv.Uniform{Min: 0.6, Max: 0.6 + 1e-9, Src: random},
		"lists that differ": distuv.Beta{Alpha: 30, Beta: 20, Src: random},
	} {
		alerts, nights := 0, 0
		for range 200 {
			var counts []record.FieldCount
			for range 100 {
				asked := 20 + rand.New(random).Int64N(500)
				found := distuv.Binomial{N: float64(asked), P: rates.Rand(), Src: random}.Rand()
				now := record.FieldCount{Name: "work_email", Asked: asked, Found: int64(found)}
				if _, is := isUnusual(now, counts[max(0, len(counts)-mostRuns):]); is {
					alerts++
				}
				nights++
				counts = append(counts, now)
			}
		}
		t.Logf("%s: %d alerts in %d nights", name, alerts, nights)
		if limit := nights / 200; alerts > limit {
			t.Errorf("%s: %d alerts, want at most %d", name, alerts, limit)
		}
	}
}

func TestAMissingRunIsReportedOnce(t *testing.T) {
	job := record.Job{Name: "nightly"}
	ran := occurrence(0, "")
	failed := occurrence(4, "service:unreachable")
	failed.At, failed.Ended = "2026-11-24T02:30", noon.Add(24*time.Hour)
	history := []record.Occurrence{ran, failed}
	const longest = 26 * time.Hour
	if alert, _ := AlertsOfNoRun(job, history, longest, noon.Add(longest-1), pasted); alert != nil {
		t.Errorf("too early: %+v", alert)
	}
	if alert, _ := AlertsOfNoRun(job, history, 0, noon.Add(1000*longest), pasted); alert != nil {
		t.Errorf("without a limit: %+v", alert)
	}
	if alert, _ := AlertsOfNoRun(job, nil, longest, noon, pasted); alert != nil {
		t.Errorf("without a history: %+v", alert)
	}
	alert, since := AlertsOfNoRun(job, history, longest, noon.Add(longest), pasted)
	if alert == nil || since != ran.At || alert.Occurrence != ran.At || alert.Text != "No run of the job has come to its end for 26 hours.\nTo see why, run:\nbatch jobs history nightly" {
		t.Fatalf("%+v since %s", alert, since)
	}
	job.NoRunSince = since
	if alert, _ := AlertsOfNoRun(job, history, longest, noon.Add(2*longest), pasted); alert != nil {
		t.Errorf("told twice: %+v", alert)
	}
	ran.At, ran.Ended = "2026-11-25T02:30", noon.Add(48*time.Hour)
	if alert, since := AlertsOfNoRun(job, append(history, ran), longest, ran.Ended.Add(longest), pasted); alert == nil || since != ran.At {
		t.Errorf("the next time without a run: %+v since %s", alert, since)
	}
	first := []record.Occurrence{failed}
	if alert, since := AlertsOfNoRun(job, first, longest, failed.Due.Add(longest), pasted); alert == nil || since != failed.At ||
		alert.Text != "No run of the job has come to its end since its first occurrence was due, 26 hours ago.\nTo see why, run:\nbatch jobs history nightly" {
		t.Errorf("a job that never ran well: %+v since %s", alert, since)
	}
}

func TestOccurrencesThatDidNotRunHaveAnAlert(t *testing.T) {
	one := record.Occurrence{Job: "nightly", At: "2026-11-23T02:30", Count: 1, Reason: "missed"}
	several := one
	several.First, several.Count = "2026-11-21T02:30", 3
	skipped, paused := one, one
	skipped.Reason, skipped.Cause = "overlap", "the occurrence 2026-11-22T02:30 waited for the end of a limit"
	paused.Reason = "paused: the export is rebuilt"
	stopped := record.Job{Name: "nightly", PausedAt: noon, Failures: 3}
	const run = "batch jobs run nightly --occurrence 2026-11-23T02:30"
	for name, test := range map[string]struct {
		alert      record.Alert
		kind, want string
	}{
		"missed": {
			AlertsOfPassed(one, true, record.Job{}, noon, pasted), "missed",
			"The occurrence 2026-11-23T02:30 did not run: its catch-up window had passed.\nTo run it, run:\n" + run,
		},
		"several": {
			AlertsOfPassed(several, true, record.Job{}, noon, pasted), "missed",
			"3 occurrences from 2026-11-21T02:30 to 2026-11-23T02:30 did not run: their catch-up windows had passed.\nTo run the last of them, run:\n" + run,
		},
		"skipped": {
			AlertsOfPassed(skipped, false, record.Job{}, noon, pasted), "skipped",
			"The occurrence 2026-11-23T02:30 did not run: the occurrence 2026-11-22T02:30 waited for the end of a limit.\nTo run it, run:\n" + run,
		},
		"paused": {
			AlertsOfPassed(paused, false, stopped, noon, pasted), "skipped",
			"The occurrence 2026-11-23T02:30 did not run: the job was paused.\nTo run it, run:\n" + run +
				"\nThe job is paused. Occurrences that become due meanwhile do not run.\nTo let it start again, run:\nbatch jobs resume nightly",
		},
		"not finished": {
			AlertsOfNotFinished(occurrence(6, record.NotFinished), noon, pasted), "failure",
			"The occurrence began and did not come to its end within its catch-up window. It does not start again by itself.\nTo go on with it, run:\n" + run,
		},
		"crashed": {
			AlertsOfCrash(occurrence(0, ""), stopped, pasted), "failure",
			"The process of the run was killed or crashed.\nTo go on with the occurrence, run:\n" + run + "\nThe job is paused. Occurrences that become due meanwhile do not run.\nTo let it start again, run:\nbatch jobs resume nightly",
		},
	} {
		if diff := cmp.Diff(test.want, test.alert.Text); diff != "" || test.alert.Kind != test.kind {
			t.Errorf("%s is a %s alert: %s", name, test.alert.Kind, diff)
		}
		checkCommands(t, test.alert.Text)
	}
	if alert := AlertsOfNotFinished(occurrence(6, record.NotFinished), noon, pasted); alert.Start != 2 {
		t.Errorf("%+v", alert)
	}
	if alert := AlertsOfCrash(occurrence(0, ""), stopped, pasted); !alert.At.Equal(noon) {
		t.Errorf("%+v", alert)
	}
}

func TestAlertsGoToTheChannelsThatAskForThem(t *testing.T) {
	alerts := []record.Alert{{Kind: "failure"}, {Kind: "success"}, {Kind: "drift", Deliveries: []record.Delivery{{Channel: "old"}}}}
	got := AddressAlerts(alerts, []Receiver{{"ops", []Kind{Failure, Drift}}, {"mail", []Kind{Failure}}})
	want := []record.Alert{
		{Kind: "failure", Deliveries: []record.Delivery{{Channel: "ops"}, {Channel: "mail"}}},
		{Kind: "drift", Deliveries: []record.Delivery{{Channel: "ops"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCausesNameLimitsWithoutPersonalData as runs name them.
func TestCausesNameLimitsWithoutPersonalData(t *testing.T) {
	for reason, want := range map[string]string{
		"ceiling:daily":                      "the ceiling daily",
		"ceiling:daily-units email_count":    "the ceiling daily-units email_count",
		"service:limits.daily":               "a limit of the account (limits.daily)",
		"service:Zoë Li":                     "a limit of the account (other)",
		"service:zoe@li.example":             "a limit of the account (other)",
		"service:zoe li":                     "a limit of the account (other)",
		"ceiling:max-units zoe.li@a.example": "a limit of the account (other)",
	} {
		if got := CauseOf(record.Occurrence{Starts: 1, Exit: exitCeiling, Reason: reason}); got != "the run reached "+want {
			t.Errorf("%q is %q, want %q", reason, got, want)
		}
	}
}
