package sheet

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// checkText refuses a text that a cell cannot hold.
func checkText(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("the text has %w", table.ErrNotUTF8)
	}
	if length := len(utf16.Encode([]rune(text))); length > excelize.TotalCellChars {
		return fmt.Errorf("the text has %d characters; a cell holds at most %d", length, excelize.TotalCellChars)
	}
	return nil
}

// checkNewText refuses a text that a cell of a new workbook cannot hold. The library that writes
// new workbooks replaces characters that XML does not allow.
func checkNewText(text string) error {
	if char, found := unmarked(text); found {
		return fmt.Errorf("the text has the control character %U, which a new workbook cannot hold", char)
	}
	return checkText(text)
}

// unmarked returns the first character of a text that XML does not allow.
func unmarked(text string) (char rune, found bool) {
	for _, char := range text {
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

// beginsMark reports whether an underscore before the text would make it a mark.
func beginsMark(text string) bool {
	const length = len("x0000_")
	if len(text) < length || text[0] != 'x' || text[length-1] != '_' {
		return false
	}
	return strings.Trim(text[1:length-1], "0123456789abcdefABCDEF") == ""
}
