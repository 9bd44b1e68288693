package simulation_test

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/pipeline/scan"

	"pgregory.net/rapid"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/output"
)

// history is a journal that all happens to that may, at random.
type history struct {
	*rapid.T
	*checkpoint.Journal
	list csvList
	runs map[string]scan.Scope
	time time.Time
}

func newHistory(t *rapid.T) *history {
	h := &history{T: t, list: drawList(t), runs: map[string]scan.Scope{}, time: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	for _, run := range []string{"first", "second"} {
		scope := drawScope(t, h.list)
		scope.Limit, scope.Priority = 0, nil
		h.runs[run] = scope
	}
	var err error
	rate := checkpoint.Rate{Slots: 1_000_000, Window: time.Second}
	h.Journal, err = checkpoint.New(newDisk().mount(), checkpoint.Options{Catalogue: v1.Catalogue(), Rate: rate, Now: func() time.Time { return h.time }})
	h.check(err)
	return h
}

func (h *history) check(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// start sends the lookups of a run, of which each ends in some way.
func (h *history) start(run string) {
	scope := h.runs[run]
	if rapid.Bool().Draw(h.T, "reask") {
		scope.Reask.Before = h.time
	}
	scope.Reask.Forfeited = rapid.Bool().Draw(h.T, "rebuy")
	taken, err := scan.New(h.Context(), scope, h.list, h)
	h.check(err)
	next, done := taken.Lookups(h.Context(), h.list)
	defer done()
	for {
		lookup, err := next()
		if errors.Is(err, io.EOF) {
			return
		}
		h.check(err)
		decision, err := h.Begin(attempt.Request{Lookup: lookup, Run: run, Rates: v1.Tariff().At(prices), Reask: scope.Reask})
		h.check(err)
		if granted, ok := decision.(attempt.Granted); ok {
			ticket, err := granted.Ticket()
			h.check(err)
			h.time = h.time.Add(time.Minute)
			h.end(ticket)
		}
	}
}

// end ends an attempt.
func (h *history) end(ticket attempt.Ticket) {
	var err error
	switch rapid.SampledFrom([]string{"answered", "answered", "not found", "rejected", "refused", "lost", "lost"}).Draw(h.T, "end") {
	case "answered":
		_, err = h.Settle(ticket.ID, v1.EncodeAnswer(found(ticket.Lookup.Fields&enrich.Fields(rapid.IntRange(0, 3).Draw(h.T, "returned")))))
	case "not found":
		_, err = h.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.NotFound}))
	case "rejected":
		err = h.Release(ticket.ID, attempt.Release{Reason: "invalid_identifiers", Reject: true, Sent: true})
	case "refused":
		err = h.Release(ticket.ID, attempt.Release{Reason: "busy", Sent: true})
	case "lost":
		err = h.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "connection reset"})
	}
	h.check(err)
}

// decide decides some of the doubts.
func (h *history) decide() {
	for _, doubt := range h.Doubts() {
		switch rapid.SampledFrom([]string{"charged", "not charged", "in doubt"}).Draw(h.T, "assume") {
		case "charged":
			h.check(h.Assume(true, doubt.ID))
		case "not charged":
			h.check(h.Assume(false, doubt.ID))
		}
	}
}

// erase takes some values, and somebody, out of the journal.
func (h *history) erase() {
	err := forget(h.Journal, identity(rapid.SampledFrom(names(6)).Draw(h.T, "who")))
	h.check(err)
	_, err = h.Prune(h.time.Add(-time.Duration(rapid.IntRange(0, 30).Draw(h.T, "minutes")) * time.Minute))
	h.check(err)
}

// shown returns the sum of the charges in the output of a run.
func (h *history) shown(run string) (sum cost.Money) {
	output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: h.runs[run], Run: run}
	text, _, _ := outputOf(h.T, h.list, output, h)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	h.check(err)
	at := slices.Index(rows[0], "enrich_charge_usd")
	for _, row := range rows[1:] {
		if row[at] == "" {
			continue
		}
		charge, err := cost.ParseMoney(row[at])
		h.check(err)
		sum += charge
	}
	return sum
}

// TestChargesOfAnOutputAddUpToWhatItsRunSettled adds the charges of outputs up, whatever happened
// before.
func TestChargesOfAnOutputAddUpToWhatItsRunSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		defer func() { h.check(h.Close()) }()
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"first", "second", "decide", "erase"}).Draw(t, "step") {
			case "first":
				h.start("first")
			case "second":
				h.start("second")
			case "decide":
				h.decide()
			case "erase":
				h.erase()
			}
		}
		for run := range h.runs {
			if shown, settled := h.shown(run), h.Totals(checkpoint.RunScope(run)).Settled.Money(); shown != settled {
				t.Fatalf("the output of the %s run shows $%s, and it settled $%s", run, shown, settled)
			}
		}
	})
}
