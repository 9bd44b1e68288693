package badgerstore

import "bytes"

// walk verifies tables as a scan comes to them.
type walk struct {
	guard *guard
	at    []byte // all before it is verified
	clear []byte // nothing is left to verify before it; nil is nothing known
	done  bool   // nothing is left at all
}

func (g *guard) walkFrom(from []byte) *walk { return &walk{guard: g, at: bytes.Clone(from)} }

// key verifies what may hold keys up to this one, which the scan has come to.
func (w *walk) key(key []byte) error {
	if w.done || w.clear != nil && bytes.Compare(key, w.clear) < 0 {
		return nil
	}
	if err := w.guard.vouch(w.at, key); err != nil {
		return err
	}
	w.at = bytes.Clone(key)
	next, found := w.guard.next(key)
	w.clear, w.done = next, !found
	return nil
}

// seek goes on from a key above all that the scan came to. The tables before it need not be
// verified.
func (w *walk) seek(to []byte) { w.at = append(w.at[:0], to...) }

// end verifies what may hold more keys with a prefix, of which the scan found none.
func (w *walk) end(prefix []byte) error {
	if w.done {
		return w.guard.err()
	}
	return w.guard.vouch(w.at, after(prefix))
}

// after returns the first key behind those with a prefix, nil when there is none.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}
