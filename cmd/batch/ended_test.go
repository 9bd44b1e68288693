package main

import (
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

func TestAdviceSaysWhyARunEndedAndWhatToDo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)
	ceiling := cost.Ceiling{Name: provider.CeilingDaily, Period: cost.Day, Limit: int64(cost.Dollar)}
	for name, test := range map[string]struct {
		view report.RunSummary
		stop dispatch.Stop
		want string
	}{
		"all is done": {},
		"calls in doubt": {
			view: report.RunSummary{InDoubt: 2},
			want: "The responses to 2 lookups were lost. They may have been charged, so they are not sent again.\n" +
				"The account proves no more: others may have spent from it. If nothing else spends from it, give --exclusive next time.\n" +
				"Wait, ask the service, or decide:\n  batch reconcile\n  batch reconcile --vendor in-doubt.csv\n  batch reconcile --assume charged|not-charged",
		},
		"refused": {
			stop: dispatch.ServiceRefused{Code: "credits_exhausted", Message: "No credit."},
			want: "The service refused (credits_exhausted): No credit.\nNothing else was sent. " +
				"Have the owner add credit, then run the same command again to go on.",
		},
		"the limit of a module for the day": {
			stop: dispatch.ServiceRefused{
				Code: "limits.daily", Message: "Daily limit reached.", Module: "companies", Until: now.Add(13*time.Hour + 29*time.Minute),
			},
			want: "The account's limit of companies is reached (limits.daily): Daily limit reached.\nEverything else was sent. " +
				"Nothing that needs companies is sent before 2026-11-23 00:00 UTC; run the same command again then. " +
				"If the account has more before, end the limit with batch journal unpause.",
		},
		"the limit of a module without an end": {
			stop: dispatch.ServiceRefused{Code: "limit", Module: "contacts"},
			want: "The account's limit of contacts is reached (limit).\nEverything else was sent. " +
				"Nothing that needs contacts is sent until the account shows more of it: have its owner raise the limit, then " +
				"run the same command again. If its counters do not show that, end the limit with batch journal unpause.",
		},
		"the limit of a module in a run that another stop ended early": {
			view: report.RunSummary{Halted: true},
			stop: dispatch.ServiceRefused{Code: "limit", Module: "contacts"},
			want: "The account's limit of contacts is reached (limit).\n" +
				"Nothing that needs contacts is sent until the account shows more of it: have its owner raise the limit, then " +
				"run the same command again. If its counters do not show that, end the limit with batch journal unpause.",
		},
		"some lookups failed, and all others were sent": {
			view: report.RunSummary{Lookups: 246, GivenUp: 2},
			stop: dispatch.ServiceRefused{Code: dispatch.CodeUnavailable, Message: "2 lookups failed three times"},
			want: "2 lookups failed three times and may work later; all others are done.\nRun the same command again to send them.",
		},
		"a ceiling that renews": {
			stop: dispatch.CeilingReached{Ceiling: ceiling, Need: int64(15 * cost.Cent), Left: int64(5 * cost.Cent)},
			want: "Stopped at the ceiling daily: the next lookup can cost $0.15, and $0.05 is left.\n" +
				"Nothing is lost: raise it, or wait until it renews on 2026-11-23 00:00 UTC, and run the same command again to go on.",
		},
		"a limit on units of the run": {
			stop: dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: "max-units companies", Meter: 1, Limit: 50}, Need: 1},
			want: "Reached the ceiling max-units companies: the next lookup can use 1 unit, and 0 of 50 are left. Everything else was sent.\n" +
				"Nothing is lost: raise it and run the same command again to go on.",
		},
		"a limit on units of a run that another stop ended early": {
			view: report.RunSummary{Halted: true},
			stop: dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: "max-units companies", Meter: 1, Limit: 50}, Need: 1},
			want: "Reached the ceiling max-units companies: the next lookup can use 1 unit, and 0 of 50 are left.\n" +
				"Nothing is lost: raise it and run the same command again to go on.",
		},
		"two limits on units": {
			view: report.RunSummary{Reached: []string{
				"ceiling:max-units companies", "ceiling:max-units financials", "service:limits.daily of insights",
			}},
			stop: dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: "max-units companies", Meter: 1, Limit: 50}, Need: 1},
			want: "Reached the ceiling max-units companies: the next lookup can use 1 unit, and 0 of 50 are left.\n" +
				"Also reached: ceiling:max-units financials, service:limits.daily of insights.\n" +
				"Everything else was sent.\nNothing is lost: raise them and run the same command again to go on.",
		},
		"a limit on units of lookups that later steps wait for": {
			view: report.RunSummary{Waiting: true, Reached: []string{"ceiling:max-units companies"}},
			stop: dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: "max-units companies", Meter: 1, Limit: 50}, Need: 1},
			want: "Reached the ceiling max-units companies: the next lookup can use 1 unit, and 0 of 50 are left. " +
				"What needs their answers was not sent either; everything else was.\n" +
				"Nothing is lost: raise it and run the same command again to go on.",
		},
		"a limit on money and one on units": {
			view: report.RunSummary{Halted: true, Reached: []string{"ceiling:max-units companies", "ceiling:max-spend"}},
			stop: dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: "max-units companies", Meter: 1, Limit: 50}, Need: 1},
			want: "Reached the ceiling max-units companies: the next lookup can use 1 unit, and 0 of 50 are left.\n" +
				"Also reached: ceiling:max-spend.\nNothing is lost: raise them and run the same command again to go on.",
		},
		"two limits of the account": {
			view: report.RunSummary{Reached: []string{"service:limit of contacts", "service:limits.daily of companies"}},
			stop: dispatch.ServiceRefused{Code: "limit", Module: "contacts"},
			want: "The account's limit of contacts is reached (limit).\nAlso reached: service:limits.daily of companies.\n" +
				"Everything else was sent. Nothing that needs contacts is sent until the account shows more of it: have its " +
				"owner raise the limit, then run the same command again. If its counters do not show that, end the limit with " +
				"batch journal unpause.",
		},
		"a limit on units of a run with a budget that was too short for phones": {
			view: report.RunSummary{Dropped: 2},
			stop: dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: "max-units companies", Meter: 1, Limit: 50}, Need: 1},
			want: "Reached the ceiling max-units companies: the next lookup can use 1 unit, and 0 of 50 are left.\n" +
				"Nothing is lost: raise it and run the same command again to go on.",
		},
	} {
		if got := hintFlags("").Advice(&test.view, test.stop, now); got != test.want {
			t.Errorf("%s:\n%s\nnot\n%s", name, got, test.want)
		}
	}
}

func TestValuesOfHintsAreWordsOfAShell(t *testing.T) {
	t.Parallel()
	if got := hintOf("chmod", "/a b"); !strings.HasSuffix(got, "chmod 700 '/a b'") {
		t.Error(got)
	}
	if got := hintOf("nothing of this name"); got != "" {
		t.Error(got)
	}
}
