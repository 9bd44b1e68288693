package csvtable

import (
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"payonce/io/table"
)

// fitter passes on the text of a further file of a list. The output has the encoding of
// the first file: what that cannot hold is an error whenever the list is read, at its
// place, and not only once the list is written.
type fitter struct {
	transform.NopResetter
	name, first string // of the file, and of the list's first one
	encoding    Encoding

	begun        bool
	line, column int64 // of what comes next
}

// fitting returns in, or a reader that finds what does not fit into the encoding of the
// list's first file.
func (s *scanner) fitting(in io.Reader) (fits io.Reader, changed bool) {
	if s.leader == nil || s.leader.dialect.Encoding == UTF8 || s.leader.dialect.Encoding == s.dialect.Encoding {
		return in, false
	}
	f := &fitter{name: s.name, first: s.leader.name, encoding: s.leader.dialect.Encoding, line: 1, column: 1}
	return transform.NewReader(in, f), true
}

func (f *fitter) Transform(dst, src []byte, last bool) (written, read int, err error) {
	for read < len(src) {
		if !last && !utf8.FullRune(src[read:]) {
			return written, read, transform.ErrShortSrc
		}
		char, size := utf8.DecodeRune(src[read:])
		text := src[read : read+size]
		if written+size > len(dst) {
			return written, read, transform.ErrShortDst
		}
		if isMark := !f.begun && string(text) == utf8Mark; char >= utf8.RuneSelf && !isMark {
			if _, lacks := f.encoding.lacks(string(text)); lacks {
				return written, read, f.fault(char, size)
			}
		}
		f.begun = true
		written += copy(dst[written:], text)
		read += size
		f.column += int64(size)
		if char == '\n' {
			f.line, f.column = f.line+1, 1
		}
	}
	return written, read, nil
}

func (f *fitter) fault(char rune, size int) error {
	what := fmt.Sprintf("the character %q (%U)", char, char)
	if char == utf8.RuneError && size == 1 {
		what = "a byte that is no UTF-8"
	}
	return &table.Error{
		File: f.name, Line: f.line, Column: f.column,
		Reason: fmt.Sprintf("%s has no place in %s, the encoding of %s and so of the output", what, f.encoding, f.first),
		Hint:   "name a file in UTF-8 first, or save all files of the list as UTF-8",
	}
}
