// This file has what a use case reports while it works.

package pipeline

import (
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
)

// Observer gets reports on how a use case proceeds. Its methods may be called at the same time.
type Observer interface {
	// Note reports what a person should know at once.
	Note(text string)
	// Scanning reports that a list is scanned until the returned function is called: much is
	// kept in memory then that holds no pointers.
	Scanning() (done func())
	// ReadingJournal reports that a journal is read from its beginning to its end until the returned
	// function is called: most of what is live in memory then holds no pointers.
	ReadingJournal() (done func())
	// Sending reports that lookups are sent until done is called. It returns what is called
	// after each of them.
	Sending(lookups Sending) (update func(SentSoFar), done func())
	// Writing reports that the output is written until the returned function is called.
	Writing() (done func())
	// Copying reports how much is done of copying the journal to remove what was erased from its files. The last call has
	// done as all.
	Copying(done, all int64)
}

// SentSoFar says what the lookups of a start have found and cost so far.
type SentSoFar struct {
	Tally dispatch.Tally                   // of all steps
	Step  int                              // that lookups are sent for, from 0
	Found report.Values[report.FieldFound] // by all steps
	// Ahead is what is left to send, as far as the ceilings will cover it; nil where that is not known.
	Ahead []cost.Leg
}

// Sending says what a run is about to send.
type Sending struct {
	Run      string
	Fields   string // that are wanted
	Lookups  int64
	Rate     checkpoint.Rate
	Spent    cost.Money // by the run before this start
	MaxSpend cost.Money
	Steps    []SendingStep // none for one step that has no name
	Money    bool          // the lookups can cost money
	Calls    bool          // they are not lookups of rows, but other calls, such as pages of a search
	Ahead    []cost.Leg    // as in SentSoFar
}

// SendingStep is a step of a run that is about to send.
type SendingStep struct {
	Name string
	Rate checkpoint.Rate
}
