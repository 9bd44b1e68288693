package checkpoint

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// Types of package record.
type (
	Store = record.Store
	Write = record.Write
)

// Rate is the service's limit: at most Slots calls in each Window.
type Rate = decide.Rate

// Errors of the journal.
var (
	ErrCorrupt       = record.ErrCorrupt
	ErrNewer         = record.ErrNewer
	ErrFailed        = record.ErrFailed
	ErrVersion       = record.ErrVersion
	ErrNotWritable   = record.ErrNotWritable
	ErrEncryptionKey = record.ErrEncryptionKey
)

// Options say how a journal is opened.
type Options struct {
	Rate Rate
	// Catalogue has the fields of the interface of the account 0.
	Catalogue enrich.Catalogue
	// Tariff has the meters of the interface of the account 0. If it has none, it is money and a free
	// allowance for each field.
	Tariff cost.Tariff
	// Service is that of the account 0, as in an AccountID. A journal that does not know it yet records it.
	// It may be empty.
	Service string
	// Now is the clock. It may be nil for a shared store: then it is the clock of the database.
	Now func() time.Time
	// Stop is called before every record that a scan of an open journal reads. Its error ends
	// the scan. It may be nil. It may be called from any goroutine.
	Stop func() error
}

// keeper is a Store that knows which journal it must hold, and whether it may have lost records in a
// crash. Another store may hold any journal and may have lost records.
type keeper interface {
	// JournalID returns the ID of the journal, "" for a new store.
	JournalID() string
	// Whole reports whether no record can have been lost since Opened was called last.
	Whole() bool
	// Opened records that the journal with this ID was opened, and that none of its
	// records is missing.
	Opened(id string) error
}

// roomy is a Store that reports when it is too full for new attempts. It then still has room
// for the resolutions of attempts in flight.
type roomy interface{ Room() error }

// eraser is a Store whose files keep values that were replaced. Another store keeps none.
type eraser interface {
	// Erase makes Close remove from the files every value that was replaced, and every one that is replaced
	// after Erase returned. If the process ends before that, the next opening of the store does it.
	Erase() error
}

// New opens the journal in a store, or creates it. Attempts that were in flight when the
// last process ended are in doubt afterwards. Close closes the store, and so does an error.
//
// The error wraps ErrCorrupt when the journal is damaged, and ErrNewer when a newer program wrote
// it and only such a program can continue it. Nothing can be sent then, because only an open journal
// gives permission.
func New(s Store, options Options) (*Journal, error) {
	j, err := openAlone(s, options)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the journal: %w", err), s.Close())
	}
	go j.commitLoop()
	return j, nil
}

// ErrReadOnly refuses a write to a journal that was opened with Read.
var ErrReadOnly = errors.New("the journal was opened to be read")

// Read opens a snapshot of a journal that somebody else owns. Calls that are in flight stay in flight:
// their owner may still record the answers. Every method that writes returns ErrReadOnly. Close closes
// the store, and so does an error. The errors are those of New.
func Read(s Store, options Options) (*Journal, error) {
	identity, err := record.Identify(s)
	if err == nil && identity.ID == "" {
		err = errors.New("the journal is being created")
	}
	if err == nil {
		_, err = record.MustKnowFields(s, options.Catalogue)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the journal: %w", err), s.Close())
	}
	j, err := newJournal(s, identity, options)
	if err == nil {
		j.failure = ErrReadOnly
		err = j.restore(true, nil)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the journal: %w", err), s.Close())
	}
	j.store = record.WithStop(s, options.Stop)
	close(j.stopped) // nothing is committed
	return j, nil
}

// readOnly reports whether the journal was opened with Read.
func (j *Journal) readOnly() bool { return j.failure == ErrReadOnly }

