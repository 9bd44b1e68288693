package checkpoint

import (
	"bytes"
	"cmp"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/numbered"
)

// An identity may have attempts under former keys: an earlier version of the program compared addresses in another
// form. Their records stay as they are. The journal knows which former keys an identity has, and reads the records of
// all its keys as one. What was paid under a former key is so found, and a call in doubt there blocks the next one.
//
// An attempt under a former key counts only for the identity that it was about: in the former form, several may have
// had one key. An attempt whose address had lost what names the person counts for nobody.

// formerKey leads from a key of an identity to a former one.
type formerKey struct{ key, former enrich.Key }

func (f formerKey) compare(other formerKey) int {
	return cmp.Or(bytes.Compare(f.key[:], other.key[:]), bytes.Compare(f.former[:], other.former[:]))
}

// formers returns the former keys of all identities, in their order. Nobody may change them.
func (j *Journal) formers() []formerKey {
	if all := j.former.Load(); all != nil {
		return *all
	}
	return nil
}

// formersIn returns the former keys of the identities whose keys are from first to last.
func (j *Journal) formersIn(first, last enrich.Key) []formerKey {
	all := j.formers()
	begin, _ := slices.BinarySearchFunc(all, formerKey{key: first}, formerKey.compare)
	end := begin
	for end < len(all) && bytes.Compare(all[end].key[:], last[:]) <= 0 {
		end++
	}
	return all[begin:end]
}

// hasFormers reports whether an identity has former keys.
func (j *Journal) hasFormers(key enrich.Key) bool {
	all := j.formers()
	at, _ := slices.BinarySearchFunc(all, formerKey{key: key}, formerKey.compare)
	return at < len(all) && all[at].key == key
}

// keysWith returns a key with the former ones of its identity. With the identity, they include the key of the form
// that it had in the spelling that is given: its attempts may be erased, so that nothing else leads to them.
func (j *Journal) keysWith(key enrich.Key, id *enrich.Identity) []enrich.Key {
	keys := append(make([]enrich.Key, 0, 2), key)
	for _, f := range j.formersIn(key, key) {
		keys = append(keys, f.former)
	}
	if id != nil {
		if former := id.Former(); former != "" {
			if own := j.KeyOf([]byte(former)); !slices.Contains(keys, own) {
				keys = append(keys, own)
			}
		}
	}
	return keys
}

// isAbout reports whether an attempt counts for the identity with a key. One that is erased does.
func (j *Journal) isAbout(in record.About, account attempt.Account, key enrich.Key) bool {
	return in.Erased || record.KeyIn(account, j.secret, record.HashKey(j.secret, in.Identity)) == key
}

// learnFormerOf notes the former key of an identity in its spelling, when something of it counts and no record leads to
// it: its attempts are erased. So it is found under other spellings as well. The caller must hold the lock, and then
// wait until the channel, if there is one, says that this is durable.
func (j *Journal) learnFormerOf(key enrich.Key, id enrich.Identity, known attempt.Record) (durable <-chan error, err error) {
	if known.States == (enrich.ByField[attempt.FieldState]{}) {
		return nil, nil
	}
	former := id.Former()
	if former == "" {
		return nil, nil
	}
	learned := formerKey{key, j.KeyOf([]byte(former))}
	if _, found := slices.BinarySearchFunc(j.formers(), learned, formerKey.compare); found {
		return nil, nil
	}
	under, _, err := j.recorded(learned.former, key, &id, j.fields)
	if err != nil || under.States == (enrich.ByField[attempt.FieldState]{}) {
		return nil, err
	}
	return j.enqueue(func() {
		if at, found := slices.BinarySearchFunc(j.formers(), learned, formerKey.compare); !found {
			all := slices.Insert(slices.Clone(j.formers()), at, learned)
			j.former.Store(&all)
		}
	}, formerWrite(learned)), nil
}

func formerWrite(f formerKey) Write {
	return Write{Key: record.FormerKey(f.key, f.former), Value: record.Encode(&record.OpenMark{})}
}

// formsStep is how many attempts may begin before the journal records that they have no former keys. The next opening
// reads the attempts since.
const formsStep = 1024

// formsWrite returns the write of the record that the attempts so far have been looked at, nil while it is not due.
func (j *Journal) formsWrite() []Write {
	if j.state.persisted.NextID < j.formsNext+formsStep {
		return nil
	}
	j.formsNext = j.state.persisted.NextID
	return []Write{formsRecord(j.formsNext)}
}

func formsRecord(next attempt.ID) Write {
	return Write{Key: record.FormsKey, Value: record.Encode(&record.Forms{Next: next})}
}

