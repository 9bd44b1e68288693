package sheet

import (
	"fmt"
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
	if len(text) <= excelize.TotalCellChars {
		return nil
	}
	if length := len(utf16.Encode([]rune(text))); length > excelize.TotalCellChars {
		return fmt.Errorf("the text has %d characters; a cell holds at most %d", length, excelize.TotalCellChars)
	}
	return nil
}

// checkNewText refuses a text that a cell of a new workbook cannot hold. Few programs read the marks
// of characters that XML does not allow.
func checkNewText(text string) error {
	if char, found := unmarked(text); found {
		return fmt.Errorf("the text has the control character %U, which a new workbook cannot hold", char)
	}
	return checkText(text)
}
