package pgstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"payonce/checkpoint/record"
	"payonce/io/iotest"
)

var (
	firstKey  = bytes.Repeat([]byte{1}, 32)
	secondKey = bytes.Repeat([]byte{2}, 32)
)

func codecFor(t *testing.T, key []byte) codec {
	t.Helper()
	encryption, err := newEncryption(key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := codecOf(key, encryption)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestValuesAreDecodedAsTheyWereEncoded draws values, also resolutions with charges at different places, with several
// and with none, and texts that are not members.
func TestValuesAreDecodedAsTheyWereEncoded(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	c := codecFor(t, firstKey)
	for range 5000 {
		key := append([]byte{"arfm"[draw.IntN(4)]}, text(draw, 8)...)
		value := []byte{record.Version}
		for range draw.IntN(5) {
			value = protowire.AppendTag(value, protowire.Number(5+draw.IntN(4)), protowire.BytesType)
			value = protowire.AppendBytes(value, text(draw, draw.IntN(40)))
		}
		if draw.IntN(4) == 0 {
			value = append(value, text(draw, draw.IntN(5))...)
		}
		stored := c.encode(key, value)
		got, err := c.decode(key, stored)
		if err != nil || !bytes.Equal(got, value) {
			t.Fatalf("record %q with %x is decoded as %x, %v", key, value, got, err)
		}
		if !bytes.Equal(c.encode(key, value), stored) {
			t.Fatalf("record %q with %x is encoded differently the second time", key, value)
		}
		stored[draw.IntN(len(stored))] ^= 1 << draw.IntN(8)
		if got, err := c.decode(key, stored); !errors.Is(err, record.ErrCorrupt) {
			t.Fatalf("record %q with %x: after a change it is decoded as %x, %v", key, value, got, err)
		}
		if got, err := c.decode(key, stored[:draw.IntN(len(stored))]); !errors.Is(err, record.ErrCorrupt) {
			t.Fatalf("record %q with %x: cut short it is decoded as %x, %v", key, value, got, err)
		}
	}
}

func text(draw *rand.Rand, length int) []byte {
	text := make([]byte, length)
	for i := range text {
		text[i] = byte(draw.Uint32())
	}
	return text
}

// TestOnlyTheChargePartOfAResolutionChanges corrects a charge.
func TestOnlyTheChargePartOfAResolutionChanges(t *testing.T) {
	c := codecFor(t, firstKey)
	resolution := func(charge string) []byte {
		value := protowire.AppendTag([]byte{record.Version}, 6, protowire.BytesType)
		value = protowire.AppendString(value, "run")
		value = protowire.AppendTag(value, record.ChargeMember, protowire.BytesType)
		value = protowire.AppendString(value, charge)
		value = protowire.AppendTag(value, 10, protowire.BytesType)
		return protowire.AppendString(value, "ada@acme.example")
	}
	key := []byte("r12345678")
	first, charge, err := parts(c.encode(key, resolution("7")))
	if err != nil || charge == nil {
		t.Fatal(charge, err)
	}
	again, other, err := parts(c.encode(key, resolution("free, since later")))
	if err != nil || !bytes.Equal(first, again) || bytes.Equal(charge, other) {
		t.Errorf("the parts without the charge are the same: %t; the charges are the same: %t; %v", bytes.Equal(first, again), bytes.Equal(charge, other), err)
	}
}

// TestARecordInAnotherPlaceIsDamaged puts a value into another row and into another workspace with the same key, and a
// plain value into an encrypted journal.
func TestARecordInAnotherPlaceIsDamaged(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	o := options(server.URL())
	o.EncryptionKey = firstKey
	s := open(t, o)
	o.Workspace = "other"
	other := open(t, o)
	writes := []record.Write{set("a", "first"), set("b", "second")}
	if err := errors.Join(s.Commit(writes), other.Commit(writes)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]string{
		"another row": "UPDATE payonce_record AS r SET value = (SELECT value FROM payonce_record WHERE workspace = 'main' AND key = 'b') " +
			"WHERE workspace = 'main' AND key = 'a'",
		"another workspace": "UPDATE payonce_record AS r SET value = (SELECT value FROM payonce_record WHERE workspace = 'other' AND key = 'a') " +
			"WHERE workspace = 'main' AND key = 'a'",
		"a plain value": "UPDATE payonce_record AS r SET value = 'first' WHERE workspace = 'main' AND key = 'a'",
	} {
		server.Exec(change)
		_, err := s.Get([]byte("a"))
		_, allErr := s.GetAll([][]byte{[]byte("a")})
		scanErr := s.Scan([]byte("a"), nil, func(_, _ []byte) (bool, error) { return true, nil })
		for _, err := range []error{err, allErr, scanErr} {
			if !errors.Is(err, record.ErrCorrupt) || !strings.Contains(err.Error(), `record "a"`) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// withJournal makes a journal with a key, closed, with an identity and a value.
func withJournal(t *testing.T, o Options, key []byte) {
	t.Helper()
	o.EncryptionKey = key
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit([]record.Write{set(string(record.IdentityKey), "identity"), set("u", "ada@acme.example")}), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestAKeyThatDoesNotFitIsRefused opens encrypted and plain journals with all kinds of keys, to write and to read.
func TestAKeyThatDoesNotFitIsRefused(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for _, c := range []struct {
		made, given []byte
		want        string // "" for no error
	}{
		{nil, nil, ""},
		{firstKey, firstKey, ""},
		{nil, firstKey, "the journal is not encrypted"},
		{firstKey, nil, "no key was given"},
		{firstKey, secondKey, "it is not the key"},
	} {
		o := options(server.URL())
		o.Workspace = fmt.Sprint(c)
		withJournal(t, o, c.made)
		o.EncryptionKey = c.given
		s, openErr := Open(o)
		if openErr == nil {
			openErr = s.Close()
		}
		read, readErr := Read(o.URL, o.Workspace, c.given)
		if readErr == nil {
			readErr = read.Close()
		}
		for _, err := range []error{openErr, readErr} {
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, record.ErrEncryptionKey) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("made with %x and opened with %x: %v", c.made, c.given, err)
			}
		}
		if exists, err := Exists(o.URL, o.Workspace); !exists || err != nil {
			t.Errorf("it exists: %t, %v", exists, err)
		}
	}
	// A workspace whose first process ended before it made a journal takes the next key.
	o := options(server.URL())
	o.Workspace = "begun"
	o.EncryptionKey = firstKey
	begun := open(t, o)
	withJournal(t, o, secondKey)
	if _, err := begun.Begin(); !errors.Is(err, record.ErrEncryptionKey) || !errors.Is(err, record.ErrFailed) {
		t.Errorf("a process with another key decides: %v", err)
	}
	if _, err := begun.Refresh(); !errors.Is(err, record.ErrEncryptionKey) {
		t.Errorf("a process with another key reads: %v", err)
	}
}

// TestAJournalIsEncryptedWithAnotherKey goes from a plain journal to one key and to the next, with more values than one
// page has.
func TestAJournalIsEncryptedWithAnotherKey(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on", "autovacuum=off")
	o := options(server.URL())
	withJournal(t, o, nil)
	if filesWith(t, server, "ada@acme.example") == 0 {
		t.Fatal("no file has the value of a plain journal, so this test shows nothing")
	}
	s := open(t, o)
	var writes []record.Write
	for n := range 300 {
		writes = append(writes, set(fmt.Sprint("k", n), strings.Repeat(fmt.Sprint("value ", n), 1000)))
	}
	if err := errors.Join(s.Commit(writes), s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, key := range [][]byte{firstKey, secondKey} {
		s := open(t, o)
		other := open(t, o)
		if err := s.Rekey(key, nil); !errors.Is(err, ErrShared) {
			t.Fatalf("with another process: %v", err)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Rekey(key, func() error { return context.Canceled }); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped: %v", err)
		}
		if value, err := s.Get([]byte("u")); string(value) != "ada@acme.example" || err != nil {
			t.Fatalf("after a rekey that was stopped a value is %q, %v", value, err)
		}
		if err := errors.Join(s.Rekey(key, nil), s.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(o); !errors.Is(err, record.ErrEncryptionKey) {
			t.Errorf("with the earlier key: %v", err)
		}
		o.EncryptionKey = key
		if n := filesWith(t, server, "ada@acme.example"); n > 0 {
			t.Errorf("%d files have a readable value", n)
		}
		s = open(t, o)
		for _, w := range append(writes, set("u", "ada@acme.example")) {
			if value, err := s.Get(w.Key); !bytes.Equal(value, w.Value) || err != nil {
				t.Fatalf("record %s is %q, %v", w.Key, value, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestALostReplyToARekeyIsLookedUp breaks the connection at the commit.
func TestALostReplyToARekeyIsLookedUp(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for _, f := range []iotest.CommitFault{iotest.CommitUnsent, iotest.CommitCut, iotest.CommitUnheard} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			var next atomic.Value
			next.Store(iotest.CommitPasses)
			_, through := iotest.StartPostgresProxy(t, server.URL(), 0, func() iotest.CommitFault {
				return next.Swap(iotest.CommitPasses).(iotest.CommitFault)
			})
			o := options(server.URL())
			o.Workspace = t.Name()
			withJournal(t, o, nil)
			o.URL = through
			s := open(t, o)
			next.Store(f)
			err := s.Rekey(firstKey, nil)
			if f == iotest.CommitUnheard && err != nil {
				t.Errorf("the commit succeeded, and Rekey returns %v", err)
			}
			if err == nil {
				o.EncryptionKey = firstKey
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			o.URL = server.URL()
			if value, err := open(t, o).Get([]byte("u")); string(value) != "ada@acme.example" || err != nil {
				t.Errorf("the value is %q, %v", value, err)
			}
		})
	}
}

// TestCopiesAreEncryptedAsAsked copies plain and encrypted journals to plain and encrypted ones.
func TestCopiesAreEncryptedAsAsked(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	for _, from := range [][]byte{nil, firstKey} {
		for _, to := range [][]byte{nil, firstKey, secondKey} {
			o := options(server.URL())
			o.Workspace = fmt.Sprintf("from %x for %x", from, to)
			withJournal(t, o, from)
			o.EncryptionKey = from
			source, target := open(t, o), o.Workspace+", copied"
			if records, err := CopyFrom(o.URL, target, to, source); records != 2 || err != nil {
				t.Errorf("%s: %d records, %v", target, records, err)
			}
			o.Workspace, o.EncryptionKey = target, to
			if value, err := open(t, o).Get([]byte("u")); string(value) != "ada@acme.example" || err != nil {
				t.Errorf("%s: the value is %q, %v", target, value, err)
			}
		}
	}
}

// TestAReaderReadsTablesOfOlderPrograms has a role that may not migrate: it reads plain journals.
func TestAReaderReadsTablesOfOlderPrograms(t *testing.T) {
	server := iotest.StartPostgres(t, "fsync=on")
	migrateTo(t, server.URL(), encryptionVersion-1)
	server.Exec("INSERT INTO payonce_workspace (workspace, version) VALUES ('main', 1); INSERT INTO payonce_record VALUES ('main', 'mjournal', 'identity', 1)")
	s, err := Read(server.URL(), "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	if value, err := s.Get(record.IdentityKey); string(value) != "identity" || err != nil {
		t.Errorf("the identity is %q, %v", value, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Read(server.URL(), "main", firstKey); !errors.Is(err, record.ErrEncryptionKey) {
		t.Errorf("with a key: %v", err)
	}
}
