package csvtable

import "encoding/binary"

// wordLength is how many bytes positions looks at: one for each bit of its result.
const wordLength = 64

// positions returns a bit for each of the first 64 bytes of data, set where the byte is char. The
// lowest bit is that of the first byte. It compares eight bytes at a time: delimiters are so
// frequent that a call for each one takes longer.
func positions(data []byte, char byte) (found uint64) {
	const low, ones = 0x7f7f7f7f7f7f7f7f, 0x0101010101010101
	_ = data[wordLength-1]
	pattern := uint64(char) * ones
	for i := 0; i < wordLength; i += 8 {
		differs := binary.LittleEndian.Uint64(data[i:]) ^ pattern
		same := ^(differs&low + low | differs | low) // the highest bit of each byte that does not differ
		found |= (same >> 7 * 0x0102040810204080 >> 56) << i
	}
	return found
}
