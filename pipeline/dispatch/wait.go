package dispatch

import (
	"strings"
	"time"
)

// Wait says what the next lookup waits for. The zero value stands for nothing.
type Wait struct {
	Reason WaitReason
	Until  time.Time // zero when that is not known
}

// WaitReason says why the next lookup waits.
type WaitReason string

// The reasons of waits. Those for a retry and for the pace are not reported while they last, and neither are
// waits that are shorter than shortestWait.
const (
	WaitSlowDown WaitReason = "slow_down" // the service asked to send nothing
	WaitRate     WaitReason = "rate"      // the window of the rate limit is full
	WaitSettle   WaitReason = "settle"    // the account has to settle after lost responses
	// WaitDrain waits for another process that compares lost lookups of the account, or erases. Its lease ends at Until
	// unless the process renews it.
	WaitDrain WaitReason = "drain"
	WaitRetry WaitReason = "retry" // lookups failed for a temporary fault, and nothing else is left to send
	WaitPace  WaitReason = "pace"  // the lookups are spread evenly

	shortestWait = time.Second
)

// WaitReasons returns all reasons.
func WaitReasons() []WaitReason {
	return []WaitReason{WaitRate, WaitSlowDown, WaitRetry, WaitSettle, WaitDrain, WaitPace}
}

// Waited has the times in which nothing was sent, by their reasons. Waits while a call is in flight count too: the
// next lookup could have been sent.
type Waited struct {
	SlowDown, Rate, Settle, Drain, Retry, Pace time.Duration
}

// Plus returns the sums of two.
func (w Waited) Plus(other Waited) Waited {
	return Waited{
		SlowDown: w.SlowDown + other.SlowDown, Rate: w.Rate + other.Rate, Settle: w.Settle + other.Settle,
		Drain: w.Drain + other.Drain, Retry: w.Retry + other.Retry, Pace: w.Pace + other.Pace,
	}
}

// Each calls do with every reason for which the run waited.
func (w Waited) Each(do func(WaitReason, time.Duration)) {
	for _, one := range []struct {
		reason WaitReason
		span   time.Duration
	}{{WaitRate, w.Rate}, {WaitSlowDown, w.SlowDown}, {WaitRetry, w.Retry}, {WaitSettle, w.Settle}, {WaitDrain, w.Drain}, {WaitPace, w.Pace}} {
		if one.span > 0 {
			do(one.reason, one.span)
		}
	}
}

// counting adds the time until the function that it returns is called to a sum.
func (d *dispatcher) counting(sum *time.Duration) (done func()) {
	began := d.Now()
	return func() { *sum += max(d.Now().Sub(began), 0) } // the clock may be set back
}

// waiting reports a wait until the function that it returns is called.
func (d *dispatcher) waiting(wait Wait) (done func()) {
	d.reportWait(wait)
	return func() { d.reportWait(Wait{}) }
}

// reportWait reports what the next lookup waits for now.
func (d *dispatcher) reportWait(wait Wait) {
	d.tally.Wait = wait
	if d.Report != nil {
		d.Report(d.tally)
	}
}

// Span writes a time span in hours, minutes and whole seconds, without zero parts at the end: 21h35m.
func Span(d time.Duration) string {
	text := d.Round(time.Second).String()
	if short, cut := strings.CutSuffix(text, "m0s"); cut {
		text = short + "m"
	}
	if short, cut := strings.CutSuffix(text, "h0m"); cut {
		text = short + "h"
	}
	return text
}
