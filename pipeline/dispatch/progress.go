package dispatch

// AccountProgress says how the calls of one account ended in one start of the program, as far as later calls depend
// on it. The steps that ask the account share it. So a streak of failures goes on in the next step, and after a stop
// of the whole account no later step sends anything. Its zero value is for an account that was not asked yet. Only
// one Run uses it at a time.
type AccountProgress struct {
	streaks streaks
	stop    Stop // of the whole account; nil for none
}

// begin prepares for another step. Rejected identities say nothing about those of another step.
func (p *AccountProgress) begin() {
	p.streaks.rejectCode, p.streaks.rejects = "", 0
}

// haltAccount stops the run and all later steps of the account.
func (d *dispatcher) haltAccount(stop Stop) {
	d.halt(stop)
	if d.progress.stop == nil {
		d.progress.stop = stop
	}
}
