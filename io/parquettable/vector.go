package parquettable

// vector holds the cells of one column in one block as text.
type vector struct {
	text  []byte
	ends  []uint32 // of every cell in text
	nulls []bool   // of every cell, where a vector may have some
}

func (v *vector) reset() {
	v.text, v.ends, v.nulls = v.text[:0], v.ends[:0], v.nulls[:0]
}

// cell returns the text of the cell at index i, which shares the vector's memory.
func (v *vector) cell(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = v.ends[i-1]
	}
	return v.text[start:v.ends[i]:v.ends[i]]
}

// end ends a cell whose text was appended.
func (v *vector) end(null bool) {
	v.ends = append(v.ends, uint32(len(v.text)))
	v.nulls = append(v.nulls, null)
}

// add adds a text that is no null, of which no note is taken in nulls.
func (v *vector) add(text string) {
	v.text = append(v.text, text...)
	v.ends = append(v.ends, uint32(len(v.text)))
}

// addBytes is add for the bytes of a text.
func (v *vector) addBytes(text []byte) {
	v.text = append(v.text, text...)
	v.ends = append(v.ends, uint32(len(v.text)))
}
