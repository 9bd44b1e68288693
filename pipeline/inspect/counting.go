package inspect

import (
	"context"
	"errors"

	"payonce/io/service/v2"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// doctorRun is the name of the run that pays for checking the counters.
const doctorRun = "doctor"

const v2Counting = "v2 counting"

// checkCounting sends one paid call and checks that the counters move as the mapping of modules says. It needs a
// limit on units, and that no other check found a problem.
func (d *checks) checkCounting(ctx context.Context, limits provider.Budget) error {
	if len(limits.Units) == 0 {
		return nil
	}
	if !d.accepted(v2.Catalogue().Interface) || d.Problems > 0 {
		d.Warn(v2Counting, "run_again", "not checked, because of the problems above")
		return nil
	}
	if d.place.Journal == nil {
		if err := d.place.OpenJournal(ctx, doctorRun); err != nil {
			d.Failed(v2Counting, err)
			return nil
		}
	}
	payer := probeOptions{Run: doctorRun, Budget: limits, Note: func(string) {}}
	err := withProber(ctx, d.place, payer, func(p *prober) error {
		counted, err := p.Counting(ctx)
		switch {
		case err != nil:
			return err
		case counted.Why != "":
			d.Warn(v2Counting, "raise_units", "no call was answered: %s", counted.Why)
		case counted.Line == "" && counted.Known:
			d.OK(v2Counting, "%s", counted)
		case counted.Known:
			d.Problem(problem.Usage, v2Counting, "",
				"%s, where %s is expected; write this line in the configuration: %s%s",
				counted, counted.Want, counted.Line, others(counted))
		case len(counted.Used) == 0:
			d.Warn(v2Counting, "ask_service",
				"%s within the settle delay, where %s is expected; the service may count later", counted, counted.Want)
		default:
			d.Warn(v2Counting, "ask_service",
				"%s, where %s is expected; others may use the account", counted, counted.Want)
		}
		return nil
	})
	if errors.Is(err, ErrProbeInDoubt) {
		d.Warn(v2Counting, "look_at_doubts", "not checked: %v", err)
		return nil
	}
	return err
}

// others says that somebody else may have moved the counters, where others may use the account.
func others(counted Counted) string {
	if counted.Shared {
		return "; others may have used the account meanwhile"
	}
	return ""
}
