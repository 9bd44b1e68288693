package checkpoint

import (
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// An answer about a company names identities that the call did not use: the id, numbers, the website, the name. The
// commit of the answer records, under the key of each of them, which subject was asked. So a company that was bought by
// one identity is not bought again by another one.
//
// Former keys (former.go) also connect two keys. They are kept apart, because a former key belongs to the same identity:
// whatever is recorded under either key is about it. An alias says only what the service answered about another identity,
// and a name or a website can have aliases of several companies.
//
// When an identity names one company, its aliases are enough: Begin refuses what was asked under them. For a website or a
// name the rest of the row decides, which the journal does not have. So it only returns their aliases.

// aliased is an alias of some identities that is not recorded yet.
type aliased struct {
	keys  []enrich.Key
	alias attempt.Alias
}

// Aliases returns the aliases of the identity with a key. They come from durable answers.
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
