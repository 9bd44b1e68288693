package service

import "unicode/utf8"

// split is a JSON parser that finds where values begin and end. It accepts the same input as jsontext with duplicate
// names and invalid UTF-8 allowed. Answers have thousands of values, and jsontext takes more than twice as long
// (BenchmarkEachMember).
type split struct {
	data []byte
	at   int // the offset of the next byte
}

// deepestValue is the greatest nesting depth, which is that of jsontext.
const deepestValue = 10_000

// next skips white space and returns the next byte, which it does not skip; 0 at the end.
func (s *split) next() byte {
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take skips white space, and c if it is the next byte. It reports whether it was.
func (s *split) take(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] == c { // most have no white space
		s.at++
		return true
	}
	if s.next() != c || s.at == len(s.data) {
		return false
	}
	s.at++
	return true
}

// value returns the next value, at a nesting depth; nil when there is no valid one.
func (s *split) value(depth int) []byte {
	kind := s.next()
	begin, ok := s.at, false
	switch kind {
	case '{', '[':
		ok = depth < deepestValue && s.each(kind, depth, nil)
	case '"':
		_, ok = s.text()
	case 't':
		ok = s.word("true")
	case 'f':
		ok = s.word("false")
	case 'n':
		ok = s.word("null")
	default:
		ok = s.number()
	}
	if !ok {
		return nil
	}
	return s.data[begin:s.at:s.at]
}

// each calls visit for the members of an object ('{') or the elements of an array ('['), at a nesting depth. It reports
// false when the next value is not a valid one of that kind, or when a visit returns false. A name is the JSON string
// with its quotes; isPlain says that it needs no decoding (see text). In an array the name is nil. Visit may be nil.
func (s *split) each(kind byte, depth int, visit func(name []byte, isPlain bool, value []byte) bool) bool {
	end := kind + 2 // of '{' it is '}', of '[' it is ']'
	if !s.take(kind) {
		return false
	}
	if s.take(end) {
		return true
	}
	for {
		var name []byte
		isPlain := false
		if kind == '{' {
			if s.next() != '"' {
				return false
			}
			begin, ok := s.at, false
			if isPlain, ok = s.text(); !ok {
				return false
			}
			name = s.data[begin:s.at:s.at]
			if !s.take(':') {
				return false
			}
		}
		value := s.value(depth + 1)
		if value == nil || visit != nil && !visit(name, isPlain, value) {
			return false
		}
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// text skips a string. It reports whether the string has only ASCII characters and no escapes, and whether it is valid.
func (s *split) text() (isPlain, ok bool) {
	isPlain = true
	data := s.data
	for i := s.at + 1; i < len(data); i++ {
		c := data[i]
		if isPlainText[c] { // most characters
			continue
		}
		switch {
		case c == '"':
			s.at = i + 1
			return isPlain, true
		case c < ' ':
			return false, false
		case c == '\\':
			length := escape(data[i:])
			if length == 0 {
				return false, false
			}
			i += length - 1
		}
		isPlain = false
	}
	return false, false
}

// isPlainText says of each byte whether it is an ASCII character that stands for itself in a string.
var isPlainText = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// escape returns the length of the escape sequence at the beginning of text; 0 when it is not valid.
func escape(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		const length = 6
		if len(text) < length {
			return 0
		}
		for _, c := range text[2:length] {
			if !isDigit(c) && (c|' ' < 'a' || c|' ' > 'f') {
				return 0
			}
		}
		return length
	}
	return 0
}

// word skips a literal, such as null, and reports whether it is next.
func (s *split) word(word string) bool {
	if len(s.data)-s.at < len(word) || string(s.data[s.at:s.at+len(word)]) != word {
		return false
	}
	s.at += len(word)
	return true
}

// number skips a number, and reports whether it is valid.
func (s *split) number() bool {
	i := s.at
	if s.is(i, '-', '-') {
		i++
	}
	begin := i
	if i = s.behindDigits(i); i == begin || s.data[begin] == '0' && i > begin+1 {
		return false
	}
	if s.is(i, '.', '.') {
		begin = i + 1
		if i = s.behindDigits(begin); i == begin {
			return false
		}
	}
	if s.is(i, 'e', 'E') {
		if begin = i + 1; s.is(begin, '+', '-') {
			begin++
		}
		if i = s.behindDigits(begin); i == begin {
			return false
		}
	}
	s.at = i
	return true
}

// is reports whether the byte at an offset is one of two.
func (s *split) is(at int, one, other byte) bool {
	return at < len(s.data) && (s.data[at] == one || s.data[at] == other)
}

// behindDigits returns the offset behind the digits that begin at an offset.
func (s *split) behindDigits(at int) int {
	for at < len(s.data) && isDigit(s.data[at]) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
