package persons

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"

	"payonce/attempt"
	"payonce/checkpoint/outcomes"
	"payonce/enrich"
)

// index has a hash of each thing that says who an attempt is about: it finds the few attempts
// that have to be compared.
type index struct {
	seed    maphash.Seed
	entries []entry      // of the attempts from 1 on
	lists   []attempt.ID // the attempts whose answers list persons; each is compared
}

// entry takes 20 bytes for an attempt. A hash of nothing is zero. Equal hashes of different texts do not
// matter: what is found is compared.
type entry struct {
	key, identityName, answerName, email, phone uint32
}

// index reads the journal once, on all cores.
func (r Reading) index() (*index, error) {
	x := &index{seed: maphash.MakeSeed(), entries: make([]entry, r.Last)}
	parts := attempt.ID(runtime.GOMAXPROCS(0))
	errs, lists := make([]error, parts), make([][]attempt.ID, parts)
	var all sync.WaitGroup
	for part := range parts {
		first, last := r.Last*part/parts+1, r.Last*(part+1)/parts
		all.Go(func() {
			errs[part] = outcomes.EachAttempt(r.Store, first, last, func(a *outcomes.Attempt) error {
				m, err := r.matchOf(a)
				x.entries[a.ID-1] = x.entryOf(m)
				if len(m.Facts.Listed) > 0 {
					lists[part] = append(lists[part], a.ID)
				}
				return err
			})
		})
	}
	all.Wait()
	x.lists = slices.Concat(lists...)
	return x, errors.Join(errs...)
}

func (x *index) entryOf(m Match) entry {
	return entry{
		key: keyHash(m.Key), identityName: x.hash(nameOf(m.Identity)), answerName: x.hash(foldName(m.Facts.Name)),
		email: x.hash(foldEmail(m.Facts.Email)), phone: x.hash(digits(m.Facts.Phone)),
	}
}

// keyHash returns a part of a key, which is a hash already.
func keyHash(key enrich.Key) uint32 { return binary.LittleEndian.Uint32(key[:]) }

func (x *index) hash(text string) uint32 {
	if text == "" {
		return 0
	}
	return max(1, uint32(maphash.String(x.seed, text)))
}

// candidates returns the attempts that share something with the person.
func (x *index) candidates(known *knowledge) (ids []attempt.ID) {
	keys, texts := map[uint32]bool{}, map[uint32]bool{}
	for key := range known.keys {
		keys[keyHash(key)] = true
	}
	for _, of := range []map[string]bool{known.names, known.emails, known.phones} {
		for text := range of {
			texts[x.hash(text)] = true
		}
	}
	for i := range x.entries {
		e := &x.entries[i]
		if keys[e.key] || texts[e.identityName] || texts[e.answerName] || texts[e.email] || texts[e.phone] {
			ids = append(ids, attempt.ID(i+1))
		}
	}
	return append(ids, x.lists...)
}
