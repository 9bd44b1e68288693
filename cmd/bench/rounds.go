package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// contestant is a process that does a work.
type contestant struct {
	name    string
	command command
	output  string // the file that it writes, which is removed each time; "" for none
	reach   string // what is to be reached, "" for nothing; a bound of the ratio for peers

	// parse reads the counts from its standard output; nil when it prints none.
	parse func(stdout []byte) (counts, error)
	// exact says that it answers the very question that batch answers.
	exact bool
}

// work is something that batch does, and peers with it.
type work struct {
	name  string
	ours  contestant
	peers []contestant
	// prepare makes what the work begins with; nil when there is nothing to make.
	prepare func(context.Context) error
}

// result is what the rounds of a work took.
type result struct {
	contestant
	rounds []usage
	found  counts
}

// measure lets all contestants of the work run in turns, so often; each round begins with
// another one, so that nobody always comes first. The first result is batch's.
func (w work) measure(ctx context.Context, rounds, threads int, log io.Writer) ([]result, error) {
	results := []result{{contestant: w.ours}}
	for _, peer := range w.peers {
		results = append(results, result{contestant: peer})
	}
	for round := range rounds {
		for i := range results {
			r := &results[(round+i)%len(results)]
			if err := r.measure(ctx, threads); err != nil {
				return nil, err
			}
			took := r.rounds[len(r.rounds)-1]
			fmt.Fprintf(log, "%s, round %d, %s: %s, CPU %s, %s\n", w.name, round+1, r.name, seconds(took.wall), seconds(took.cpu), megabytes(took.peak))
		}
	}
	return results, agree(w.name, results)
}

// measure runs the contestant once.
func (r *result) measure(ctx context.Context, threads int) error {
	took, stdout, err := r.command.run(ctx, threads)
	if r.output != "" {
		err = errors.Join(err, os.RemoveAll(r.output)) // which may not be there after a failure
	}
	if err != nil {
		return err
	}
	r.rounds = append(r.rounds, took)
	if r.parse == nil {
		return nil
	}
	if r.found, err = r.parse(stdout); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}

// wallOf, cpuOf and peakOf return a part of what a process took.
func wallOf(u usage) time.Duration { return u.wall }
func cpuOf(u usage) time.Duration  { return u.cpu }
func peakOf(u usage) int64         { return u.peak }

// ratios are what one contestant took over what another one took, round by round.
type ratios []float64

func ratiosOf(ours, peer result, part func(usage) time.Duration) ratios {
	all := make(ratios, len(ours.rounds))
	for i := range all {
		all[i] = part(ours.rounds[i]).Seconds() / part(peer.rounds[i]).Seconds()
	}
	return all
}

// String tells the median, and the least and the most when there are several.
func (r ratios) String() string {
	middle := median(r)
	if len(r) == 1 {
		return fmt.Sprintf("%.2f", middle)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", middle, slices.Min(r), slices.Max(r))
}

// medianOf returns the median of a part of each value.
func medianOf[T any, N int64 | time.Duration](all []T, part func(T) N) N {
	parts := make([]N, len(all))
	for i, value := range all {
		parts[i] = part(value)
	}
	return median(parts)
}

// median returns the middle value, the mean of the two in the middle when there is none,
// and zero for no values.
func median[S ~[]N, N int64 | float64 | time.Duration](values S) N {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