// openAlone opens the journal while nobody else changes the store.
func openAlone(s Store, options Options) (j *Journal, err error) {
	shared, is := s.(record.Shared)
	if !is {
		return open(s, options, nil)
	}
	asked := time.Now()
	err = shared.Alone(func(turn record.Turn) error {
		j, err = open(s, options, func(l *ledger) {
			l.shared.store, l.shared.turn, l.shared.inTurn = shared, turn, true
			l.shared.clock.Store(&turnClock{turn.Now, asked, time.Now()})
		})
		return err
	})
	if err == nil {
		j.shared.inTurn = false
	}
	return j, err
}

// open opens the journal. Turn puts it into the turn of a shared store; it is nil for another one.
func open(s Store, options Options, turn func(*ledger)) (*Journal, error) {
	if len(options.Catalogue.Fields) == 0 {
		return nil, errors.New("it was opened without the catalogue of its interface")
	}
	identity, err := record.Identify(s)
	if err != nil {
		return nil, err
	}
	if identity.ID == "" {
		if identity, err = newIdentity(s); err != nil {
			return nil, err
		}
	}
	names, err := record.MustKnowFields(s, options.Catalogue)
	if err != nil {
		return nil, err
	}
	j, err := newJournal(s, identity, options)
	if err != nil {
		return nil, err
	}
	if turn != nil {
		turn(j.ledger)
	}
	service, err := j.registry().NameFirst()
	if err != nil {
		return nil, err
	}
	names = append(names, service...)
	k, ok := s.(keeper)
	if err := j.restore(turn != nil || ok && k.Whole(), names); err != nil {
		return nil, err
	}
	if ok {
		if err := k.Opened(j.id); err != nil {
			return nil, err
		}
	}
	j.store = record.WithStop(s, options.Stop) // only now, because recovery must not be stopped
	return j, nil
}

func newIdentity(s Store) (record.Journal, error) {
	random := make([]byte, 32)
	rand.Read(random) // never fails
	identity := record.Journal{ID: hex.EncodeToString(random[:16]), Secret: random[16:]}
	return identity, s.Commit([]Write{{Key: record.IdentityKey, Value: record.Encode(&identity)}, formsRecord(1)})
}

func newJournal(s Store, identity record.Journal, options Options) (*Journal, error) {
	if len(identity.Secret) != record.SecretLength {
		return nil, fmt.Errorf("%w: its secret has %d bytes", ErrCorrupt, len(identity.Secret))
	}
	room, _ := s.(roomy)
	eraser, _ := s.(eraser)
	j := &Journal{ledger: &ledger{
		store: s, room: room, eraser: eraser, clock: options.Now, id: identity.ID, secret: identity.Secret,
		first: options, state: newLedgerState(),
		wake: make(chan struct{}, 1), stopping: make(chan struct{}), stopped: make(chan struct{}),
	}, fields: options.Catalogue.All()}
	j.state.addAccount(options.Catalogue).SetTerms(options.Rate, options.Tariff)
	j.drained = sync.NewCond(&j.mu)
	if options.Now == nil {
		j.shared.clock.Store(&turnClock{time.Now(), time.Now(), time.Now()}) // until a turn shows that of the database
	}
	return j, nil
}

// restore loads the ledger state, the former keys and the version.
func (j *Journal) restore(whole bool, names []Write) error {
	if err := j.recover(whole, names); err != nil {
		return err
	}
	return cmp.Or(j.recoverFormers(), j.recoverVersion())
}

// Close waits for what is being written and closes the journal, for all accounts.
func (j *Journal) Close() error {
	close(j.stopping)
	<-j.stopped
	err := j.store.Close()
	if j.failure != nil {
		err = nil // the callers already have this error
	}
	return err
}

// AnonymousKey returns a function that hashes canonical forms with a new random secret. Plans use it
// when there is no journal yet.
func AnonymousKey() func(canonical []byte) enrich.Key {
	secret := make([]byte, record.SecretLength)
	rand.Read(secret) // never fails
	return func(canonical []byte) enrich.Key { return record.KeyOf(secret, canonical) }
}
