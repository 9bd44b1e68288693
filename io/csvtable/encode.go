package csvtable

// appendCell appends value as a cell, quoted where its text needs it or when quote says
// so.
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

// needsQuotes reports whether value would not be read back as it is, here or by
// readers that trim cells or see a quote anywhere as the start of a quoted cell.
func needsQuotes[text string | []byte](value text, delimiter byte) bool {
	if len(value) == 0 {
		return false
	}
	if isSpace(value[0]) || isSpace(value[len(value)-1]) {
		return true
	}
	for i := range len(value) {
		// Of the characters that need quotes only a delimiter stands above the quote.
		if char := value[i]; char == delimiter || char <= '"' && (char == '"' || char == '\r' || char == '\n') {
			return true
		}
	}
	return false
}

func isSpace(char byte) bool { return char == ' ' || char == '\t' }
