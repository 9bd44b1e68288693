package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
)

func TestLogFormatFollowsTerminalFileAndJSON(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 10, 31, 0, 0, time.FixedZone("", 3600))
	for name, test := range map[string]struct {
		log  hostLog
		want string
	}{
		"terminal": {hostLog{Terminal: true}, "batch: waiting\nbatch: no list; give one\n"},
		"file":     {hostLog{}, "2026-11-22T09:31:00Z batch: waiting\nbatch: no list; give one\n"},
		"quiet":    {hostLog{Quiet: true}, "batch: no list; give one\n"},
		"program": {hostLog{JSON: true}, `{"time":"2026-11-22T09:31:00Z","level":"INFO","msg":"waiting","seconds":5}` + "\n" +
			`{"time":"2026-11-22T09:31:00Z","level":"ERROR","msg":"no list","hint":"give one"}` + "\n"},
		"quiet program": {hostLog{JSON: true, Quiet: true}, `{"time":"2026-11-22T09:31:00Z","level":"ERROR","msg":"no list","hint":"give one"}` + "\n"},
	} {
		var out bytes.Buffer
		test.log.Out, test.log.Now = &out, func() time.Time { return at }
		test.log.Note("waiting", "seconds", 5)
		test.log.Fail("no list", "; give one", "hint", "give one")
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Where there is no terminal, progress is a line every 30 seconds.
func TestProgressIsLoggedWithItsFigures(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		log  hostLog
		want string
	}{
		"file":  {hostLog{}, "2026-11-22T10:31:30Z batch: 15 of 60 lookups, $1.50 of $9.00, 1m30s left\n"},
		"quiet": {hostLog{Quiet: true}, ""},
		"program": {hostLog{JSON: true}, `{"time":"2026-11-22T10:31:30Z","level":"INFO","msg":"15 of 60 lookups, $1.50 of $9.00, 1m30s left",` +
			`"lookups":15,"total":60,"spent_usd":"1.50","seconds_left":90}` + "\n"},
		"quiet at a terminal": {hostLog{Quiet: true, Terminal: true}, ""},
		"program at a terminal": {
			hostLog{JSON: true, Terminal: true}, `{"time":"2026-11-22T10:31:30Z","level":"INFO","msg":"15 of 60 lookups, $1.50 of $9.00, 1m30s left",` +
				`"lookups":15,"total":60,"spent_usd":"1.50","seconds_left":90}` + "\n",
		},
	} {
		var out bytes.Buffer
		clock := now
		test.log.Out, test.log.Now = &out, func() time.Time { return clock }
		observer := &hostObserver{Log: test.log}
		observer.Scanning()()
		update, done := observer.Sending(pipeline.Sending{
			Lookups: 60, Rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, Spent: cost.Dollar, MaxSpend: 9 * cost.Dollar,
		})
		clock = now.Add(29 * time.Second)
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 14, Spent: 40 * cost.Cent}})
		clock = now.Add(30 * time.Second)
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 15, Spent: 50 * cost.Cent}})
		done()
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