// recoverFormers loads the former keys, and looks for others in the attempts that no program with this form has looked
// at. It records what it finds, unless the journal is only read.
func (j *Journal) recoverFormers() error {
	forms, _, err := record.Load[record.Forms](j.store, record.FormsKey)
	if err != nil {
		return err
	}
	var all []formerKey
	err = j.store.Scan([]byte{record.FormerPrefix}, nil, func(name, _ []byte) (bool, error) {
		if key, former, ok := record.FormerOf(name); ok {
			all = append(all, formerKey{key, former})
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	next := j.state.persisted.NextID
	found, err := j.findFormers(max(1, forms.Next), next-1)
	if err != nil {
		return err
	}
	j.formsNext = max(1, forms.Next)
	if !j.readOnly() && (len(found) > 0 || next >= j.formsNext+formsStep) {
		if err := j.recordFormers(found, next); err != nil {
			return err
		}
		j.formsNext = next
	}
	all = append(all, found...)
	slices.SortFunc(all, formerKey.compare)
	all = slices.Clip(slices.Compact(all))
	j.former.Store(&all)
	return nil
}

// findFormers returns the former keys under which the attempts from first to last are recorded.
func (j *Journal) findFormers(first, last attempt.ID) (found []formerKey, err error) {
	var members numbered.Members
	var form []byte
	err = record.ScanIDs(j.store, record.IntentPrefix, first, last, func(_ attempt.ID, key, value []byte) error {
		var subject record.Subject
		err := record.DecodeFrom(&members, key, string(value), &subject)
		if subject.Identity.ProfileURL+subject.Identity.Company.ProfileURL == "" {
			return err // other identities have had one form only, and erased ones have none
		}
		form = subject.Identity.AppendCanonical(form[:0])
		if own := record.KeyIn(subject.Account, j.secret, record.KeyOf(j.secret, form)); own != subject.Key {
			found = append(found, formerKey{own, subject.Key})
		}
		return err
	})
	return found, err
}

// recordFormers records former keys, and then that the attempts before next have been looked at.
func (j *Journal) recordFormers(found []formerKey, next attempt.ID) error {
	var writes []Write
	size := 0
	for _, f := range found {
		writes = append(writes, formerWrite(f))
		if size += writes[len(writes)-1].Size(); size > record.CommitSize/2 {
			if err := j.store.Commit(writes); err != nil {
				return err
			}
			writes, size = nil, 0
		}
	}
	if len(found) > 0 { // other records than before are those of an identity
		_, change := newChange()
		writes = append(writes, change)
	}
	return j.store.Commit(append(writes, formsRecord(next)))
}

// asksAgain reports whether an attempt asked for a field that an earlier one had decided. The lock is held.
func (j *Journal) asksAgain(id attempt.ID, f enrich.Field) (bool, error) {
	in, err := j.intentOf(id)
	return len(in.Before[f]) > 0, err
}

// again reports whether an attempt asked for a field that an earlier one had decided.
type again func(id attempt.ID, f enrich.Field) (bool, error)

// asOne returns what is known of an identity by what is known of it under each of its keys.
func asOne(records []attempt.Record, asksAgain again) (known attempt.Record, err error) {
	known = records[0]
	for i := range records[1:] {
		if err := add(&known, &records[1+i], asksAgain); err != nil {
			return known, err
		}
	}
	return known, nil
}

// add adds what is known of an identity under another key. Of two answers the first one counts, unless the later call
// asked again: its decision took the earlier answer into account.
func add(known, other *attempt.Record, asksAgain again) error {
	for f := range other.States {
		if other.States[f] == attempt.Unasked {
			continue
		}
		earlier := slices.Concat(known.Earlier[f], other.Earlier[f])
		with, without := known, other
		if counts, err := counts(other, known, f, asksAgain); err != nil {
			return err
		} else if counts {
			with, without = other, known
		}
		if without.States[f] == attempt.PaidAndGone {
			earlier = append(earlier, without.Attempts[f])
		}
		known.States[f], known.Attempts[f], known.At[f] = with.States[f], with.Attempts[f], with.At[f]
		known.Kept[f] = with.Kept[f]
		slices.Sort(earlier)
		known.Earlier[f] = slices.Compact(earlier)
	}
	return nil
}

// counts reports whether what a says of a field counts, and not what b says.
func counts(a, b *attempt.Record, f int, asksAgain again) (bool, error) {
	isForgotten := a.States[f] == attempt.Forgotten || b.States[f] == attempt.Forgotten
	if !isForgotten && a.Attempts[f] != 0 && b.Attempts[f] != 0 {
		later := max(a.Attempts[f], b.Attempts[f])
		if again, err := asksAgain(later, enrich.Field(f)); again || err != nil {
			return a.Attempts[f] == later, err
		}
	}
	return isBefore(a, b, f), nil
}

// isBefore reports whether what a says of a field counts before what b says.
func isBefore(a, b *attempt.Record, f int) bool {
	order := func(state attempt.FieldState) int {
		switch state {
		case attempt.Forgotten:
			return 5
		case attempt.Found:
			return 4
		case attempt.OutcomeUnknown:
			return 3
		case attempt.PaidAndGone:
			return 2
		case attempt.Missing, attempt.Rejected:
			return 1
		default:
			return 0
		}
	}
	if isAfterLoss(a, b, f) || isAfterLoss(b, a, f) {
		return isAfterLoss(a, b, f)
	}
	if x, y := order(a.States[f]), order(b.States[f]); x != y {
		return x > y
	}
	if order(a.States[f]) == 1 {
		return a.At[f].After(b.At[f]) // the last one says when it may be asked for again
	}
	return a.Attempts[f] != 0 && (b.Attempts[f] == 0 || a.Attempts[f] < b.Attempts[f])
}

// isAfterLoss reports whether a was bought again because b was paid and is lost.
func isAfterLoss(a, b *attempt.Record, f int) bool {
	return b.States[f] == attempt.PaidAndGone && slices.Contains(a.Earlier[f], b.Attempts[f])
}
