package record

// Visit is called with a record. It returns whether to go on, and from which key; a nil key
// is the next one. That key must be above the record's. Visit may use the memory of the key
// again for the next one.
type Visit func(key, value []byte) (more bool, to []byte, err error)

// seeker is a Store that can skip records at less cost than a new scan.
type seeker interface {
	// Seek is a Scan in which visit may say from which key to go on.
	Seek(prefix, from []byte, visit Visit) error
}

// Seek scans a store, and skips to where visit says. It works on every store, and is fast
// on one that has a method Seek.
func Seek(s Store, prefix, from []byte, visit Visit) error {
	if s, ok := s.(seeker); ok {
		return s.Seek(prefix, from, visit)
	}
	for again := true; again; {
		again = false
		err := s.Scan(prefix, from, func(key, value []byte) (bool, error) {
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
