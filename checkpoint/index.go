package checkpoint

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/numbered"
)

// index has a hash of each thing that says who an attempt is about: it finds the few attempts
// that have to be compared.
type index struct {
	seed    maphash.Seed
	entries []entry      // of the attempts from 1 on
	lists   []attempt.ID // the attempts that may mention persons, or tell profiles; each is compared
}

// entry takes 10 bytes for an attempt. The hash of an empty text is zero. About one of 13,000 attempts has the
// hash of a text that it does not have. This does no harm, because the texts of what is found are compared.
type entry struct {
	key, identityName, answerName, email, phone hash
}

type hash uint16

// batchSize is how many attempts a goroutine enters at a time.
const batchSize = 1 << 14

// index reads the journal once, on all cores.
func (r PersonReading) index() (*index, error) {
	x := &index{seed: maphash.MakeSeed(), entries: make([]entry, r.Last)}
	var entered atomic.Uint64 // attempts that are entered or being entered
	parts := runtime.GOMAXPROCS(0)
	errs, lists := make([]error, parts), make([][]attempt.ID, parts)
	var all sync.WaitGroup
	for part := range parts {
		all.Go(func() {
			e := entering{PersonReading: r, index: x, hashing: hashing{seed: x.seed}, accounts: make([]attempt.Account, batchSize)}
			for errs[part] == nil {
				last := attempt.ID(entered.Add(batchSize))
				first := last - batchSize + 1
				if first > r.Last {
					break
				}
				errs[part] = e.enter(first, min(last, r.Last))
			}
			lists[part] = e.lists
		})
	}
	all.Wait()
	x.lists = slices.Concat(lists...)
	slices.Sort(x.lists)
	x.lists = slices.Compact(x.lists)
	return x, errors.Join(errs...)
}

// entering enters attempts into an index. It reuses its memory.
type entering struct {
	PersonReading
	*index
	hashing  hashing
	members  numbered.Members
	texts    record.Texts
	accounts []attempt.Account // of the attempts that are entered together
	lists    []attempt.ID      // the attempts that may mention persons, or tell profiles
	// Decoding sets every member of both.
	subject record.Subject
	answer  record.Answer
}

// enter enters the attempts of a span. It decodes only what says who an attempt is about, and keeps no
// text of it.
func (e *entering) enter(first, last attempt.ID) error {
	clear(e.accounts)
	err := record.ScanIDs(e.Store, record.IntentPrefix, first, last, func(id attempt.ID, key, value []byte) error {
		err := record.DecodeFrom(&e.members, key, e.texts.Keep(value), &e.subject)
		e.accounts[id-first] = e.subject.Account
		entry := &e.entries[id-1]
		entry.key, entry.identityName = keyHash(e.subject.Key), e.hashing.identityName(e.subject.Identity)
		if err == nil && !isPerson(e.subject.Identity) && !e.subject.Erased {
			e.lists = append(e.lists, id)
		}
		return err
	})
	if err != nil {
		return err
	}
	return record.ScanIDs(e.Store, record.ResolutionPrefix, first, last, func(id attempt.ID, key, value []byte) error {
		if err := record.DecodeFrom(&e.members, key, e.texts.Keep(value), &e.answer); err != nil {
			return err
		}
		facts, err := e.factsOf(e.accounts[id-first], attempt.Resolution(e.answer))
		if facts.Read != nil || len(facts.Pages) > 0 {
			e.lists = append(e.lists, id)
		}
		entry := &e.entries[id-1]
		entry.answerName, entry.email, entry.phone = e.hashing.name(facts.Name), e.hashing.email(facts.Email), e.hashing.phone(facts.Phone)
		return err
	})
}

// hashing hashes texts in the form in which they are compared. It reuses its memory.
type hashing struct {
	seed maphash.Seed
	form []byte
}

func (h *hashing) identityName(id enrich.Identity) hash {
	if id.FirstName == "" {
		return 0
	}
	return h.name(id.FirstName + " " + id.LastName)
}

func (h *hashing) name(name string) hash {
	h.form = appendWords(h.form[:0], name)
	return h.hash()
}

func (h *hashing) email(email string) hash {
	h.form = appendEmail(h.form[:0], email)
	return h.hash()
}

func (h *hashing) phone(phone string) hash {
	h.form = appendDigits(h.form[:0], phone)
	return h.hash()
}

func (h *hashing) hash() hash {
	if len(h.form) == 0 {
		return 0
	}
	return max(1, hash(maphash.Bytes(h.seed, h.form)))
}

// keyHash returns a part of a key. A key is a hash already.
func keyHash(key enrich.Key) hash { return hash(binary.LittleEndian.Uint16(key[:])) }

// candidates returns the attempts that may share an identity, a name, an email or a phone with the person.
func (x *index) candidates(known *knowledge) (ids []attempt.ID) {
	keys, texts := map[hash]bool{}, map[hash]bool{}
	hashing := hashing{seed: x.seed}
	for key := range known.keys {
		keys[keyHash(key)] = true
	}
	for _, of := range []iter.Seq[string]{slices.Values(known.words), maps.Keys(known.emails), maps.Keys(known.phones)} {
		for text := range of {
			hashing.form = append(hashing.form[:0], text...)
			texts[hashing.hash()] = true
		}
	}
	for i := range x.entries {
		e := &x.entries[i]
		if keys[e.key] || texts[e.identityName] || texts[e.answerName] || texts[e.email] || texts[e.phone] {
			ids = append(ids, attempt.ID(i+1))
		}
	}
	return ids
}
