package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// class says what a byte of a text may need.
type class uint8

const (
	reference class = 1 << iota // begins a reference such as &amp;
	carriage                    // becomes a line feed
	bracket                     // may be of ]]>
	wide                        // of a character outside of ASCII
	illegal                     // no character
	less                        // begins a tag
	quote                       // ends a value
	named                       // may be in a name
)

// xmlSpecial are the classes that matter in a text.
const xmlSpecial = ^named

// classes has the class of each byte.
var classes = func() (of [256]class) {
	for b := range of {
		switch {
		case b == '\t' || b == '\n':
		case b == '\r':
			of[b] = carriage
		case b < ' ':
			of[b] = illegal
		case b >= utf8.RuneSelf:
			of[b] = wide | named
		case b == '_' || b == ':' || b == '.' || b == '-' || b >= '0' && b <= '9' ||
			b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z':
			of[b] = named
		}
	}
	of['&'], of['<'], of['>'], of['"'], of['\''] = reference, less, bracket, quote, quote
	return of
}()

// token finds the token at the start of data and returns its length.
func (r *xmlReader) token(data []byte) (XMLKind, int, error) {
	switch {
	case len(data) == 0 && r.ended:
		if len(r.opens) > 0 {
			return 0, 0, errMore
		}
		return 0, 0, io.EOF
	case len(data) < 2 && !r.ended:
		return 0, 0, errMore
	case data[0] != '<':
		return r.text(data)
	case len(data) < 2:
		return 0, 0, errMore
	}
	switch data[1] {
	case '/':
		return r.end(data)
	case '?':
		return instruction(data)
	case '!':
		return r.mark(data)
	}
	return r.start(data)
}

// text finds the end of a text before the next tag.
func (r *xmlReader) text(data []byte) (XMLKind, int, error) {
	length, flags := run(data, less)
	if length == len(data) && !r.ended {
		return 0, 0, errMore
	}
	r.inner, r.flags, r.cdata = span{0, length}, flags, false
	if flags&bracket != 0 && bytes.Contains(data[:length], []byte("]]>")) {
		return 0, 0, errors.New("]]> in a text")
	}
	return xmlText, length, check(data[:length], flags, true)
}

// run returns the length of a text before a byte of a class, and the classes of its bytes.
func run(data []byte, until class) (int, class) {
	var all class
	for i, b := range data {
		c := classes[b] & xmlSpecial
		if c&until != 0 {
			return i, all
		}
		all |= c
	}
	return len(data), all
}

// check refuses a text with bytes that are no characters or with wrong references.
func check(text []byte, flags class, references bool) error {
	if flags == 0 {
		return nil
	}
	if flags&illegal != 0 {
		return errors.New("a control character")
	}
	if flags&wide != 0 {
		if !utf8.Valid(text) {
			return errors.New("bytes that are not UTF-8")
		}
		if bytes.Contains(text, []byte("\uFFFE")) || bytes.Contains(text, []byte("\uFFFF")) {
			return errors.New("a code that is no character")
		}
	}
	for references && flags&reference != 0 {
		at := bytes.IndexByte(text, '&')
		if at < 0 {
			break
		}
		_, length := decodeReference(text[at:])
		if length == 0 {
			return fmt.Errorf("a wrong reference %.12q", text[at:])
		}
		text = text[at+length:]
	}
	return nil
}

// name returns the end of the name that begins at a place in data, and whether it may be one.
func name(data []byte, at int) (end int, err error) {
	colons, all := 0, class(0)
	for end = at; end < len(data); end++ {
		c := classes[data[end]]
		if c&named == 0 {
			break
		}
		if all |= c; data[end] == ':' {
			colons++
		}
	}
	switch {
	case end == len(data):
		return 0, errMore
	case end == at, colons > 1, data[at] == '.' || data[at] == '-' || data[at] >= '0' && data[at] <= '9',
		all&wide != 0 && !utf8.Valid(data[at:end]):
		return 0, errors.New("a wrong name")
	}
	return end, nil
}

// space returns the end of the white space at a place in data.
func space(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r') {
		at++
	}
	return at
}

// start reads the start of an element.
func (r *xmlReader) start(data []byte) (XMLKind, int, error) {
	nameEnd, err := name(data, 1)
	if err != nil {
		return 0, 0, err
	}
	r.attrs = r.attrs[:0]
	for at := nameEnd; ; {
		if at < len(data) && data[at] != '>' {
			at = space(data, at)
		}
		if at+1 >= len(data) && (at == len(data) || data[at] != '>') {
			return 0, 0, errMore
		}
		if isEmpty := data[at] == '/'; isEmpty || data[at] == '>' {
			if isEmpty {
				if at++; data[at] != '>' {
					return 0, 0, errors.New("/ without > behind it")
				}
			}
			if err := r.push(data[1:nameEnd]); err != nil {
				return 0, 0, err
			}
			r.empty = isEmpty
			return xmlStart, at + 1, nil
		}
		r.attrs = append(r.attrs, attr{})
		if at, err = r.attrs[len(r.attrs)-1].read(data, at); err != nil {
			return 0, 0, err
		}
	}
}

