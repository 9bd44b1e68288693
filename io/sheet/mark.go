package sheet

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// special are the bytes that XML does not allow in a text, that begin such a character or a mark for one, or
// that are written as references.
var special = func() (of [256]bool) {
	for b := range ' ' {
		of[b] = true
	}
	for _, b := range []byte("_&<>\"'\xef") {
		of[b] = true
	}
	return of
}()

// plain returns how many bytes of a text come before the first special one.
func plain(text string) int {
	for i := range len(text) {
		if special[text[i]] {
			return i
		}
	}
	return len(text)
}

// unmarked returns the first character of a text that XML does not allow.
func unmarked(text string) (char rune, found bool) {
	for _, char := range text[plain(text):] {
		if char < ' ' && char != '\t' && char != '\n' && char != '\r' || char == 0xfffe || char == 0xffff {
			return char, true
		}
	}
	return 0, false
}

// marked writes the characters that XML does not allow as workbooks do: _x0001_. An underscore at
// the start of such a mark is written the same way.
func marked(text string) string {
	if _, found := unmarked(text); !found && !strings.Contains(text, "_x") {
		return text
	}
	var out strings.Builder
	for i, char := range text {
		_, lacks := unmarked(string(char))
		if lacks || char == '_' && beginsMark(text[i+1:]) {
			fmt.Fprintf(&out, "_x%04X_", char)
			continue
		}
		out.WriteRune(char)
	}
	return out.String()
}

const markLength = len("_x0000_")

// beginsMark reports whether an underscore before the text would make it a mark.
func beginsMark(text string) bool {
	if len(text) < markLength-1 || text[0] != 'x' || text[markLength-2] != '_' {
		return false
	}
	return strings.Trim(text[1:markLength-2], "0123456789abcdefABCDEF") == ""
}

// unmark puts characters in the place of their marks in the text from a place on. A mark of half a character
// outside of the basic plane is left out.
func unmark(data []byte, from int) []byte {
	to, text := data[:from], data[from:]
	for {
		at := bytes.Index(text, []byte("_x"))
		if at < 0 {
			return append(to, text...)
		}
		if !beginsMark(string(text[at+1 : min(len(text), at+markLength)])) {
			to = append(to, text[:at+1]...)
			text = text[at+1:]
			continue
		}
		to = append(to, text[:at]...)
		code, _ := strconv.ParseUint(string(text[at+2:at+markLength-1]), 16, 32) // beginsMark checked the digits
		if char := rune(code); utf8.ValidRune(char) {
			to = utf8.AppendRune(to, char)
		}
		text = text[at+markLength:]
	}
}

// appendXML appends a text as it stands between tags. Its characters must be UTF-8.
func appendXML(to []byte, text string) []byte {
	done := plain(text)
	to, text, done = append(to, text[:done]...), marked(text[done:]), 0
	for i := range len(text) {
		var reference string
		switch text[i] {
		case '&':
			reference = "&amp;"
		case '<':
			reference = "&lt;"
		case '>':
			reference = "&gt;"
		case '"':
			reference = "&#34;"
		case '\'':
			reference = "&#39;"
		case '\t':
			reference = "&#x9;"
		case '\n':
			reference = "&#xA;"
		case '\r':
			reference = "&#xD;"
		default:
			continue
		}
		to = append(append(to, text[done:i]...), reference...)
		done = i + 1
	}
	return append(to, text[done:]...)
}
