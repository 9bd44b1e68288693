// Package remote lets other processes read a journal that one process owns.
//
// The owner serves readers on a Unix socket in the journal's directory. Each connection reads one
// snapshot: the records as one commit left them. A reader gets a record.Store that refuses writes, so the
// journal code reads it as it reads the owner's store.
//
// The protocol is a sequence of requests and responses in the encoding of package gob. The owner begins
// with a greeting, which has the version of the protocol. Gob ignores members that it does not know, so
// programs that differ in members understand each other.
//
// A reader cannot disturb the owner:
//
//   - A snapshot delays no commit.
//   - The number of readers, the size of a request and the size of a response have limits.
//   - A reader that sends nothing, or does not take a response, loses its connection.
package remote

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"io"
	"net"
	"time"
)

// Errors of a reader.
var (
	// ErrNoOwner says that no process serves the journal.
	ErrNoOwner = errors.New("no process serves the journal to readers")
	// ErrBusy says that the number of readers has reached its limit.
	ErrBusy = errors.New("too many commands read the journal at the same time")
	// ErrOpening says that the owner is still opening the journal, so that its records are not recovered
	// from a crash yet.
	ErrOpening = errors.New("the process that owns the journal is still opening it")
	// ErrProtocol says that the owner is another version of the program.
	ErrProtocol = errors.New("another version of this program owns the journal")
	// ErrKey says that the reader does not have the journal's encryption key.
	ErrKey = errors.New("the key differs from the one that the owner of the journal uses")
	// ErrLost says that the connection ended before the reader did.
	ErrLost = errors.New("the connection to the process that owns the journal ended")
	// ErrReadOnly refuses a write.
	ErrReadOnly = errors.New("another process owns the journal, so it can only be read")
)

// protocol is the version of the protocol. It changes when an old reader would misunderstand an answer.
const protocol = 1

// The operations of a request.
const (
	opOwner = iota + 1 // what the owner says about itself
	opOpen             // begin to read a snapshot
	opGet
	opScan
	opPing // the reader is alive
)

// request is what a reader asks.
type request struct {
	Op    int
	Proof []byte // opOpen: proves that the reader has the encryption key
	Key   []byte // opGet: the key; opScan: the prefix
	From  []byte // opScan: the first key
	Count int    // opScan: the most records of the response
}

// response is what the owner returns.
type response struct {
	Protocol int    // in the greeting
	Nonce    []byte // in the greeting
	Failure  failure
	Text     string // of the failure
	Owner    []byte
	Version  uint64
	Found    bool
	Value    []byte
	Keys     [][]byte
	Values   [][]byte
	More     bool // there are records after those of the response
}

// failure is the kind of an error that a response carries.
type failure int

const (
	noFailure failure = iota
	busy
	wrongKey
	corrupt
	otherFailure
	opening
)

// The most bytes of a request and of a response. A record is always sent whole, so the limit of a
// response is above the size of every record.
const (
	maxRequest  = 1 << 20
	maxResponse = 64 << 20
)

// batchSize is how many bytes of records the owner gathers for one response.
const batchSize = 256 << 10

// proofOf proves that a reader has a key. An empty key means a journal without encryption.
func proofOf(key, nonce []byte) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte("payonce reader"))
	hash.Write(nonce)
	return hash.Sum(nil)
}

// link sends and receives the messages of one connection.
type link struct {
	conn    net.Conn
	limit   io.LimitedReader
	most    int64 // bytes of a message that is received
	decoder *gob.Decoder
	out     *bufio.Writer
	encoder *gob.Encoder
}

func newLink(conn net.Conn, most int64) *link {
	l := &link{conn: conn, most: most, out: bufio.NewWriter(conn)}
	l.limit = io.LimitedReader{R: conn}
	l.decoder, l.encoder = gob.NewDecoder(bufio.NewReader(&l.limit)), gob.NewEncoder(l.out)
	return l
}

// send sends a message, within a time.
func (l *link) send(message any, within time.Duration) error {
	return errors.Join(l.conn.SetWriteDeadline(time.Now().Add(within)), l.encoder.Encode(message), l.out.Flush())
}

// receive receives a message, within a time.
func (l *link) receive(message any, within time.Duration) error {
	l.limit.N = l.most
	return errors.Join(l.conn.SetReadDeadline(time.Now().Add(within)), l.decoder.Decode(message))
}
