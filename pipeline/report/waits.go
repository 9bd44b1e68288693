package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/pipeline/dispatch"
)

// WaitForApproval is the reason of a wait for the approval of the run.
const WaitForApproval = "approval"

const interrupted = "interrupted"

// ApprovalAsked is the time since which a run waited for an approval, and the time at which it got one. It is zero for a
// run that did not wait.
type ApprovalAsked struct{ Since, Approved time.Time }

// WaitsAtStart returns the waits of a run that starts now: those of its earlier starts, the time since its stop, and the
// time until it was approved. The reason of the second is that of the stop, such as "ceiling:daily" or
// "service:asked_to_wait". A run that was interrupted, or that came to its end, has not waited since then.
func WaitsAtStart(earlier checkpoint.Run, asked ApprovalAsked, now time.Time) []record.Waited {
	waits, until := earlier.Waits, now
	if !earlier.LastStarted().Before(asked.Since) {
		asked = ApprovalAsked{} // a later start was killed: the record has this wait already
	}
	if !asked.Since.IsZero() {
		until = asked.Since
	}
	if !earlier.Ended.IsZero() && earlier.Stop != "" && earlier.Stop != interrupted {
		waits = between(waits, earlier.Stop, earlier.Ended, until)
	}
	return between(waits, WaitForApproval, asked.Since, asked.Approved)
}

// AddSentWaits adds the waits of one start, which sent lookups from one time to another. It is not recorded when in that
// time the start waited, so each month gets a share of the waits in proportion to its part of the time.
func AddSentWaits(waits []record.Waited, sent dispatch.Waited, from, to time.Time) []record.Waited {
	parts := months(from, to)
	all := to.Sub(from)
	sent.Each(func(reason dispatch.WaitReason, span time.Duration) {
		left := span
		for _, part := range parts[1:] {
			share := time.Duration(float64(span) * float64(part.span) / float64(all))
			waits = plus(waits, string(reason), part.name, share)
			left -= share
		}
		waits = plus(waits, string(reason), parts[0].name, left)
	})
	return waits
}

// between adds a wait from one time to another.
func between(waits []record.Waited, reason string, from, to time.Time) []record.Waited {
	for _, part := range months(from, to) {
		waits = plus(waits, reason, part.name, part.span)
	}
	return waits
}

// month is the part of a time span that is in a month.
type month struct {
	name string
	span time.Duration
}

// months returns the parts of a time span, at least one.
func months(from, to time.Time) (parts []month) {
	from, to = from.UTC(), to.UTC()
	for {
		next := time.Date(from.Year(), from.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		if !next.Before(to) {
			return append(parts, month{cost.Month.Of(from), to.Sub(from)})
		}
		parts = append(parts, month{cost.Month.Of(from), next.Sub(from)})
		from = next
	}
}

// plus adds a wait to those of a month. It does not change the given waits.
func plus(waits []record.Waited, reason, month string, span time.Duration) []record.Waited {
	if span.Milliseconds() <= 0 {
		return waits
	}
	waits = slices.Clone(waits)
	i := slices.IndexFunc(waits, func(w record.Waited) bool { return w.For == reason && w.Month == month })
	if i < 0 {
		i, waits = len(waits), append(waits, record.Waited{For: reason, Month: month})
	}
	waits[i].Milliseconds += span.Milliseconds()
	return waits
}

// waitSums returns the sums of the waits of runs in one month, or in all months for "". The longest comes first. A wait
// whose month was not recorded counts in that of the last start.
func waitSums(runs []checkpoint.Run, month string) (all []record.Waited) {
	for _, run := range runs {
		for _, w := range run.Waits {
			if month == "" || cmp.Or(w.Month, cost.Month.Of(run.LastStarted().UTC())) == month {
				all = plus(all, w.For, "", waitSpan(w))
			}
		}
	}
	slices.SortFunc(all, func(a, b record.Waited) int {
		return cmp.Or(-cmp.Compare(a.Milliseconds, b.Milliseconds), cmp.Compare(a.For, b.For))
	})
	return all
}

// waitSpan returns how long a wait took.
func waitSpan(w record.Waited) time.Duration { return time.Duration(w.Milliseconds) * time.Millisecond }

// waitWords says what was waited for.
func waitWords(reason string) string {
	if words := map[string]string{
		string(dispatch.WaitRate):     "the rate limit",
		string(dispatch.WaitSlowDown): "the service, which asked to send nothing for a while",
		string(dispatch.WaitRetry):    "retries after temporary faults",
		string(dispatch.WaitSettle):   "the account to settle after lost responses",
		string(dispatch.WaitDrain):    "another process that compared the account or erased",
		string(dispatch.WaitPace):     "an even pace",
		WaitForApproval:               "an approval",
	}[reason]; words != "" {
		return words
	}
	if ceiling, found := strings.CutPrefix(reason, "ceiling:"); found {
		return "the ceiling " + ceiling + ", between two starts"
	}
	if code, found := strings.CutPrefix(reason, "service:"); found {
		return "the service (" + code + "), between two starts"
	}
	return reason
}

// Waited is how long runs waited for one reason.
type Waited struct {
	For     string  `json:"for"` // for machines, such as "rate" or "ceiling:daily"
	Words   string  `json:"-"`
	Seconds float64 `json:"seconds"`
}

// WaitsOf returns the sums of the waits of runs in one month, or in all months for "". The longest comes first.
func WaitsOf(runs []checkpoint.Run, month string) []Waited {
	list := []Waited{}
	for _, w := range waitSums(runs, month) {
		list = append(list, Waited{For: w.For, Words: waitWords(w.For), Seconds: waitSpan(w).Seconds()})
	}
	return list
}

// Text writes the time in seconds, below ten seconds with tenths.
func (w Waited) Text() string {
	span := time.Duration(w.Seconds * float64(time.Second))
	if span < 10*time.Second {
		return span.Round(100 * time.Millisecond).String()
	}
	return dispatch.Span(span)
}
