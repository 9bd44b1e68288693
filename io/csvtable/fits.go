package csvtable

import (
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"payonce/io/table"
)

// fitter reads the text of a further file of a list. The output has the encoding of the first file.
// fitter returns an error at the place of a character that this encoding does not have, so that the
// error comes before the output is written.
type fitter struct {
	transform.NopResetter
	name, first string // names of the file and of the first file
	encoding    Encoding

	begun        bool
	line, column int64 // of the next character
}

// fitting returns in, or a fitter when the encoding of the first file does not have every character.
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
		what = "a byte that is not UTF-8"
	}
	return &table.Error{
		File: f.name, Line: f.line, Column: f.column,
		Reason: fmt.Sprintf("%s cannot be written in %s, the encoding of %s and of the output",
			what, f.encoding, f.first),
		Hint: "name a file in UTF-8 first, or save all files of the list as UTF-8",
	}
}
