// This file reads the XML of a workbook, token by token, each with its bytes. encoding/xml takes several
// times as long, because it makes several values of every token.
//
// The Reader finds the same faults as encoding/xml, with three exceptions. It refuses document type
// declarations, which a workbook must not have. It does not know which letters outside of ASCII a name may
// have. It limits the size of a token and the depth of elements.

package sheet

import (
	"errors"
	"fmt"
	"io"
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
	in    io.Reader
	data  []byte // what was read
	at    int    // start of the token in data
	next  int    // end of the token in data
	taken int64  // bytes before data
	ended bool   // in has no more
	err   error  // sticky

	kind   XMLKind
	flags  class // of a text
	inner  span  // a text without the marks of CDATA
	cdata  bool
	attrs  []attr
	empty  bool // the end of the element is still to come
	closed bool // the last token closed an element

	open  []byte    // names of the open elements, one after the other
	opens []element // one for each of them
}

// element is an open element.
type element struct {
	name  int // where its name begins in open
	local int // where its name without prefix begins
}

// span is a range of bytes from the start of the token.
type span struct{ from, to int }

type attr struct {
	name, value span
	flags       class // of the value
}

// newXMLReader returns a Reader of a part.
func newXMLReader(in io.Reader) *xmlReader {
	return &xmlReader{in: in, data: make([]byte, 0, bufferSize)}
}

// SyntaxError is a fault of the XML.
type SyntaxError struct {
	Offset int64 // of the token, in bytes from 0
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("XML syntax error in the token at byte %d: %s", e.Offset, e.Reason)
}

// errMore says that a token does not end in what was read.
var errMore = errors.New("the token does not end")

// Next reads the next token. The end of an element without content, such as <a/>, is a token without bytes.
// After the last token it returns io.EOF.
func (r *xmlReader) Next() (XMLKind, error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.closed {
		r.closed = false
		last := len(r.opens) - 1
		r.open, r.opens = r.open[:r.opens[last].name], r.opens[:last]
	}
	r.at = r.next
	if r.empty {
		r.empty, r.closed, r.kind = false, true, xmlEnd
		return xmlEnd, nil
	}
	kind, err := r.scan()
	if err != nil {
		r.err = err
		return 0, err
	}
	r.kind = kind
	return kind, nil
}

func (r *xmlReader) scan() (XMLKind, error) {
	for {
		kind, length, err := r.token(r.data[r.at:])
		if err == nil {
			r.next = r.at + length
			return kind, nil
		}
		if err != errMore || r.ended {
			return 0, r.fault(err)
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
}

// fault returns the error of the token.
func (r *xmlReader) fault(err error) error {
	if err == io.EOF {
		return err
	}
	reason := err.Error()
	if err == errMore {
		reason = "unexpected end"
	}
	return &SyntaxError{r.taken + int64(r.at), reason}
}

// fill reads more behind the token.
func (r *xmlReader) fill() error {
	kept := copy(r.data, r.data[r.at:])
	r.taken += int64(r.at)
	r.at, r.next, r.data = 0, 0, r.data[:kept]
	if 2*kept > cap(r.data) {
		if kept > maxToken {
			return &SyntaxError{r.taken, fmt.Sprintf("it has more than %d bytes", maxToken)}
		}
		r.data = append(make([]byte, 0, 2*cap(r.data)), r.data...)
	}
	length, err := io.ReadFull(r.in, r.data[kept:cap(r.data)])
	r.data = r.data[:kept+length]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		r.ended, err = true, nil
	}
	return err
}

// Raw returns the bytes of the token. They are valid until Next is called.
func (r *xmlReader) Raw() []byte { return r.data[r.at:r.next] }

// Depth returns how many elements are open. The element that a token starts or ends is one of them.
func (r *xmlReader) Depth() int { return len(r.opens) }

// Name returns the name of the innermost open element without its prefix. At a start or an end it is the name
// of that element.
func (r *xmlReader) Name() []byte {
	if len(r.opens) == 0 {
		return nil
	}
	return r.open[r.opens[len(r.opens)-1].local:]
}

// Is reports whether the innermost open element has a name, without its prefix.
func (r *xmlReader) Is(name string) bool { return string(r.Name()) == name }

// Prefix returns the prefix of the innermost open element with its colon, and "" without one.
func (r *xmlReader) Prefix() string {
	if len(r.opens) == 0 {
		return ""
	}
	last := r.opens[len(r.opens)-1]
	return string(r.open[last.name:last.local])
}

// full returns the name of the innermost open element with its prefix.
func (r *xmlReader) full() []byte {
	if len(r.opens) == 0 {
		return nil
	}
	return r.open[r.opens[len(r.opens)-1].name:]
}

// Empty reports whether the bytes of a start are a whole element.
func (r *xmlReader) Empty() bool { return r.kind == xmlStart && r.empty }

// Attribute returns the value of an attribute without prefix of the element that the token starts, and nil
// when there is none. The value is valid until Next is called.
func (r *xmlReader) Attribute(name string) []byte {
	if r.kind != xmlStart {
		return nil
	}
	token := r.Raw()
	for _, a := range r.attrs {
		if string(token[a.name.from:a.name.to]) != name {
			continue
		}
		value := token[a.value.from:a.value.to:a.value.to]
		if a.flags&(reference|carriage) == 0 {
			return value
		}
		return appendDecoded([]byte{}, value, true)
	}
	return nil
}

// AppendText appends the characters of a text.
func (r *xmlReader) AppendText(to []byte) []byte {
	if r.kind != xmlText {
		return to
	}
	text := r.Raw()[r.inner.from:r.inner.to]
	if r.flags&(reference|carriage) == 0 || r.cdata && r.flags&carriage == 0 {
		return append(to, text...)
	}
	return appendDecoded(to, text, !r.cdata)
}

// Rest reads the rest of the element that the token starts, when the rest is before, then a text without
// references, then behind. The caller passes a behind that ends with the end of the element. Rest returns the
// text and true, and the token is then all that it read. Otherwise it reads nothing and returns false. For the
// few forms that most cells have, it takes a fraction of the time of Next.
func (r *xmlReader) Rest(before, behind string) (text []byte, found bool) {
	if r.kind != xmlStart || r.empty {
		return nil, false
	}
	data := r.data[r.next:]
	if len(data) < len(before) || string(data[:len(before)]) != before {
		return nil, false
	}
	length, flags := run(data[len(before):], less)
	text = data[len(before) : len(before)+length]
	end := len(before) + length + len(behind)
	if end > len(data) || string(data[end-len(behind):end]) != behind ||
		flags&^wide != 0 || check(text, flags, false) != nil {
		return nil, false
	}
	r.at, r.next = r.next, r.next+end
	r.kind, r.closed = xmlEnd, true
	return text, true
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
