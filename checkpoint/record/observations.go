package record

import (
	"bytes"
	"strconv"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/numbered"
)

// Observation is a change of a watched company that the service has told. Its key has the key of the company's id and a
// hash of the content, with the secret of the journal. So a change that is told again is the same observation.
type Observation struct {
	Company string    `json:"company"` // the service's id
	At      time.Time `json:"at"`      // when it was observed first
	// Content is what the service told, as it came; "" once it was erased.
	Content string `json:"content,omitempty"`
	// After is the last attempt that had begun when it was observed first. Answers of attempts up to this one may be
	// older than the change.
	After attempt.ID `json:"after"`
}

func observationMembers(m *numbered.Members, o *Observation) {
	numbered.Text(m, 1, &o.Company)
	numbered.Time(m, 2, &o.At)
	numbered.Text(m, 3, &o.Content)
	numbered.Uint(m, 4, &o.After)
}

// Polled says until when the changes of the watched companies of an account are observed.
type Polled struct {
	// Through is the time up to which all changes are observed.
	Through time.Time `json:"through"`
}

func polledMembers(m *numbered.Members, p *Polled) { numbered.Time(m, 1, &p.Through) }

// PolledKey returns the key of what was polled of an account.
func PolledKey(account attempt.Account) []byte {
	return NameKey(metaPrefix, polledName+strconv.FormatUint(uint64(account), 10))
}

// IsPolledKey reports whether a key is one of PolledKey.
func IsPolledKey(key []byte) bool { return bytes.HasPrefix(key, NameKey(metaPrefix, polledName)) }

// ObservedKey returns the key of an observation by the key of the company and the hash of the content.
func ObservedKey(company, content enrich.Key) []byte {
	return append(append([]byte{ObservedPrefix}, company[:]...), content[:]...)
}

// ObservedOf returns the keys that ObservedKey was made of.
func ObservedOf(key []byte) (company, content enrich.Key, ok bool) {
	if len(key) != 1+len(company)+len(content) {
		return company, content, false
	}
	return enrich.Key(key[1 : 1+len(company)]), enrich.Key(key[1+len(company):]), true
}
