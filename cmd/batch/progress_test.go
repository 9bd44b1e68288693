package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
)

// halfDone is the progress of a long run at its middle.
func halfDone(now func() time.Time) *progress {
	return &progress{
		now: now, begun: now(), line: &line{now: now}, total: 24000, rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, maxSpend: cost.Cents(500000),
		tally: dispatch.Tally{
			Lookups: 12000, Spent: cost.Cents(360000),
		},
		takes: true,
		sent:  pipeline.SentSoFar{Found: report.FieldsFound(v1.Catalogue(), enrich.ByField[int64]{100, 100}, enrich.ByField[int64]{66, 43})},
	}
}

func TestTheProgressLineFitsTheTerminal(t *testing.T) {
	t.Parallel()
	p := halfDone(time.Now)
	const short = "sending: 12000 of 24000 lookups"
	for columns, want := range map[int]string{
		120: short + ", $3600.00 of $5000.00, 6h39m0s left, 66% email, 43% phone",
		80:  short + ", $3600.00 of $5000.00, 6h39m0s left, 66% email",
		78:  short + ", $3600.00 of $5000.00, 6h39m0s left",
		60:  short + ", $3600.00 of $5000.00",
		40:  short,
		20:  "sending: 12000 of …",
		-1:  short + ", $3600.00 of $5000.00, 6h39m0s left, 66% email",
	} {
		l := &line{columns: func() int { return columns }}
		got := fittedLine(p.parts(), l.width())
		if got != want || columns > 0 && ansi.StringWidth(got) >= columns {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}

// A wait is shown as one, with its reason and its end, also on a narrow terminal.
func TestAWaitIsShownAsAWait(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 10, 32, 40, 0, time.Local)
	p := halfDone(func() time.Time { return at.Add(-time.Minute) })
	for reason, want := range map[dispatch.WaitReason]string{
		dispatch.WaitSlowDown: "waiting: service says slow down, next call 10:32:40, 12000 of 24000 lookups",
		dispatch.WaitRate:     "waiting: rate limit, next call 10:32:40, 12000 of 24000 lookups, 6h40m0s left",
		dispatch.WaitSettle:   "waiting: responses lost, account settles, next call 10:32:40",
	} {
		p.tally.Wait = dispatch.Wait{Reason: reason, Until: at}
		if got := fittedLine(p.parts(), 79); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Each stage has one line, which the next one overwrites. What is noted stands above it.
func TestEveryStageHasOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	clock := time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)
	observer := &hostObserver{
		Log: hostLog{Out: &out, Now: func() time.Time { return clock }, Terminal: true}, Columns: func() int { return 80 },
	}
	observer.Surveying()()
	update, done := observer.Sending(pipeline.Sending{Lookups: 2, Rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, MaxSpend: cost.Dollar})
	update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 1}}) // too early
	clock = clock.Add(time.Second)
	update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 2}})
	observer.Note("the account lost $1.00")
	done()
	observer.Writing()()
	observer.End()
	const clear = "\r\x1b[0K"
	shown := func(text string) string { return "\r" + text + "\x1b[0K" }
	two := "sending: 2 of 2 lookups, $0.00 of $1.00, 0s left"
	want := shown("reading the list") + clear + shown("sending: 0 of 2 lookups, $0.00 of $1.00, 0s left") + shown(two) +
		clear + "batch: the account lost $1.00\n" + shown(two) + clear + shown("writing the output") + clear
	if got := strings.ReplaceAll(out.String(), "\x1b[K", "\x1b[0K"); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// The rest takes as long as the limit makes it, and longer where the service is slow.
func TestTheTimeThatIsLeft(t *testing.T) {
	now := time.Now()
	p := &progress{now: func() time.Time { return now }, begun: now, total: 100, rate: checkpoint.Rate{Slots: 1000, Window: time.Second}}
	if got := p.left(); got != 0 {
		t.Errorf("%s left before the first lookup", got)
	}
	now = now.Add(20 * time.Second)
	p.tally.Lookups = 40
	if got := p.left(); got != 30*time.Second {
		t.Errorf("%s left after 40 lookups in 20s", got)
	}
	p.rate = checkpoint.Rate{Slots: 10, Window: time.Minute}
	if got, least := p.left(), cost.Duration(60, 10, time.Minute); got != least {
		t.Errorf("%s left, and the limit makes it %s", got, least)
	}
	p.tally.Wait.Until = now.Add(25 * time.Second)
	if got, least := p.left(), 25*time.Second+cost.Duration(60, 10, time.Minute); got != least {
		t.Errorf("%s left during a wait, and the limit makes it %s", got, least)
	}
}
