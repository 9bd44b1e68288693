package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
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
		now: now, begun: now(), line: &line{}, total: 24000, rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, maxSpend: cost.Cents(500000),
		tally: dispatch.Tally{
			Lookups: 12000, Spent: cost.Cents(360000),
		},
		takes: true,
		sent:  pipeline.SentSoFar{Found: report.FieldsFound(v1.Catalogue(), enrich.ByField[int64]{100, 100}, enrich.ByField[int64]{66, 43})},
	}
}

// The line is as wide as the terminal at most, also after it was resized. What does not fit is left out.
func TestTheProgressLineFitsTheTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const short = "sending: 12000 of 24000 lookups"
		var out bytes.Buffer
		columns := 0
		p := halfDone(time.Now)
		p.line = &line{out: &out, columns: func() int { return columns }}
		p.begun = time.Now().Add(time.Hour) // the time that is left stays
		for _, test := range []struct {
			columns int
			want    string
		}{
			{140, short + ", $3600.00 of $5000.00, 6h39m left, 66% email, 43% phone  50% [===================>....................]  "},
			{120, short + ", $3600.00 of $5000.00, 6h39m left, 66% email, 43% phone  50% [=========>..........]  "},
			{80, short + ", $3600.00 of $5000.00, 6h39m left  50% [>.]  "},
			{60, short + "  50% [=======>........]  "},
			{20, "sendin…  50% []  "},
			{11, ""},
			{1, ""},
			{-1, short + ", $3600.00 of $5000.00, 6h39m left  50% [>.]  "},
		} {
			out.Reset()
			columns = test.columns
			<-time.After(redraw)
			p.show()
			drawn := strings.Split(out.String(), "\r")
			got := strings.TrimSuffix(drawn[len(drawn)-1], "\x1b[0K")
			if got != test.want || columns > 0 && ansi.StringWidth(got) >= columns {
				t.Errorf("%d columns: %q, want %q", columns, got, test.want)
			}
		}
	})
}

// A wait is shown as one, with its reason and its end, also on a narrow terminal.
func TestProgressShowsReasonAndEndOfAWait(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 10, 32, 40, 0, time.Local)
	p := halfDone(func() time.Time { return at.Add(-time.Minute) })
	for reason, want := range map[dispatch.WaitReason]string{
		dispatch.WaitSlowDown: "waiting: service says slow down, next call 10:32:40, 12000 of 24000 lookups",
		dispatch.WaitRate:     "waiting: rate limit, next call 10:32:40, 12000 of 24000 lookups, 6h40m left",
		dispatch.WaitSettle:   "waiting: responses lost, account settles, next call 10:32:40",
		dispatch.WaitDrain:    "waiting: another process compares the account or erases, lease ends 10:32:40",
	} {
		p.tally.Wait = dispatch.Wait{Reason: reason, Until: at}
		if got := fittedLine(p.parts(), 79); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Each stage has one line, which the next one overwrites. What is noted stands above it.
func TestProgressShowsOneLinePerStage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		observer := &hostObserver{
			Log: hostLog{Out: &out, Now: time.Now, Terminal: true}, Columns: func() int { return 80 },
		}
		observer.Scanning()()
		update, done := observer.Sending(pipeline.Sending{Lookups: 2, Rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, MaxSpend: cost.Dollar})
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Spent: cost.Cent}}) // too early
		<-time.After(time.Second)
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 1}})
		waiting := dispatch.Wait{Reason: dispatch.WaitSettle}
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 1, Wait: waiting}}) // at once
		<-time.After(time.Second)
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 2}})
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 2, Wait: waiting}}) // also when all are done
		observer.Note("the account lost $1.00")
		done()
		observer.Writing()()
		observer.End()
		const clear = "\r\x1b[2K"
		shown := func(text string) string { return "\r" + text + "  \x1b[0K" }
		wait := func(done string) string { return "waiting: responses lost, account settles, " + done }
		two := shown(wait("2 of 2 lookups, 0s left") + " 100% [==]")
		want := shown("- reading the list") + clear +
			shown("sending: 0 of 2 lookups, $0.00 of $1.00, 0s left   0% [...................]") +
			shown("sending: 1 of 2 lookups, $0.00 of $1.00, 1s left  50% [========>..........]") +
			shown(wait("1 of 2 lookups, 1s left")+"  50% [>.]") +
			shown("sending: 2 of 2 lookups, $0.00 of $1.00, 0s left 100% [===================]") + two +
			clear + "batch: the account lost $1.00\n" + two + clear + shown("- writing the output") + clear
		if got := out.String(); got != want {
			t.Errorf("got\n%q\nwant\n%q", got, want)
		}
	})
}

