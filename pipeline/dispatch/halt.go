package dispatch

import (
	"context"
	"errors"
)

// halted is the cause of a context that a stop cancelled.
type halted struct{ stop Stop }

func (h halted) Error() string { return "halted: " + h.stop.Word() }

// WithHalt returns a context for Lookups.Run and a function that ends the run as an interrupt
// does, but with another reason: nothing else is sent, and the run waits for calls in flight.
// The first reason counts. Call the function at the end, too, with any reason: it releases what
// the context holds.
func WithHalt(ctx context.Context) (context.Context, func(Stop)) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, func(stop Stop) { cancel(halted{stop}) }
}

// StopOf says why a cancelled context ended the run.
func StopOf(ctx context.Context) Stop {
	if h, ok := errors.AsType[halted](context.Cause(ctx)); ok {
		return h.stop
	}
	return Interrupted{}
}
