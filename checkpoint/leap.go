package checkpoint

import "payonce/attempt"

// leaper is a Store that can leave out records on its way through many, for less than a
// scan for each that is wanted.
type leaper interface {
	// Leap is Scan, but that visit may say from which key to go on, when that is not the
	// next: a key behind the one that it was shown. It may use the same memory again for
	// every such key.
	Leap(prefix, from []byte, visit func(key, value []byte) (more bool, to []byte, err error)) error
}

// leap is Leap for every store.
func leap(store Store, prefix, from []byte, visit func(key, value []byte) (more bool, to []byte, err error)) error {
	if store, ok := store.(leaper); ok {
		return store.Leap(prefix, from, visit)
	}
	for again := true; again; {
		again = false
		err := store.Scan(prefix, from, func(key, value []byte) (bool, error) {
			more, to, err := visit(key, value)
			if more && to != nil {
				from, again = to, true
			}
			return more && !again, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// nearby is how many records are read on the way to one that is wanted, before it is
// looked for instead: that takes about ten times as long as to read the next.
const nearby = 8

// eachRecord hands the records of attempts, whose numbers ascend, to visit, with the
// place of their number among ids. Those that are not there are left out.
func eachRecord(store Store, prefix byte, ids []attempt.ID, visit func(i int, key, value []byte) error) error {
	if len(ids) == 0 {
		return nil
	}
	i, wanted := 0, idKey(prefix, ids[0])
	return leap(store, []byte{prefix}, wanted, func(key, value []byte) (bool, []byte, error) {
		id := idOf(key)
		for i < len(ids) && ids[i] < id {
			i++
		}
		if i < len(ids) && ids[i] == id {
			if err := visit(i, key, value); err != nil {
				return false, nil, err
			}
			i++
		}
		if i == len(ids) {
			return false, nil, nil
		}
		if ids[i]-id <= nearby {
			return true, nil, nil
		}
		wanted = appendIDKey(wanted[:0], prefix, ids[i])
		return true, wanted, nil
	})
}
