// This file makes contact lists for tests and benchmarks. A list is a pure function of its Spec: the same one gives
// the same bytes on every machine.
//
// Nobody in them exists: addresses end in .example, and phone numbers are of the range that is reserved for
// fiction.

package world

import (
	"fmt"
	"io"
)

// ListColumns are the names in the header of a list.
func ListColumns() []string {
	return []string{"id", "first_name", "last_name", "linkedin_url", "company", "website", "email", "phone", "notes"}
}

// ListSpec says what a list looks like. Shares are parts of the rows from 0 to 1, met by
// chance row by row, so a long list comes closer to them than a short one.
type ListSpec struct {
	Seed uint64
	Rows int // without the header

	// DuplicateShare of the rows name the person of an earlier row again, in another
	// spelling; they share an identity.
	DuplicateShare float64

	// The first three say how people can be identified and add up to at most 1; the
	// rest has a name and the company's name only. Every person with a profile URL has
	// a name and a company's name too.
	ProfileShare        float64 // a profile URL
	WebsiteShare        float64 // a name and the company's website
	UnidentifiableShare float64 // neither, for want of a last name or of the company

	FilledEmailShare   float64
	FilledPhoneShare   float64
	UnicodeShare       float64 // names with letters beyond ASCII
	QuotedNewlineShare float64 // notes in quotes with a line break, a delimiter and quotes in them
}

// DefaultList returns the spec of a list as a sales team may have it; its rows have about
// 137 bytes.
func DefaultList(seed uint64, rows int) ListSpec {
	return ListSpec{
		Seed: seed, Rows: rows,
		DuplicateShare: 0.05,
		ProfileShare:   0.55, WebsiteShare: 0.25, UnidentifiableShare: 0.02,
		FilledEmailShare: 0.3, FilledPhoneShare: 0.2,
		UnicodeShare: 0.1, QuotedNewlineShare: 0.02,
	}
}

// LargeList returns the spec of the lists that speed is measured on: those of Default with
// three times as many duplicates, as lists have that were put together from others.
func LargeList(seed uint64, rows int) ListSpec {
	spec := DefaultList(seed, rows)
	spec.DuplicateShare = 0.15
	return spec
}

// flushSize is how much is gathered before it is written, in bytes.
const flushSize = 256 << 10

// WriteListCSV writes the list with a header, commas and LF.
func WriteListCSV(w io.Writer, spec ListSpec) error {
	if err := spec.check(); err != nil {
		return err
	}
	buffer := appendHeader(make([]byte, 0, flushSize+4<<10))
	for row := range spec.Rows {
		buffer = spec.appendRow(buffer, row)
		if len(buffer) >= flushSize {
			if _, err := w.Write(buffer); err != nil {
				return err
			}
			buffer = buffer[:0]
		}
	}
	_, err := w.Write(buffer)
	return err
}

func appendHeader(buffer []byte) []byte {
	for i, name := range ListColumns() {
		if i > 0 {
			buffer = append(buffer, ',')
		}
		buffer = append(buffer, name...)
	}
	return append(buffer, '\n')
}

func (s ListSpec) check() error {
	if s.Rows < 0 {
		return fmt.Errorf("lists: %d rows; give 0 or more", s.Rows)
	}
	for _, share := range []float64{
		s.DuplicateShare, s.ProfileShare, s.WebsiteShare, s.UnidentifiableShare,
		s.ProfileShare + s.WebsiteShare + s.UnidentifiableShare,
		s.FilledEmailShare, s.FilledPhoneShare, s.UnicodeShare, s.QuotedNewlineShare,
	} {
		if !(share >= 0 && share <= 1+1e-9) { // also refuses NaN; sums of shares round
			return fmt.Errorf("lists: a share is %v; give 0 to 1, also for the sum of the kinds of people", share)
		}
	}
	return nil
}
