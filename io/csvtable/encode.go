package csvtable

// writeCell writes value as a cell, quoted where its text needs it or when quote says
// so. An empty cell alone in its line is quoted too: the line would be a blank one.
func writeCell[text string | []byte](w *Writer, value text, quote bool) {
	alone := w.columns+w.appended == 1
	if !quote && !(alone && len(value) == 0) && !needsQuotes(value, w.dialect.Delimiter) {
		w.buffer = append(w.buffer, value...)
		return
	}
	w.buffer = append(w.buffer, '"')
	for i := range len(value) {
		if value[i] == '"' {
			w.buffer = append(w.buffer, '"')
		}
		w.buffer = append(w.buffer, value[i])
	}
	w.buffer = append(w.buffer, '"')
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
		if char := value[i]; char == delimiter || char == '"' || char == '\r' || char == '\n' {
			return true
		}
	}
	return false
}

func isSpace(char byte) bool { return char == ' ' || char == '\t' }
