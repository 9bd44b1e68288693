// Package vector keeps the cells of one column side by side as text.
package vector

// Vector holds the cells of one column in one block as text.
type Vector struct {
	Text  []byte
	Ends  []uint32 // of every cell in text
	Nulls []bool   // of every cell, where a vector may have some
}

func (v *Vector) Reset() {
	v.Text, v.Ends, v.Nulls = v.Text[:0], v.Ends[:0], v.Nulls[:0]
}

// Cell returns the text of the cell at index i, which shares the vector's memory.
func (v *Vector) Cell(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = v.Ends[i-1]
	}
	return v.Text[start:v.Ends[i]:v.Ends[i]]
}

// End ends a cell whose text was appended.
func (v *Vector) End(null bool) {
	v.Ends = append(v.Ends, uint32(len(v.Text)))
	v.Nulls = append(v.Nulls, null)
}

// Add adds a text that is no null, of which no note is taken in nulls.
func (v *Vector) Add(text string) {
	v.Text = append(v.Text, text...)
	v.Ends = append(v.Ends, uint32(len(v.Text)))
}

// AddBytes is add for the bytes of a text.
func (v *Vector) AddBytes(text []byte) {
	v.Text = append(v.Text, text...)
	v.Ends = append(v.Ends, uint32(len(v.Text)))
}