// The rest takes as long as the limit makes it, and longer where the service is slow.
func TestProgressEstimatesTheTimeLeft(t *testing.T) {
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

// While a run waits for the account to settle, the line says until when, counts down, and the time that is left has the
// wait in it. The same is in the state that other processes read.
func TestAWaitForTheAccountCountsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out announcer // the line is drawn by a goroutine of its own
		observer := &hostObserver{Log: hostLog{Out: &out, Now: time.Now, Terminal: true}, Columns: func() int { return 160 }}
		update, done := observer.Sending(pipeline.Sending{Lookups: 61, Rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, MaxSpend: cost.Dollar, Money: true})
		defer done()
		<-time.After(time.Second)
		began := time.Now()
		settled := began.Add(45 * time.Second)
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 10, Wait: dispatch.Wait{Reason: dispatch.WaitSettle, Until: settled}}})
		const rest = time.Minute // 51 lookups
		for passed := range 45 {
			<-time.After(time.Until(began.Add(time.Duration(passed)*time.Second + 500*time.Millisecond)))
			synctest.Wait()
			lines := strings.Split(out.String(), "\r")
			left := 45*time.Second - time.Duration(passed)*time.Second + rest // drawn every second
			want := "waiting: responses lost, account settles, next call " + settled.Local().Format(time.TimeOnly) + ", 10 of 61 lookups, " + left.String() + " left"
			if got := lines[len(lines)-1]; !strings.HasPrefix(got, want) {
				t.Fatalf("after %d s the line is\n%q, not\n%q", passed, got, want)
			}
			state := observer.Progress()
			if ends := settled.Add(rest).UTC(); !state.EndsAt.Equal(ends) || state.Wait == nil || !state.Wait.Until.Equal(settled) {
				t.Fatalf("after %d s others read that it ends at %s, not at %s: %+v", passed, state.EndsAt, ends, state.Wait)
			}
		}
		// What was waited is no time of the lookups.
		<-time.After(time.Until(settled))
		update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 11, Waited: dispatch.Waited{Settle: 45 * time.Second}}})
		if ends := time.Now().Add(rest).UTC(); !observer.Progress().EndsAt.Equal(ends) {
			t.Errorf("after the wait it ends at %s, not at %s", observer.Progress().EndsAt, ends)
		}
	})
}

// A budget that lasts for 30 seconds ends the run then, whatever the list has.
func TestTheTimeThatIsLeftFollowsTheCeilings(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := &progress{now: func() time.Time { return now }, begun: now, logged: now, total: 800, rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, line: &line{}}
	if got, want := p.left(), 26*time.Minute; got != want {
		t.Errorf("without a ceiling %s left, not %s", got, want)
	}
	p.sent.Ahead = []cost.Leg{{Lookups: 31, Slots: 30, Window: time.Minute}}
	if got, want := p.left(), time.Minute; got != want {
		t.Errorf("with one %s left, not %s", got, want)
	}
	now = now.Add(20 * time.Second)
	p.update(pipeline.SentSoFar{Tally: dispatch.Tally{Lookups: 10}, Ahead: []cost.Leg{{Lookups: 15, Slots: 30, Window: time.Minute}}})
	if got, want := p.left(), 30*time.Second; got != want {
		t.Errorf("%s left for 15 lookups of a service that takes 2 s for each, not %s", got, want)
	}
}