// read reads an attribute at a place in data, and returns its end.
func (a *attr) read(data []byte, at int) (end int, err error) {
	if a.name.to, err = name(data, at); err != nil {
		return 0, err
	}
	a.name.from = at
	if at = a.name.to; at+1 >= len(data) || data[at] != '=' || data[at+1] != '"' {
		if at, err = toValue(data, at); err != nil {
			return 0, err
		}
		at--
	}
	mark := data[at+1]
	a.value = span{at + 2, at + 2}
	a.flags = 0
	for {
		length, flags := run(data[a.value.to:], less|quote)
		a.value.to += length
		a.flags |= flags
		if a.value.to == len(data) {
			return 0, errMore
		}
		if data[a.value.to] == mark {
			break
		}
		if data[a.value.to] == '<' {
			return 0, errors.New("< in an attribute")
		}
		a.value.to++
	}
	return a.value.to + 1, check(data[a.value.from:a.value.to], a.flags, true)
}

// toValue returns the quote behind the name of an attribute, which ends at a place in data.
func toValue(data []byte, at int) (int, error) {
	if at = space(data, at); at == len(data) {
		return 0, errMore
	}
	if data[at] != '=' {
		return 0, errors.New("an attribute without a value")
	}
	if at = space(data, at+1); at == len(data) {
		return 0, errMore
	}
	if data[at] != '"' && data[at] != '\'' {
		return 0, errors.New("an attribute without quotes")
	}
	return at, nil
}

// push adds an open element.
func (r *xmlReader) push(name []byte) error {
	if len(r.opens) == maxDepth {
		return fmt.Errorf("more than %d open elements", maxDepth)
	}
	begin := len(r.open)
	local := begin
	for at, b := range name {
		if b == ':' && at > 0 && at < len(name)-1 {
			local += at + 1
		}
	}
	r.opens = append(r.opens, element{begin, local})
	r.open = append(r.open, name...)
	return nil
}

// end reads the end of an element.
func (r *xmlReader) end(data []byte) (XMLKind, int, error) {
	if open := r.full(); len(open) > 0 && len(data) > len("</")+len(open) && data[len("</")+len(open)] == '>' &&
		string(data[len("</"):len("</")+len(open)]) == string(open) {
		r.closed = true
		return xmlEnd, len("</>") + len(open), nil
	}
	nameEnd, err := name(data, len("</"))
	if err != nil {
		return 0, 0, err
	}
	at := space(data, nameEnd)
	switch {
	case at == len(data):
		return 0, 0, errMore
	case data[at] != '>':
		return 0, 0, errors.New("the end of an element has more than a name")
	case len(r.opens) == 0 || !bytes.Equal(r.full(), data[len("</"):nameEnd]):
		return 0, 0, fmt.Errorf("the end of %.40q, which is not open", data[len("</"):nameEnd])
	}
	r.closed = true
	return xmlEnd, at + 1, nil
}

// instruction reads a processing instruction.
func instruction(data []byte) (XMLKind, int, error) {
	nameEnd, err := name(data, len("<?"))
	if err != nil {
		return 0, 0, err
	}
	content := space(data, nameEnd)
	length := bytes.Index(data[content:], []byte("?>"))
	if length < 0 {
		return 0, 0, errMore
	}
	if string(data[len("<?"):nameEnd]) == "xml" {
		err = checkDeclaration(string(data[content : content+length]))
	}
	return xmlOther, content + length + len("?>"), err
}

// checkDeclaration refuses other versions of XML and other encodings than UTF-8.
func checkDeclaration(content string) error {
	if version := declared(content, "version="); version != "" && version != "1.0" {
		return fmt.Errorf("the version of XML is %.20q", version)
	}
	if encoding := declared(content, "encoding="); encoding != "" && !strings.EqualFold(encoding, "utf-8") {
		return fmt.Errorf("the encoding is %.20q and not UTF-8", encoding)
	}
	return nil
}

// declared returns the value behind a name, and "" when there is none.
func declared(content, name string) string {
	for {
		_, behind, found := strings.Cut(content, name)
		if !found || behind == "" {
			return ""
		}
		content = behind[1:]
		if mark := behind[:1]; mark == `"` || mark == `'` {
			value, _, closed := strings.Cut(content, mark)
			if !closed {
				return ""
			}
			return value
		}
	}
}

// mark reads a comment or a CDATA section.
func (r *xmlReader) mark(data []byte) (XMLKind, int, error) {
	const comment, section = "<!--", "<![CDATA["
	switch {
	case bytes.HasPrefix(data, []byte(comment)):
		length := bytes.Index(data[len(comment):], []byte("--"))
		end := len(comment) + length + len("--")
		switch {
		case length < 0 || end == len(data):
			return 0, 0, errMore
		case data[end] != '>':
			return 0, 0, errors.New("-- in a comment")
		}
		return xmlOther, end + 1, nil
	case bytes.HasPrefix(data, []byte(section)):
		length := bytes.Index(data[len(section):], []byte("]]>"))
		if length < 0 {
			return 0, 0, errMore
		}
		r.inner, r.cdata = span{len(section), len(section) + length}, true
		text := data[r.inner.from:r.inner.to]
		_, r.flags = run(text, 0)
		return xmlText, r.inner.to + len("]]>"), check(text, r.flags, false)
	case strings.HasPrefix(comment, string(data)), strings.HasPrefix(section, string(data)):
		return 0, 0, errMore
	}
	return 0, 0, errors.New("a document type declaration")
}
