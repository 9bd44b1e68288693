package csvtable

// appendCell appends value as a cell. The cell is quoted when its text needs that or when quote is true.
func appendCell[text string | []byte](buffer []byte, value text, quote bool, delimiter byte) []byte {
	if !quote && !needsQuotes(value, delimiter) {
		return append(buffer, value...)
	}
	buffer = append(buffer, '"')
	for i := range len(value) {
		if value[i] == '"' {
			buffer = append(buffer, '"')
		}
		buffer = append(buffer, value[i])
	}
	return append(buffer, '"')
}

// needsQuotes reports whether some reader would read value differently without quotes: this
// package, a reader that trims cells, or one that takes any quote as the start of a quoted cell.
func needsQuotes[text string | []byte](value text, delimiter byte) bool {
	if len(value) == 0 {
		return false
	}
	if isSpace(value[0]) || isSpace(value[len(value)-1]) {
		return true
	}
	for i := range len(value) {
		// Only a delimiter is a higher byte than the quote and needs quotes.
		if char := value[i]; char == delimiter || char <= '"' && (char == '"' || char == '\r' || char == '\n') {
			return true
		}
	}
	return false
}

func isSpace(char byte) bool { return char == ' ' || char == '\t' }
