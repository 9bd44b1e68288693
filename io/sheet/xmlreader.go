// This file reads the XML of a workbook with encoding/xml, token by token, each with its bytes.
//
// It refuses document type declarations, which a workbook must not have, and limits the size of a token and the
// depth of elements.

package sheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// XMLKind is the kind of a token.
type XMLKind uint8

// The kinds of tokens.
const (
	xmlStart XMLKind = iota + 1 // of an element
	xmlEnd                      // of an element
	xmlText                     // also a CDATA section
	xmlOther                    // a comment or a processing instruction
)

const (
	bufferSize = 64 << 10
	maxToken   = 16 << 20 // bytes
	maxDepth   = 256
)

// xmlReader reads tokens.
type xmlReader struct {
	in      io.Reader
	decoder *xml.Decoder // of the bytes of ReadByte
	data    []byte       // what was read
	at      int          // start of the token in data
	next    int          // end of the token in data
	read    int          // bytes of data that the decoder has
	taken   int64        // bytes before data
	err     error        // sticky
	failed  error        // of in

	kind   XMLKind
	text   xml.CharData
	attrs  []xml.Attr
	opens  []xml.Name // the open elements; the space is the prefix
	closed bool       // the last token closed an element
}

// newXMLReader returns a Reader of a part.
func newXMLReader(in io.Reader) *xmlReader {
	r := &xmlReader{in: in, data: make([]byte, 0, bufferSize)}
	r.decoder = xml.NewDecoder(bytesOf{r})
	return r
}

// bytesOf gives the decoder one byte after the other, so that it does not read ahead.
type bytesOf struct{ *xmlReader }

func (b bytesOf) Read([]byte) (int, error) { return 0, errors.ErrUnsupported } // encoding/xml calls ReadByte

func (b bytesOf) ReadByte() (byte, error) {
	r := b.xmlReader
	if r.read == len(r.data) {
		if r.failed = r.fill(); r.failed != nil {
			return 0, r.failed
		}
	}
	next := r.data[r.read]
	r.read++
	return next, nil
}

// SyntaxError is a fault of the XML.
type SyntaxError struct {
	Offset int64 // of the token, in bytes from 0
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("XML syntax error in the token at byte %d: %s", e.Offset, e.Reason)
}

// Next reads the next token. The end of an element without content, such as <a/>, is a token without bytes.
// After the last token it returns io.EOF.
func (r *xmlReader) Next() (XMLKind, error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.closed {
		r.closed = false
		r.opens = r.opens[:len(r.opens)-1]
	}
	r.at = r.next
	before := r.decoder.InputOffset()
	token, err := r.decoder.RawToken()
	if err == nil {
		r.next = r.at + int(r.decoder.InputOffset()-before)
		err = r.take(token)
	}
	if err != nil {
		r.err = r.fault(err)
		return 0, r.err
	}
	return r.kind, nil
}

// take keeps a token.
func (r *xmlReader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if len(r.opens) == maxDepth {
			return fmt.Errorf("more than %d open elements", maxDepth)
		}
		r.kind, r.attrs, r.opens = xmlStart, t.Attr, append(r.opens, t.Name)
	case xml.EndElement:
		if len(r.opens) == 0 || r.opens[len(r.opens)-1] != t.Name {
			return fmt.Errorf("the end of %.40q, which is not open", t.Name.Local)
		}
		r.kind, r.closed = xmlEnd, true
	case xml.CharData:
		r.kind, r.text = xmlText, t
	case xml.Directive:
		return errors.New("a document type declaration")
	default:
		r.kind = xmlOther
	}
	return nil
}

// fault returns the error of the token.
func (r *xmlReader) fault(err error) error {
	switch {
	case err == io.EOF && len(r.opens) == 0:
		return err
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	case r.failed != nil && r.failed != io.EOF:
		return r.failed
	}
	reason := err.Error()
	if wrong, ok := errors.AsType[*xml.SyntaxError](err); ok {
		reason = wrong.Msg // its line is wrong behind Rest
	}
	return &SyntaxError{r.taken + int64(r.at), reason}
}

