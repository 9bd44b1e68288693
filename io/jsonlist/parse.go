package jsonlist

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// whiteSpace is what may stand between the tokens of JSON.
const whiteSpace = " \t\r\n"

// parser reads one object after the other.
type parser struct {
	decoder *jsontext.Decoder
	in      *bytes.Buffer
	data    []byte
	name    []byte // of a member, when it has escapes
}

// begin begins to read data that an earlier pass read without an error.
func (p *parser) begin(data []byte) { p.reset(data, jsontext.AllowDuplicateNames(true)) }

func (p *parser) reset(data []byte, options ...jsontext.Options) {
	p.data, p.in = data, bytes.NewBuffer(data)
	if p.decoder == nil {
		p.decoder = jsontext.NewDecoder(p.in, options...)
		return
	}
	p.decoder.Reset(p.in, options...)
}

// skip skips a value and returns where it is.
func (p *parser) skip() (valueRange, error) {
	value, err := p.decoder.ReadValue()
	end := int(p.decoder.InputOffset())
	return valueRange{end - len(value), end}, err
}

// start returns where the next value begins.
func (p *parser) start() int {
	at := int(p.decoder.InputOffset())
	for at < len(p.data) && (p.data[at] == ',' || p.data[at] == ':' || bytes.IndexByte([]byte(whiteSpace), p.data[at]) >= 0) {
		at++
	}
	return at
}

// memberName reads the name of a member. It is valid until the next call.
func (p *parser) memberName() ([]byte, error) {
	quoted, err := p.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	p.name, err = jsontext.AppendUnquote(p.name[:0], quoted)
	return p.name, err
}

// each reads an object or array and calls visit before each value in it. visit reads the value. name is
// nil in an array.
func (p *parser) each(visit func(name []byte, index int) error) error {
	open, err := p.decoder.ReadToken()
	if err != nil {
		return err
	}
	end := jsontext.KindEndObject
	if open.Kind() == jsontext.KindBeginArray {
		end = jsontext.KindEndArray
	}
	for index := 0; p.decoder.PeekKind() != end; index++ {
		var name []byte
		if end == jsontext.KindEndObject {
			if name, err = p.memberName(); err != nil {
				return err
			}
		}
		if err := visit(name, index); err != nil {
			return err
		}
	}
	_, err = p.decoder.ReadToken()
	return err
}

// note adds the next value to the tree. After an error the tree is not used.
func (p *parser) note(n *node, depth int, line int64) error {
	kind := p.decoder.PeekKind()
	isObject := kind == jsontext.KindBeginObject
	if n == nil || !isObject && kind != jsontext.KindBeginArray || depth == maxDepth {
		value, err := p.decoder.ReadValue()
		if n == nil || err != nil {
			return err
		}
		switch kind {
		case jsontext.KindNull:
			n.blank = true
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			n.deep = n.deep || len(bytes.Trim(value[1:len(value)-1], whiteSpace)) > 0
			n.blank = true
		default:
			n.scalar = first(n.scalar, line)
		}
		return nil
	}
	empty := true
	err := p.each(func(name []byte, index int) error {
		empty = false
		if isObject {
			return p.note(n.member(name), depth+1, line)
		}
		return p.note(n.element(index), depth+1, line)
	})
	switch {
	case empty:
		n.blank = true
	case isObject:
		n.object = first(n.object, line)
	default:
		n.array = first(n.array, line)
	}
	return err
}

// want is what is read of a value.
type want struct {
	column   int // noColumn for none
	members  map[string]*want
	elements []*want
}

const noColumn = -1

// wantOf returns what is read for some columns.
func wantOf(columns []column, wanted []int) *want {
	root := &want{column: noColumn}
	for _, i := range wanted {
		at := root
		for _, s := range columns[i].steps() {
			at = at.below(s)
		}
		at.column = i
	}
	return root
}

// below returns the want of a value below, which it adds when it is missing.
func (w *want) below(s step) *want {
	if s.index != isMember {
		for len(w.elements) <= s.index {
			w.elements = append(w.elements, &want{column: noColumn})
		}
		return w.elements[s.index]
	}
	if w.members == nil {
		w.members = map[string]*want{}
	}
	if w.members[s.name] == nil {
		w.members[s.name] = &want{column: noColumn}
	}
	return w.members[s.name]
}

// read reads the next value into the cells of the wanted columns.
func (p *parser) read(w *want, cells []valueRange) error {
	kind := p.decoder.PeekKind()
	if w == nil || kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray ||
		kind == jsontext.KindBeginObject && w.members == nil || kind == jsontext.KindBeginArray && w.elements == nil {
		at, err := p.skip()
		if w != nil && w.column != noColumn && err == nil {
			cells[w.column] = at
		}
		return err
	}
	start := p.start()
	err := p.each(func(name []byte, index int) error {
		var below *want
		if name != nil {
			below = w.members[string(name)]
		} else if index < len(w.elements) {
			below = w.elements[index]
		}
		return p.read(below, cells)
	})
	if w.column != noColumn && err == nil {
		cells[w.column] = valueRange{start, int(p.decoder.InputOffset())}
	}
	return err
}
