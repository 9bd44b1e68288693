package sheet

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// appendDecoded appends the characters that a text stands for: a line end is one line feed, and a reference
// is its character.
func appendDecoded(to, text []byte, references bool) []byte {
	for len(text) > 0 {
		at := bytes.IndexAny(text, "&\r")
		if at < 0 {
			break
		}
		to = append(to, text[:at]...)
		text = text[at:]
		if text[0] == '\r' {
			to = append(to, '\n')
			text = bytes.TrimPrefix(text[1:], []byte("\n"))
			continue
		}
		char, length := rune('&'), 1
		if references {
			char, length = decodeReference(text)
		}
		to = utf8.AppendRune(to, char)
		text = text[length:]
	}
	return append(to, text...)
}

// decodeReference returns the character of a reference and the length of the reference, or 0 for a wrong one.
func decodeReference(text []byte) (char rune, length int) {
	end := bytes.IndexByte(text, ';')
	if end < 0 {
		return 0, 0
	}
	switch name := string(text[1:end]); name {
	case "amp":
		char = '&'
	case "lt":
		char = '<'
	case "gt":
		char = '>'
	case "quot":
		char = '"'
	case "apos":
		char = '\''
	default:
		if char = numbered(name); char == 0 {
			return 0, 0
		}
	}
	return char, end + 1
}

// numbered returns the character of a reference by number, and 0 for a wrong one.
func numbered(name string) rune {
	if len(name) < 2 || name[0] != '#' {
		return 0
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' {
		return 0
	}
	number, err := strconv.ParseUint(digits, base, 64)
	char := rune(number)
	switch {
	case err != nil || number > utf8.MaxRune:
		return 0
	case !utf8.ValidRune(char):
		return utf8.RuneError
	case char < ' ' && char != '\t' && char != '\n' && char != '\r', char == 0xfffe, char == 0xffff:
		return 0
	}
	return char
}