// fill reads more behind the token.
func (r *xmlReader) fill() error {
	kept := copy(r.data, r.data[r.at:])
	r.taken += int64(r.at)
	r.read -= r.at
	r.at, r.next, r.data = 0, r.next-r.at, r.data[:kept]
	if 2*kept > cap(r.data) {
		if kept > maxToken {
			return &SyntaxError{r.taken, fmt.Sprintf("it has more than %d bytes", maxToken)}
		}
		r.data = append(make([]byte, 0, 2*cap(r.data)), r.data...)
	}
	length, err := io.ReadFull(r.in, r.data[kept:cap(r.data)])
	r.data = r.data[:kept+length]
	if err == io.ErrUnexpectedEOF {
		err = nil
	}
	return err
}

// Raw returns the bytes of the token. They are valid until Next is called.
func (r *xmlReader) Raw() []byte { return r.data[r.at:r.next] }

// Depth returns how many elements are open. The element that a token starts or ends is one of them.
func (r *xmlReader) Depth() int { return len(r.opens) }

// element returns the innermost open element.
func (r *xmlReader) element() (name xml.Name) {
	if last := len(r.opens) - 1; last >= 0 {
		return r.opens[last]
	}
	return name
}

// Name returns the name of the innermost open element without its prefix. At a start or an end it is the name
// of that element.
func (r *xmlReader) Name() string { return r.element().Local }

// Is reports whether the innermost open element has a name, without its prefix.
func (r *xmlReader) Is(name string) bool { return r.Name() == name }

// Prefix returns the prefix of the innermost open element with its colon, and "" without one.
func (r *xmlReader) Prefix() string {
	if space := r.element().Space; space != "" {
		return space + ":"
	}
	return ""
}

// Empty reports whether the bytes of a start are a whole element.
func (r *xmlReader) Empty() bool { return r.kind == xmlStart && r.data[r.next-2] == '/' }

// Attribute returns the value of an attribute without prefix of the element that the token starts, and ""
// when there is none.
func (r *xmlReader) Attribute(name string) string {
	if r.kind != xmlStart {
		return ""
	}
	for _, a := range r.attrs {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// AppendText appends the characters of a text.
func (r *xmlReader) AppendText(to []byte) []byte {
	if r.kind != xmlText {
		return to
	}
	return append(to, r.text...)
}

// Rest reads the rest of the element that the token starts, when the rest is before, then a text without
// references, then behind. The caller passes a behind that ends with the end of the element. Rest returns the
// text and true, and the token is then all that it read. Otherwise it reads nothing and returns false. For the
// few forms that most cells have, it takes a fraction of the time of Next.
func (r *xmlReader) Rest(before, behind string) (text []byte, found bool) {
	if r.kind != xmlStart || r.Empty() {
		return nil, false
	}
	data := r.data[r.next:]
	if len(data) < len(before) || string(data[:len(before)]) != before {
		return nil, false
	}
	text = data[len(before):]
	for length, b := range text {
		if notPlain(b) {
			text = text[:length]
			break
		}
	}
	end := len(before) + len(text) + len(behind)
	if end > len(data) || string(data[end-len(behind):end]) != behind || !utf8.Valid(text) {
		return nil, false
	}
	r.at, r.next, r.read = r.next, r.next+end, r.next+end // behind a start the decoder has no more bytes
	r.kind, r.closed = xmlEnd, true
	return text, true
}

// notPlain reports whether a byte of a text is not itself, or may be none of a character. 0xef begins the two
// codes that are no characters.
func notPlain(b byte) bool {
	return b == '<' || b == '>' || b == '&' || b == 0xef || b < ' ' && b != '\t' && b != '\n'
}

// Skip reads up to the end of the element that the token starts.
func (r *xmlReader) Skip() error {
	for depth := r.Depth(); ; {
		kind, err := r.Next()
		if err != nil {
			return err
		}
		if kind == xmlEnd && r.Depth() == depth {
			return nil
		}
	}
}
