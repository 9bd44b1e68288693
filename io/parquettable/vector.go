// This file holds cells of one column as text, one behind the other.

package parquettable

// Vector holds the cells of one column in one block as text.
type Vector struct {
	Text  []byte
	Ends  []uint32 // of every cell in text
	Nulls []bool   // of every cell, where a vector may have some
}

// Reset removes all cells and keeps their memory.
func (v *Vector) Reset() {
	v.Text, v.Ends, v.Nulls = v.Text[:0], v.Ends[:0], v.Nulls[:0]
}

// Cell returns the text of the cell at index i. It shares the memory of the vector.
func (v *Vector) Cell(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = v.Ends[i-1]
	}
	return v.Text[start:v.Ends[i]:v.Ends[i]]
}

// End ends a cell whose text was appended to Text.
func (v *Vector) End(null bool) {
	v.Ends = append(v.Ends, uint32(len(v.Text)))
	v.Nulls = append(v.Nulls, null)
}

// Add adds a cell. It does not change Nulls.
func (v *Vector) Add(text string) {
	v.Text = append(v.Text, text...)
	v.Ends = append(v.Ends, uint32(len(v.Text)))
}

// AddBytes is Add for bytes.
func (v *Vector) AddBytes(text []byte) {
	v.Text = append(v.Text, text...)
	v.Ends = append(v.Ends, uint32(len(v.Text)))
}
