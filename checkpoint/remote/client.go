package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"time"

	"payonce/checkpoint/record"
)

// The time limits of a reader.
const (
	maxGreeting = time.Second      // from the connection to its first response
	maxAnswer   = 10 * time.Second // of a request
	pingEvery   = maxIdle / 4
)

// Store is a snapshot of a journal that another process owns. Its methods may be called from many
// goroutines; requests are sent one after the other.
type Store struct {
	version uint64
	nonce   []byte
	done    chan struct{}

	mu   sync.Mutex
	link *link
	lost error // why the connection cannot be used any more
}

// Open opens a snapshot of the journal in dir, whose owner serves it. The key is the journal's encryption
// key. The error wraps ErrNoOwner, ErrBusy, ErrOpening, ErrKey, ErrProtocol or ErrLost.
func Open(dir string, key []byte) (*Store, error) {
	s, err := connect(dir)
	if err != nil {
		return nil, err
	}
	answer, err := s.ask(&request{Op: opOpen, Proof: proofOf(key, s.nonce)})
	if err != nil {
		return nil, errors.Join(err, s.disconnect())
	}
	s.version = answer.Version
	go s.keepAlive()
	return s, nil
}

// Owner returns what the owner of the journal in dir says about itself. The errors are those of Open.
func Owner(dir string) ([]byte, error) {
	s, err := connect(dir)
	if err != nil {
		return nil, err
	}
	answer, err := s.ask(&request{Op: opOwner})
	if err := errors.Join(err, s.disconnect()); err != nil {
		return nil, err
	}
	return answer.Owner, nil
}

// connect connects to the owner and reads its greeting.
func connect(dir string) (*Store, error) {
	conn, err := dial(dir, maxGreeting)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%w: %w", ErrNoOwner, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	s := &Store{link: newLink(conn, maxResponse), done: make(chan struct{})}
	var greeting response
	if err := s.link.receive(&greeting, maxGreeting); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrLost, err), s.disconnect())
	}
	err = greeting.err()
	if greeting.Protocol != protocol {
		err = ErrProtocol
	}
	if err != nil {
		return nil, errors.Join(err, s.disconnect())
	}
	s.nonce = greeting.Nonce
	return s, nil
}

// disconnect closes a connection.
func (s *Store) disconnect() error { return s.link.conn.Close() }

// err returns the error that a response carries.
func (r *response) err() error {
	switch r.Failure {
	case noFailure:
		return nil
	case busy:
		return ErrBusy
	case wrongKey:
		return ErrKey
	case opening:
		return ErrOpening
	case corrupt:
		return fmt.Errorf("%w: %s", record.ErrCorrupt, strings.TrimPrefix(r.Text, record.ErrCorrupt.Error()+": "))
	}
	return errors.New(r.Text)
}

// ask sends a request and returns its response. After an error of the connection every request fails.
func (s *Store) ask(asked *request) (*response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.askLocked(asked)
}

func (s *Store) askLocked(asked *request) (*response, error) {
	if s.lost != nil {
		return nil, s.lost
	}
	answer := &response{}
	err := s.link.send(asked, maxAnswer)
	if err == nil {
		err = s.link.receive(answer, maxAnswer)
	}
	if err != nil {
		s.lost = fmt.Errorf("%w: %w", ErrLost, err)
		return nil, s.lost
	}
	return answer, answer.err()
}

// keepAlive tells the owner that the reader is alive, between requests.
func (s *Store) keepAlive() {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-ticker.C:
		}
		if s.mu.TryLock() { // otherwise a request is being answered
			_, _ = s.askLocked(&request{Op: opPing}) // the next request fails for the same reason
			s.mu.Unlock()
		}
	}
}

// Get returns the value of key, or nil when there is none.
func (s *Store) Get(key []byte) ([]byte, error) {
	answer, err := s.ask(&request{Op: opGet, Key: key})
	if err != nil || !answer.Found {
		return nil, err
	}
	if answer.Value == nil {
		return []byte{}, nil // gob does not send an empty value
	}
	return answer.Value, nil
}

// Scan visits the records in order, as record.Store says.
func (s *Store) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	return s.Seek(prefix, from, func(key, value []byte) (bool, []byte, error) {
		more, err := visit(key, value)
		return more, nil, err
	})
}

// The number of records that the first request of a scan asks for, and the factor by which it grows with each
// further request. A scan that skips records or ends soon gets few records that it does not need.
const (
	firstCount  = 16
	countGrowth = 4
)

// Seek is a Scan in which visit may return the key to continue from.
func (s *Store) Seek(prefix, from []byte, visit record.Visit) error {
	for count := firstCount; ; count = min(count*countGrowth, batchSize) {
		answer, err := s.ask(&request{Op: opScan, Key: prefix, From: from, Count: count})
		if err != nil {
			return err
		}
		if len(answer.Keys) != len(answer.Values) || answer.More && len(answer.Keys) == 0 {
			return fmt.Errorf("%w: its response is incomplete", ErrLost)
		}
		var skipTo []byte
		for i, key := range answer.Keys {
			if bytes.Compare(key, skipTo) < 0 {
				continue
			}
			more, to, err := visit(key, answer.Values[i])
			if err != nil || !more {
				return err
			}
			skipTo = append(skipTo[:0], to...)
		}
		if !answer.More {
			return nil
		}
		last := answer.Keys[len(answer.Keys)-1]
		from = append(bytes.Clone(last), 0) // the first key after it
		if bytes.Compare(from, skipTo) < 0 {
			from, count = skipTo, firstCount/countGrowth
		}
	}
}

// Commit refuses every write.
func (s *Store) Commit([]record.Write) error { return ErrReadOnly }

// Version returns the number of the last commit that the snapshot has.
func (s *Store) Version() uint64 { return s.version }

// Close ends the connection.
func (s *Store) Close() error {
	close(s.done)
	return s.disconnect()
}
