package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/pipeline/report"
)

// command returns the program with another command line on a journal.
func (p *program) command(state string, args ...string) *program {
	other := *p
	other.args = append(slices.Clone(args), "--state", state)
	return &other
}

// checkJournal lets the program check its journal, and fails the test when that is
// not sound.
func (p *program) checkJournal() report.JournalCheck { return p.checkJournalIn(p.state()) }

// checkCopyOfJournal checks a copy of the journal, so that it is the next start
// that finds it as the last one left it.
func (p *program) checkCopyOfJournal() report.JournalCheck {
	p.t.Helper()
	state := filepath.Join(p.t.TempDir(), "state")
	if out, err := exec.Command("cp", "-R", p.state(), state).CombinedOutput(); err != nil {
		p.t.Fatalf("copying the journal: %v\n%s", err, out)
	}
	return p.checkJournalIn(state)
}

func (p *program) checkJournalIn(state string) report.JournalCheck {
	p.t.Helper()
	var view report.JournalCheck
	run := p.command(state, "journal", "check", "--json").runToEnd(exitDone)
	if err := json.Unmarshal(run.stdout.Bytes(), &view); err != nil {
		p.t.Fatalf("%v in %q", err, run.stdout.String())
	}
	return view
}

// witness is what a journal says of one attempt.
type witness struct {
	intent struct {
		Identity enrich.Identity `json:"identity"`
		Hold     cost.Hold       `json:"hold"`
	}
	doubt struct {
		Cause string `json:"cause"`
		Crash bool   `json:"crash"`
	}
	resolution attempt.Resolution // zero while there is none
}

// witnesses reads all attempts out of a dump of the journal.
func (p *program) witnesses() map[attempt.ID]*witness {
	p.t.Helper()
	run := p.command(p.state(), "journal", "dump", "--values").runToEnd(exitDone)
	found := map[attempt.ID]*witness{}
	for text := range bytes.Lines(run.stdout.Bytes()) {
		var line struct {
			Record string
			ID     attempt.ID
			Value  json.RawMessage
		}
		if err := json.Unmarshal(text, &line); err != nil {
			p.t.Fatalf("%v in %q", err, text)
		}
		if line.ID != 0 && found[line.ID] == nil {
			found[line.ID] = &witness{}
		}
		var err error
		switch w := found[line.ID]; line.Record {
		case "intent":
			err = json.Unmarshal(line.Value, &w.intent)
		case "doubt":
			err = json.Unmarshal(line.Value, &w.doubt)
		case "resolution":
			err = json.Unmarshal(line.Value, &w.resolution)
		}
		if err != nil {
			p.t.Fatalf("%v in %q", err, text)
		}
	}
	return found
}

// charged returns the fields that the attempt was charged for, and whether that is
// known; while it is in doubt they are those that it may have been charged for.
func (w *witness) charged() (fields enrich.Fields, known bool) {
	switch res := w.resolution; res.State {
	case attempt.Settled:
		return res.Returned & w.intent.Hold.Fields, true
	case attempt.Forfeited:
		return res.Charge.Free | res.Charge.Paid, true
	case attempt.Released:
		return 0, true
	default:
		return w.intent.Hold.Fields, false
	}
}

// paidField is a field of a person.
type paidField struct {
	identity string
	field    enrich.Field
}

// checkExplained checks the ledger of the service against the journal: every charge
// belongs to one attempt that was answered, or forfeited, or is in doubt, and what
// the journal says was charged was charged. No field that was charged is asked for
// again. It returns what the journal says of the attempts.
func (p *program) checkExplained(ledger sandbox.Snapshot) map[attempt.ID]*witness {
	p.t.Helper()
	witnesses := p.witnesses()
	charges := map[paidField]sandbox.Charge{}
	for _, charge := range ledger.Charges {
		charges[paidField{charge.Identity, charge.Field}] = charge
	}
	explained := map[paidField]attempt.ID{}
	for _, id := range slices.Sorted(maps.Keys(witnesses)) {
		w := witnesses[id]
		fields, known := w.charged()
		for f := range fields.Each() {
			this := paidField{w.intent.Identity.Canonical(), f}
			charge, charged := charges[this]
			switch {
			case !charged && known:
				p.t.Errorf("attempt %d (%s) says that %v was charged; the service did not charge it", id, w.resolution.State, this)
			case !charged:
				continue // it is in doubt, and was not charged
			case w.resolution.State == attempt.Settled && w.resolution.RequestID != charge.RequestID:
				p.t.Errorf("attempt %d settled %v with %q, the service charged it with %q", id, this, w.resolution.RequestID, charge.RequestID)
			case explained[this] != 0:
				p.t.Errorf("attempts %d and %d both explain %v", explained[this], id, this)
			}
			explained[this] = id
		}
	}
	for this, charge := range charges {
		if explained[this] == 0 {
			p.t.Errorf("nothing in the journal explains why %v was charged in %s", this, charge.RequestID)
		}
	}
	checkNotAskedAgain(p.t, ledger.Arrivals, charges)
	return witnesses
}

// checkNotAskedAgain checks that nothing is asked for after it was charged.
func checkNotAskedAgain(t *testing.T, arrivals []sandbox.Arrival, charges map[paidField]sandbox.Charge) {
	t.Helper()
	for _, arrival := range arrivals {
		for f := range arrival.Fields.Each() {
			charge, charged := charges[paidField{arrival.Identity, f}]
			if charged && arrival.Number > charge.Arrival {
				t.Errorf("lookup %d asks for the %s of %q again, charged in %s", arrival.Number, f, arrival.Identity, charge.RequestID)
			}
		}
	}
}
