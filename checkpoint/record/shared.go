// This file declares a store that the journals of several processes use at the same time.

package record

import (
	"errors"
	"time"
)

// ErrFenced is wrapped by errors about a process that may not send calls or write any more: it showed no sign of life
// for longer than its lease.
var ErrFenced = errors.New("this process was without the journal for too long, so that others took over")

// Shared is a Store that several processes use at the same time. They decide in turns. Its contract is that of a Store,
// and:
//
//   - From Begin to the end of the next Commit, no other process changes the store. Commit without a turn begins and
//     ends its own.
//   - Begin returns every record that other processes have changed since the turn, Refresh or Alone before. So whoever
//     applies them knows at each decision all that is durable.
//   - A process has an epoch and a lease. Every turn renews the lease. When a process has shown no sign of life for its
//     lease and the longest time of a call, another one ends its epoch, and then every Begin and Commit of the process
//     returns an error that wraps ErrFenced.
//   - When the reply to a commit is lost, Commit finds out whether it is durable. It returns nil only when it is.
type Shared interface {
	Store
	Begin() (Turn, error)
	// Refresh returns what others have changed, without a turn. It returns no records during a turn.
	Refresh() (Turn, error)
	// Alone calls do in a turn. What do commits is durable when Alone returns nil; until then only this process sees it.
	// The process knows all records that do could read: none of them is returned later.
	Alone(do func(Turn) error) error
	// MaySend returns an error when the lease has ended, on a clock that includes the time in which the system was
	// suspended. It is called right before a request leaves.
	MaySend() error
}

// Turn is what a process learns at the beginning of a turn.
type Turn struct {
	Now   time.Time // by the clock of the database, after everybody else's turn
	Epoch uint64    // of this process
	// Live are the epochs of the processes that may still record how their calls ended, this one included.
	Live []uint64
	// Expired says that the lease has ended. The process may record how its calls ended, and begin none.
	Expired bool
	Changed []Write // in no order; without records that were deleted
}

// GetsAll is a Store that reads many records in one request, because each request takes long.
type GetsAll interface {
	// GetAll returns the values of keys in their order, nil for those that are not there.
	GetAll(keys [][]byte) (values [][]byte, err error)
}

// AsGetsAll returns the store when it reads many records in one request.
func AsGetsAll(s Store) (all GetsAll, can bool) {
	if stopping, is := s.(stopping); is {
		s = stopping.Store // a request is short, and a scan asks again
	}
	all, can = s.(GetsAll)
	return all, can
}
