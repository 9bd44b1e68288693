package dispatch

// Standing says how the calls of one account ended in one start of the program, as far as later calls depend on it.
// The steps that ask the account share it. So a streak of failures goes on in the next step, and after a stop of the
// whole account no later step sends anything. Its zero value is for an account that was not asked yet. Only one Run
// uses it at a time.
type Standing struct {
	streaks streaks
	stop    Stop // of the whole account; nil for none
}

// begin prepares for another step. Rejected identities say nothing about those of another step.
func (s *Standing) begin() {
	s.streaks.rejectCode, s.streaks.rejects = "", 0
}

// haltAccount stops the run and all later steps of the account.
func (d *dispatcher) haltAccount(stop Stop) {
	d.halt(stop)
	if d.standing.stop == nil {
		d.standing.stop = stop
	}
}
