package checkpoint

import (
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// An answer about a company names identities of it that it was not asked by: the id, numbers, the website, the name. The
// journal keeps under the key of each of them which subject was asked, in the commit of the answer. So a company that is
// known under one identity is not bought under another one.
//
// Former keys (former.go) lead from a key to another one, too. They are kept apart, because both keys are those of one
// identity: what is recorded under either is about it. An alias is what the service said of another identity, and a name
// or a website has those of several companies.
//
// An identity that names one company decides by itself: Begin refuses what was asked under its aliases. Websites and
// names need the rest of a row, which the journal does not have. Others read their aliases.

// aliased is an alias of some identities, which is not recorded yet.
type aliased struct {
	keys  []enrich.Key
	alias attempt.Alias
}

// Aliases returns the aliases of the identity with a key, as durable answers made them.
func (j *Journal) Aliases(key enrich.Key) ([]attempt.Alias, error) {
	known, _, err := record.Load[record.Aliases](j.store, record.AliasesKey(key))
	return known.All, err
}

// sameSubjects returns what is known of the subject of a request under other identities. The caller must hold the lock,
// so that no answer becomes visible meanwhile.
func (j *Journal) sameSubjects(id enrich.Identity, own enrich.Key, fields enrich.Fields) (same []decide.Other, err error) {
	if !id.IsExact() {
		return nil, nil
	}
	aliases, err := j.Aliases(own)
	if err != nil {
		return nil, err
	}
	for _, key := range attempt.SameSubjects(id, own, aliases) {
		known, _, err := j.recorded(key, key, nil, fields)
		if err == nil {
			err = j.addOpen(&known, key, key, nil, fields)
		}
		if err != nil {
			return nil, err
		}
		same = append(same, decide.Other{Key: key, Subject: j.state.subject(known, fields)})
	}
	return same, nil
}

// aliasWrites returns the writes that add the aliases of a batch to those that are recorded. The committer alone writes
// them, so what it reads is what is recorded.
func (j *Journal) aliasWrites(batch []*operation) (writes []Write, err error) {
	var keys []enrich.Key
	changed := map[enrich.Key][]attempt.Alias{}
	for _, op := range batch {
		for _, key := range op.aliased.keys {
			all, read := changed[key]
			if !read {
				if all, err = j.Aliases(key); err != nil {
					return nil, err
				}
			}
			if all, added := attempt.With(all, op.aliased.alias); added {
				changed[key] = all
				if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
	}
	for _, key := range keys {
		writes = append(writes, Write{Key: record.AliasesKey(key), Value: record.Encode(&record.Aliases{All: changed[key]})})
	}
	return writes, nil
}
