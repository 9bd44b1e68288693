// Package waits adds up how long runs waited, and for what.
package waits

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/pipeline/dispatch"
)

const interrupted = "interrupted"

// Resumed returns the waits of a run that starts again: those of its earlier starts, and the time since it stopped. Its
// reason is that of the stop, such as "ceiling:daily" or "service:asked_to_wait". A run that somebody interrupted, or
// that came to its end, has not waited since then.
func Resumed(earlier checkpoint.Run, now time.Time) []record.Waited {
	if earlier.Ended.IsZero() || earlier.Stop == "" || earlier.Stop == interrupted {
		return earlier.Waits
	}
	return Plus(earlier.Waits, earlier.Stop, now.Sub(earlier.Ended))
}

// Sent returns waits with those of one start.
func Sent(waits []record.Waited, sent dispatch.Waited) []record.Waited {
	sent.Each(func(reason dispatch.WaitReason, span time.Duration) { waits = Plus(waits, string(reason), span) })
	return waits
}

// Plus returns waits with one more.
func Plus(waits []record.Waited, reason string, span time.Duration) []record.Waited {
	if span.Milliseconds() <= 0 {
		return waits
	}
	waits = slices.Clone(waits)
	i := slices.IndexFunc(waits, func(w record.Waited) bool { return w.For == reason })
	if i < 0 {
		i, waits = len(waits), append(waits, record.Waited{For: reason})
	}
	waits[i].Milliseconds += span.Milliseconds()
	return waits
}

// Of returns the waits of runs together, the longest first.
func Of(runs []checkpoint.Run) (all []record.Waited) {
	for _, run := range runs {
		for _, w := range run.Waits {
			all = Plus(all, w.For, Span(w))
		}
	}
	slices.SortFunc(all, func(a, b record.Waited) int {
		return cmp.Or(-cmp.Compare(a.Milliseconds, b.Milliseconds), cmp.Compare(a.For, b.For))
	})
	return all
}

// Span returns how long a wait took.
func Span(w record.Waited) time.Duration { return time.Duration(w.Milliseconds) * time.Millisecond }

// Words says what was waited for.
func Words(reason string) string {
	if words := map[string]string{
		string(dispatch.WaitRate):     "the rate limit",
		string(dispatch.WaitSlowDown): "the service, which asked to send nothing for a while",
		string(dispatch.WaitRetry):    "retries after temporary faults",
		string(dispatch.WaitSettle):   "the account to settle after lost responses",
		string(dispatch.WaitPace):     "an even pace",
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
