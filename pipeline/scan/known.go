package scan

import "payonce/enrich"

// Known finds out whether the company of a row is known by another identity than that of the row. The result depends
// only on the row and the journal. It may be called from many goroutines.
type Known interface {
	// As takes an identity of a company and its key. It returns the identity by which the company is known, or the given
	// one when the company is not known by another. The function describe returns what the row says of its company.
	As(id enrich.Identity, key enrich.Key, describe func(*enrich.Described)) (enrich.Identity, error)
	// IsAlias reports whether an answer about a subject named another identity. Both are given by their keys.
	IsAlias(identity, subject enrich.Key) (bool, error)
	// Refuses reports whether the journal refuses a call by an identity with its key, because another identity of the same
	// company was answered or may have been charged.
	Refuses(id enrich.Identity, key enrich.Key) (bool, error)
}

// ByOwn returns the scope in which each row has its own identity, also where its company is known by another one.
func (s Scope) ByOwn() Scope {
	s.Known = nil
	return s
}

// knownAs returns the identity by which the company of the row is known. Err returns its error.
func (r *RowReader) knownAs(id enrich.Identity) enrich.Identity {
	if r.known == nil || r.keyOf == nil {
		return id
	}
	if !r.isKnown {
		r.isKnown = true
		r.canonical = id.AppendCanonical(r.canonical[:0])
		if r.as, r.err = r.known.As(id, r.keyOf(r.canonical), r.Describe); r.err != nil {
			r.as = id
		}
	}
	return r.as
}

// Err returns the error of reading the identity by which the company of the row is known.
func (r *RowReader) Err() error { return r.err }
