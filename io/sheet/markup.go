package sheet

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
)

// markup reads XML token by token along with the bytes that each was, so that what is
// not changed is copied as it is.
type markup struct {
	decoder *xml.Decoder
	source  recorder
}

// recorder keeps what was read from a source until it is taken.
type recorder struct {
	in    io.Reader
	bytes bytes.Buffer
	taken int64 // bytes before those kept
}

func (r *recorder) Read(data []byte) (int, error) {
	length, err := r.in.Read(data)
	r.bytes.Write(data[:length])
	return length, err
}

func newMarkup(in io.Reader) *markup {
	m := &markup{source: recorder{in: in}}
	m.decoder = xml.NewDecoder(&m.source)
	return m
}

// next returns the next token and its bytes, which are valid until the call after.
// The end of an element that has no content has no bytes. The error is io.EOF at the
// end.
func (m *markup) next() (xml.Token, []byte, error) {
	token, err := m.decoder.RawToken()
	if err != nil {
		return nil, nil, err
	}
	length := m.decoder.InputOffset() - m.source.taken
	m.source.taken += length
	return token, m.source.bytes.Next(int(length)), nil
}

// empty reports whether the bytes of a start are those of a whole element.
func empty(start []byte) bool { return bytes.HasSuffix(start, []byte("/>")) }

// attribute returns an attribute without prefix; "" when it is not there.
func attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// copyWithout copies XML but for the elements that drop names.
func copyWithout(out io.Writer, in io.Reader, drop func(xml.StartElement) bool) error {
	m := newMarkup(in)
	dropping := 0 // elements that are open
	for {
		token, raw, err := m.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		start, starts := token.(xml.StartElement)
		_, ends := token.(xml.EndElement)
		if starts && (dropping > 0 || drop(start)) {
			dropping++
		}
		if dropping == 0 {
			if _, err := out.Write(raw); err != nil {
				return err
			}
		}
		if ends && dropping > 0 {
			dropping--
		}
	}
}
