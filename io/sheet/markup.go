package sheet

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
)

// markup reads XML tokens together with their bytes, so that unchanged tokens can be copied byte for byte.
type markup struct {
	decoder *xml.Decoder
	source  recorder
}

// recorder keeps the bytes that were read from a source until they are taken.
type recorder struct {
	in    io.Reader
	bytes bytes.Buffer
	taken int64 // number of bytes taken
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

// next returns the next token and its bytes, which are valid until the next call. The end of an
// element without content has no bytes. After the last token it returns io.EOF.
func (m *markup) next() (xml.Token, []byte, error) {
	token, err := m.decoder.RawToken()
	if err != nil {
		return nil, nil, err
	}
	length := m.decoder.InputOffset() - m.source.taken
	m.source.taken += length
	return token, m.source.bytes.Next(int(length)), nil
}

// empty reports whether the bytes of a start are a whole element.
func empty(start []byte) bool { return bytes.HasSuffix(start, []byte("/>")) }

// attribute returns the value of an attribute without prefix, and "" when there is none.
func attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// copyWithout copies XML without the elements for which drop returns true.
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
