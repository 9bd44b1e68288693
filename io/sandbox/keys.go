package sandbox

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// ConfiguredKey is the ID of the key that the configuration names.
const ConfiguredKey = "key_1"

// maxKeyName is the longest name of a key, in bytes.
const maxKeyName = 100

// Key is a key of the workspace without its value, which is shown once
// (specification v1, "Workspace key").
type Key struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Legacy keys have no workspace: their status shows no balance.
	Legacy  bool      `json:"legacy"`
	Created time.Time `json:"created_at,omitzero"` // UTC, as the others; zero for the configured one
	Expires time.Time `json:"expires_at,omitzero"` // zero: never
	Revoked time.Time `json:"revoked_at,omitzero"` // zero: not
}

// valid reports whether the key opens anything.
func (k Key) valid(now time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || now.Before(k.Expires))
}

// keyRing are the keys of the workspace. Their values stand nowhere.
type keyRing struct {
	keys   []Key
	byHash map[string]int // index of a key by the hash of its value
}

func newKeyRing(configured string) keyRing {
	return keyRing{
		keys:   []Key{{ID: ConfiguredKey, Name: "configured"}},
		byHash: map[string]int{hashOf(configured): 0},
	}
}

func hashOf(value string) string {
	hash := sha256.Sum256([]byte(value))
	return hex.EncodeToString(hash[:])
}

// find returns a key by its ID.
func (r *keyRing) find(id string) (*Key, error) {
	i := slices.IndexFunc(r.keys, func(k Key) bool { return k.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w key %q", ErrUnknown, id)
	}
	return &r.keys[i], nil
}

// applyKey applies an entry about a key.
func (l *Ledger) applyKey(e LedgerEntry) error {
	if e.Kind == keyCreated {
		l.ring.byHash[e.Hash] = len(l.ring.keys)
		l.ring.keys = append(l.ring.keys, Key{ID: e.Key, Name: e.Name, Legacy: e.Legacy, Created: e.At, Expires: e.Until})
		return nil
	}
	id := e.Key
	if id == "" {
		id = ConfiguredKey
	}
	key, err := l.ring.find(id)
	if err != nil {
		return err
	}
	if e.Kind == keyRevoked {
		key.Revoked = e.At
		return nil
	}
	key.Expires = e.Until
	return nil
}

// Identify returns the key with a value. It reports false for a value that is no
// key's, or that of a key that expired or was revoked.
func (l *Ledger) Identify(value string) (Key, bool) {
	now := l.lock()
	defer l.mu.Unlock()
	i, found := l.ring.byHash[hashOf(value)]
	if !found || !l.ring.keys[i].valid(now) {
		return Key{}, false
	}
	return l.ring.keys[i], true
}

// validKey reports whether the key of that ID opens anything.
func (l *Ledger) validKey(id string, now time.Time) bool {
	key, err := l.ring.find(id)
	return err == nil && key.valid(now)
}

// Keys returns the keys of the workspace, revoked and expired ones as well.
func (l *Ledger) Keys() []Key {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ring.keys)
}

// NewKey says what kind of key to create.
type NewKey struct {
	Name    string
	Legacy  bool
	Expires time.Time // zero: never
}

// CreateKey adds a key and returns its value, which cannot be had again.
func (l *Ledger) CreateKey(k NewKey) (Key, string, error) {
	if err := checkKeyName(k.Name); err != nil {
		return Key{}, "", err
	}
	if err := checkExpiry(k.Expires); err != nil {
		return Key{}, "", err
	}
	now := l.lock()
	defer l.mu.Unlock()
	if !k.Expires.IsZero() && !now.Before(k.Expires) {
		return Key{}, "", invalidf("the key would expire at %s, which has passed", k.Expires.Format(time.RFC3339))
	}
	value := "sandbox_" + rand.Text()
	id := fmt.Sprintf("key_%d", len(l.ring.keys)+1)
	err := l.ledger.Record(LedgerEntry{
		Kind: keyCreated, At: now, Key: id, Name: k.Name, Hash: hashOf(value), Legacy: k.Legacy, Until: k.Expires.UTC(),
	})
	if err != nil {
		return Key{}, "", err
	}
	key, err := l.ring.find(id)
	return *key, value, err
}

func checkKeyName(name string) error {
	if strings.TrimSpace(name) == "" || len(name) > maxKeyName || strings.ContainsFunc(name, unicode.IsControl) {
		return invalidf("a key needs a name, of at most %d bytes and without control characters", maxKeyName)
	}
	return nil
}

// checkExpiry refuses a moment that no text can hold.
func checkExpiry(at time.Time) error {
	if year := at.UTC().Year(); year < 1 || year > 9999 {
		return invalidf("the key would expire in the year %d; give a moment up to the year 9999", year)
	}
	return nil
}

// RevokeKey makes every request with the key fail from now on (specification v1,
// "States and transitions"). A revoked key stays as it is.
func (l *Ledger) RevokeKey(id string) error {
	now := l.lock()
	defer l.mu.Unlock()
	key, err := l.ring.find(id)
	if err != nil || !key.Revoked.IsZero() {
		return err
	}
	return l.ledger.Record(LedgerEntry{Kind: keyRevoked, At: now, Key: id})
}

// ExpireKey sets when the key ends; the zero time means never. A moment that has
// passed ends it now.
func (l *Ledger) ExpireKey(id string, at time.Time) error {
	if err := checkExpiry(at); err != nil {
		return err
	}
	now := l.lock()
	defer l.mu.Unlock()
	key, err := l.ring.find(id)
	switch {
	case err != nil:
		return err
	case !key.Revoked.IsZero():
		return invalidf("%s is revoked already", id)
	}
	return l.ledger.Record(LedgerEntry{Kind: keyExpirySet, At: now, Key: id, Until: at.UTC()})
}
