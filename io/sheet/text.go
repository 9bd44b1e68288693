package sheet

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// checkText refuses a text that a cell cannot hold.
func checkText(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("a text holds bytes that are no UTF-8, and a cell holds characters alone; say with --encoding what they are")
	}
	if length := len(utf16.Encode([]rune(text))); length > excelize.TotalCellChars {
		return fmt.Errorf("a text has %d characters; a cell holds %d at most", length, excelize.TotalCellChars)
	}
	return nil
}

// checkNewText refuses a text that a cell of a new workbook cannot hold: the library that
// writes it makes other characters of those that XML cannot hold.
func checkNewText(text string) error {
	if char, found := unmarked(text); found {
		return fmt.Errorf("a text holds the control character %U, which a new workbook has no place for", char)
	}
	return checkText(text)
}

// unmarked returns the first character of a text that XML cannot hold, so that it would
// become another one without a word.
func unmarked(text string) (char rune, found bool) {
	for _, char := range text {
		if char < ' ' && char != '\t' && char != '\n' && char != '\r' || char == 0xfffe || char == 0xffff {
			return char, true
		}
	}
	return 0, false
}

// marked returns a text with its characters that XML cannot hold as workbooks write
// them: _x0001_. An underscore that begins what looks like that is written so too.
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

// beginsMark reports whether a text would be a mark behind an underscore.
func beginsMark(text string) bool {
	const length = len("x0000_")
	if len(text) < length || text[0] != 'x' || text[length-1] != '_' {
		return false
	}
	return strings.Trim(text[1:length-1], "0123456789abcdefABCDEF") == ""
}
