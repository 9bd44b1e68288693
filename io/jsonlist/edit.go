package jsonlist

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// errOccupied says that a value cannot be set, because another value is in its place.
var errOccupied = errors.New("the path needs an object or array, but has another value")

// editor changes objects that were read before.
type editor struct{ parser parser }

// edit puts text in the place of some bytes.
type edit struct {
	at   valueRange
	text []byte
}

func (e edit) apply(data []byte) []byte {
	return slices.Concat(data[:e.at.start], e.text, data[e.at.end:])
}

// set returns the object with a value at a path. It adds what is missing of the path.
func (e *editor) set(object []byte, path []step, value []byte) ([]byte, error) {
	at := valueRange{0, len(object)}
	for i, s := range path {
		found, isThere, err := e.find(object[at.start:at.end], s)
		if err != nil {
			return nil, err
		}
		found = valueRange{at.start + found.start, at.start + found.end}
		switch {
		case !isThere && isBlank(object[at.start:at.end]) && !opens(object[at.start], s):
			return edit{at, nested(path[i:], value)}.apply(object), nil
		case !isThere && !opens(object[at.start], s):
			return nil, errOccupied
		case !isThere:
			return e.insert(object, at, s, nested(path[i+1:], value))
		}
		at = found
	}
	return edit{at, value}.apply(object), nil
}

// opens reports whether a value that begins with a byte has values that such a step leads to.
func opens(begin byte, s step) bool {
	return begin == '{' && s.index == isMember || begin == '[' && s.index != isMember
}

// isBlank reports whether a value is null, or an empty array or object.
func isBlank(value []byte) bool {
	return value[0] == 'n' || (value[0] == '{' || value[0] == '[') && len(bytes.Trim(value[1:len(value)-1], whiteSpace)) == 0
}

// errFound ends the reading of a value.
var errFound = errors.New("found")

// find returns where the value is to which a step leads.
func (e *editor) find(value []byte, s step) (at valueRange, found bool, err error) {
	if !opens(value[0], s) {
		return at, false, nil
	}
	e.parser.begin(value)
	err = e.parser.each(func(name []byte, index int) error {
		here, err := e.parser.skip()
		if err == nil && (s.index == isMember && string(name) == s.name || s.index == index) {
			at, err = here, errFound
		}
		return err
	})
	if err == errFound {
		return at, true, nil
	}
	return at, false, err
}

// nested returns a value within the objects and arrays of a path.
func nested(path []step, value []byte) []byte {
	if len(path) == 0 {
		return value
	}
	inner := nested(path[1:], value)
	if path[0].index == isMember {
		return slices.Concat([]byte("{"), quote(path[0].name), []byte(":"), inner, []byte("}"))
	}
	return slices.Concat([]byte("["), bytes.Repeat([]byte("null,"), path[0].index), inner, []byte("]"))
}

// quote returns a name that was read before as JSON.
func quote(name string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, name) // it is UTF-8
	return quoted
}

// insert adds a value to the object or array at a place.
func (e *editor) insert(object []byte, at valueRange, s step, value []byte) ([]byte, error) {
	container := object[at.start:at.end]
	style, err := e.style(container)
	if err != nil {
		return nil, err
	}
	var text []byte
	if s.index == isMember {
		text = slices.Concat(quote(s.name), style.colon, value)
	} else {
		elements := 0
		e.parser.begin(container)
		if err := e.parser.each(func(_ []byte, index int) error {
			elements = index + 1
			_, err := e.parser.skip()
			return err
		}); err != nil {
			return nil, err
		}
		for range s.index - elements {
			text = slices.Concat(text, []byte("null"), style.comma)
		}
		text = append(text, value...)
	}
	if !style.empty {
		text = slices.Concat(style.comma, text)
	}
	end := at.start + style.end
	return edit{valueRange{end, end}, text}.apply(object), nil
}

// style says how the values of an object or array are separated.
type style struct {
	empty        bool
	end          int    // behind the last value
	comma, colon []byte // with white space
}

// style returns the style of the first values.
func (e *editor) style(container []byte) (style, error) {
	inner := container[1 : len(container)-1]
	s := style{end: 1 + len(bytes.TrimRight(inner, whiteSpace)), comma: []byte(","), colon: []byte(":")}
	if s.end == 1 {
		s.empty = true
		return s, nil
	}
	lead := inner[:len(inner)-len(bytes.TrimLeft(inner, whiteSpace))]
	e.parser.begin(container)
	if _, err := e.parser.decoder.ReadToken(); err != nil {
		return s, err
	}
	if container[0] == '{' {
		name, err := e.parser.skip()
		if err != nil {
			return s, err
		}
		s.colon = container[name.end:e.parser.start()]
	}
	value, err := e.parser.skip()
	if err != nil {
		return s, err
	}
	rest := container[value.end:]
	next := bytes.TrimLeft(rest, whiteSpace+",")
	switch {
	case bytes.IndexByte(lead, '\n') >= 0:
		s.comma = slices.Concat(s.comma, lead)
	case next[0] != '}' && next[0] != ']':
		s.comma = rest[:len(rest)-len(next)]
	case len(s.colon) > 1:
		s.comma = []byte(", ")
	}
	return s, nil
}

// add returns the object with members at its end. Names and values are JSON.
func (e *editor) add(buffer, object []byte, names, values [][]byte) ([]byte, error) {
	s, err := e.style(object)
	if err != nil {
		return nil, err
	}
	buffer = append(buffer, object[:s.end]...)
	for i, name := range names {
		if i > 0 || !s.empty {
			buffer = append(buffer, s.comma...)
		}
		buffer = append(buffer, name...)
		buffer = append(buffer, s.colon...)
		buffer = append(buffer, values[i]...)
	}
	return append(buffer, object[s.end:]...), nil
}
