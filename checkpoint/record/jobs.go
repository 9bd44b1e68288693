package record

import (
	"time"

	"payonce/cost"
	"payonce/io/numbered"
)

// Job is what the journal remembers of a job besides its occurrences.
type Job struct {
	Name string `json:"name"`
	// Decided is the last occurrence that was decided: it ran, or there is a reason why it did not.
	Decided string `json:"decided,omitempty"`
	// Unfinished is the occurrence that began and has not come to its end.
	Unfinished string    `json:"unfinished,omitempty"`
	Failures   int64     `json:"failures,omitempty"` // in a row
	PausedAt   time.Time `json:"paused_at,omitzero"` // zero unless it is paused
	PauseNote  string    `json:"pause_note,omitempty"`
	Began      time.Time `json:"began,omitzero"` // the last run
	Ended      time.Time `json:"ended,omitzero"`
	// NoRunSince is the occurrence since which no run came to its end, once there is an alert about that.
	NoRunSince string `json:"silent_since,omitempty"`
	// Pauses are the earlier pauses in which occurrences may have become due that are not decided yet.
	Pauses []Pause `json:"pauses,omitempty"`
	// Process is the epoch of the process of a shared journal that decided last. While it is live, no other process
	// starts the job. It is zero in a journal of one process, where a lock does this.
	Process uint64 `json:"process,omitempty"`
}

// Pause is a time span in which a job was paused.
type Pause struct {
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended"`
}

func jobMembers(m *numbered.Members, j *Job) {
	numbered.Text(m, 1, &j.Name)
	numbered.Text(m, 2, &j.Decided)
	numbered.Text(m, 3, &j.Unfinished)
	numbered.Int(m, 4, &j.Failures)
	numbered.Time(m, 5, &j.PausedAt)
	numbered.Text(m, 6, &j.PauseNote)
	numbered.Time(m, 7, &j.Began)
	numbered.Time(m, 8, &j.Ended)
	numbered.Text(m, 9, &j.NoRunSince)
	numbered.List(m, 10, &j.Pauses, pauseMembers)
	numbered.Uint(m, 11, &j.Process)
}

func pauseMembers(m *numbered.Members, p *Pause) {
	numbered.Time(m, 1, &p.Began)
	numbered.Time(m, 2, &p.Ended)
}

// Occurrence is what happened when a job was due, or why nothing did. Several occurrences in a row that did
// not run for one reason are one record.
type Occurrence struct {
	Job     string     `json:"job"`
	At      string     `json:"at"`              // the local date and time
	First   string     `json:"first,omitempty"` // of several, which At is the last of
	Count   int64      `json:"count"`
	Zone    string     `json:"zone"`
	Due     time.Time  `json:"due"`
	Starts  int64      `json:"starts,omitempty"` // how often it was started; 0 when it did not run
	Began   time.Time  `json:"began,omitzero"`
	Ended   time.Time  `json:"ended,omitzero"` // zero while it runs, and after a crash
	Exit    int64      `json:"exit"`
	Reason  string     `json:"reason,omitempty"` // why it did not run, or ended early
	Found   int64      `json:"found"`            // values, over all its starts
	Lookups int64      `json:"lookups"`
	Spent   cost.Money `json:"spent_usd"`
	Outputs []string   `json:"outputs,omitempty"` // absolute paths
	// Until is when an occurrence that waits goes on; zero for one that does not wait.
	Until time.Time `json:"waits_until,omitzero"`
	// Unapproved is the time since which it waits for an approval; zero for one that does not.
	Unapproved time.Time `json:"unapproved_since,omitzero"`
	// Fields counts what was asked for and found, over all its starts.
	Fields []FieldCount `json:"fields,omitempty"`
	// InDoubt are the lookups whose outcome was not known at the end of its last start.
	InDoubt int64 `json:"in_doubt,omitempty"`
	// Cause says in words why it did not run, or ended early; "" where Reason says enough. It has nothing of a list.
	Cause string `json:"cause,omitempty"`
	// Possible is what a run can spend that needs an approval; zero for other runs, and when that is not known.
	Possible cost.Money `json:"possible_usd,omitempty"`
	// Machine is the name of the machine that started it last, in a shared journal.
	Machine string `json:"machine,omitempty"`
}

// NotFinished is the reason of an occurrence that began, did not come to its end, and does not start again.
const NotFinished = "not_finished"

// FieldCount counts the values of one field that an occurrence asked for.
type FieldCount struct {
	Name  string `json:"name"`
	Asked int64  `json:"asked"`
	Found int64  `json:"found"`
	// Price is that of a value; zero when it is not known, or when the value is not paid for with money.
	Price cost.Money `json:"price_usd,omitempty"`
}

func fieldCountMembers(m *numbered.Members, f *FieldCount) {
	numbered.Text(m, 1, &f.Name)
	numbered.Int(m, 2, &f.Asked)
	numbered.Int(m, 3, &f.Found)
	numbered.Int(m, 4, &f.Price)
}

func occurrenceMembers(m *numbered.Members, o *Occurrence) {
	numbered.Text(m, 1, &o.Job)
	numbered.Text(m, 2, &o.At)
	numbered.Text(m, 3, &o.First)
	numbered.Int(m, 4, &o.Count)
	numbered.Text(m, 5, &o.Zone)
	numbered.Time(m, 6, &o.Due)
	numbered.Int(m, 7, &o.Starts)
	numbered.Time(m, 8, &o.Began)
	numbered.Time(m, 9, &o.Ended)
	numbered.Int(m, 10, &o.Exit)
	numbered.Text(m, 11, &o.Reason)
	numbered.Int(m, 12, &o.Found)
	numbered.Int(m, 13, &o.Lookups)
	numbered.Int(m, 14, &o.Spent)
	numbered.Texts(m, 15, &o.Outputs)
	numbered.Time(m, 16, &o.Until)
	numbered.List(m, 17, &o.Fields, fieldCountMembers)
	numbered.Int(m, 18, &o.InDoubt)
	numbered.Time(m, 19, &o.Unapproved)
	numbered.Text(m, 20, &o.Cause)
	numbered.Int(m, 21, &o.Possible)
	numbered.Text(m, 22, &o.Machine)
}

// OccurrenceKey returns the key of an occurrence. The occurrences of a job are in the order of their times.
func OccurrenceKey(job, at string) []byte { return NameKey(OccurrencePrefix, job+"/"+at) }

// LastPrices returns the prices of the last attempts of all accounts, by the names of fields. Where accounts have
// fields with the same name, the first account counts.
func LastPrices(s Store) (map[string]cost.Money, error) {
	state, _, err := Load[State](s, StateKey)
	if err != nil {
		return nil, err
	}
	first, _, err := Load[FieldNames](s, FieldsKey)
	if err != nil {
		return nil, err
	}
	others, err := Registrations(s)
	if err != nil {
		return nil, err
	}
	prices := map[string]cost.Money{}
	add := func(names []string, rates cost.Rates) {
		for f, rate := range rates {
			if int(f) < len(names) && prices[names[f]] == 0 {
				prices[names[f]] = rate.Price()
			}
		}
	}
	add(first.Names, state.Rates)
	for i, other := range others {
		if i < len(state.Others) {
			add(other.Fields, state.Others[i].Rates)
		}
	}
	return prices, nil
}
