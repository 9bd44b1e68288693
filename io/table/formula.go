package table

import "strings"

// A spreadsheet takes a cell of delimited text for a formula because of how it begins. An apostrophe before it makes it
// text. It is also put before a value that has apostrophes before such a beginning. So every cell stands for one value.

// EscapeFormula returns a value as a cell of delimited text that no spreadsheet takes for a formula.
func EscapeFormula(value string) string {
	if !isUsual(value) && isFormula(strings.TrimLeft(value, "'")) {
		return "'" + value
	}
	return value
}

// isUsual reports without much work that a text is not a formula: most texts begin with a letter or a digit.
func isUsual(text string) bool {
	return text == "" || text[0] > '@' || '0' <= text[0] && text[0] <= '9'
}

// EscapeFormulas escapes the cells of a row in their places, unless they are to be written raw. It returns the row.
func EscapeFormulas(cells []string, raw bool) []string {
	for i := range cells {
		if !raw {
			cells[i] = EscapeFormula(cells[i])
		}
	}
	return cells
}

// UnescapeFormula returns the value of a cell that EscapeFormula returned. Any other cell stands for itself.
func UnescapeFormula(cell []byte) []byte {
	if len(cell) > 1 && cell[0] == '\'' && isFormula(strings.TrimLeft(string(cell), "'")) {
		return cell[1:]
	}
	return cell
}

// isFormula reports whether a spreadsheet may take a text for a formula that does something. A plus or a minus before
// digits, spaces, brackets, dashes, dots, commas and slashes begins a phone number or a negative number.
func isFormula(text string) bool {
	if text == "" {
		return false
	}
	switch text[0] {
	case '=', '@', '\t', '\r', '\n':
		return true
	case '+', '-':
		return strings.Trim(text[1:], "0123456789 ()-.,/") != "" && !isScientific(text[1:])
	}
	return false
}

// isScientific reports whether a text is a number with an exponent, such as 1.5e-7.
func isScientific(text string) bool {
	mantissa, exponent, found := strings.Cut(strings.ToLower(text), "e")
	exponent = strings.TrimLeft(exponent, "+-")
	const digits = "0123456789"
	return found && mantissa != "" && exponent != "" && strings.Trim(mantissa, digits+".") == "" && strings.Trim(exponent, digits) == ""
}
