// This file declares a store that several processes share.

package record

import (
	"errors"
	"slices"
	"time"
)

// ErrFenced is wrapped by errors of a process that may no longer send calls or write: it renewed its lease too late.
var ErrFenced = errors.New("this process did not reach the journal's database for longer than its lease")

// Shared is a Store that several processes use at the same time. They decide in turns. Besides the contract of a Store:
//
//   - From Begin to the end of the next Commit, no other process changes the store. Commit without a turn begins and
//     ends its own.
//   - Begin returns every record that other processes have changed since the previous turn, Refresh or Alone. A caller
//     that applies them knows all durable records at each decision.
//   - A process has an epoch and a lease. Every turn renews the lease. When a process has not renewed it for the lease and
//     the longest time of a call, another process ends the epoch. Then every Begin and Commit of the first process returns
//     an error that wraps ErrFenced.
//   - When the reply to a commit is lost, Commit finds out whether it is durable. It returns nil only when it is.
type Shared interface {
	Store
	Begin() (Turn, error)
	// Refresh returns the records that others have changed, without a turn. During a turn it returns none.
	Refresh() (Turn, error)
	// Alone calls do in a turn. The commits of do are durable when Alone returns nil; until then only this process sees
	// them. Records that do could read count as known: no later call returns them as changed.
	Alone(do func(Turn) error) error
	// MaySend returns an error when the lease has ended, on a clock that counts suspended time, or when the store may lack
	// commits. It is called right before a request is sent.
	MaySend() error
	// FailedOver returns why the store may lack commits that it has confirmed, or that another process has called
	// AcceptFailover since the store was opened; nil otherwise. While it may lack some, no turn allows calls.
	FailedOver() error
	// AcceptFailover allows calls again, for a user who knows that the store may lack commits. It is not called in a turn.
	AcceptFailover() error
}

// Turn is the result of beginning a turn.
type Turn struct {
	Now   time.Time // by the clock of the database, after all earlier turns
	Epoch uint64    // of this process
	// Live are the processes that may still record how their calls ended, this one included.
	Live []Process
	// Refused is why the process may begin no calls, such as ErrFenced; nil when it may. It may still record how its calls
	// ended.
	Refused error
	// Senders are the processes, except this one, whose calls may still arrive at the service, or could until a short time
	// ago.
	Senders []Sender
	Changed []Write // in any order; without deleted records
}

// Process is a process whose epoch has not ended.
type Process struct {
	Epoch     uint64
	LeaseEnds time.Time // unless the lease is renewed
}

// Process returns the process of an epoch, and false when the epoch has ended.
func (t Turn) Process(epoch uint64) (Process, bool) {
	i := slices.IndexFunc(t.Live, func(p Process) bool { return p.Epoch == epoch })
	if i < 0 {
		return Process{}, false
	}
	return t.Live[i], true
}

// IsLive reports whether the process of an epoch may still record how its calls ended.
func (t Turn) IsLive(epoch uint64) bool {
	_, live := t.Process(epoch)
	return live
}

// IsSilent reports whether another process is live and its lease has ended: it begins no calls.
func (t Turn) IsSilent(epoch uint64) bool {
	p, live := t.Process(epoch)
	return live && epoch != t.Epoch && !p.LeaseEnds.After(t.Now)
}

// Sender is a process whose calls may still arrive. It may have been stopped right before it sent one.
type Sender struct {
	Epoch  uint64
	Holder string // describes it to people
	// Arrived is from when on none of its calls can arrive any more; zero while the process is not known to be dead.
	Arrived time.Time
}

// MaySend reports whether its calls may arrive after a time.
func (s Sender) MaySend(now time.Time) bool { return s.Arrived.IsZero() || s.Arrived.After(now) }

// SendersKept is for how long a turn still names a process whose calls cannot arrive any more. An account may show a
// charge late.
const SendersKept = 10 * time.Minute

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
