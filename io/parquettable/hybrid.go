package parquettable

import "encoding/binary"

// appendHybrid appends numbers of at most width bits in the RLE and bit-packing hybrid encoding:
// eight or more equal numbers become a run, the others are packed in groups of eight.
func appendHybrid(data []byte, numbers []uint32, width int) []byte {
	packed := 0 // index of the first number that is not written yet
	for at := 0; at < len(numbers); {
		length := runLength(numbers[at:])
		if length < 8 {
			at = min(at+8, len(numbers))
			continue
		}
		data = appendPacked(data, numbers[packed:at], width)
		data = appendRun(data, uint64(numbers[at]), length, width)
		at += length
		packed = at
	}
	return appendPacked(data, numbers[packed:], width)
}

// runLength returns how many numbers at the start are equal.
func runLength(numbers []uint32) int {
	for i, number := range numbers {
		if number != numbers[0] {
			return i
		}
	}
	return len(numbers)
}

func appendRun(data []byte, number uint64, length, width int) []byte {
	data = binary.AppendUvarint(data, uint64(length)<<1)
	for ; width > 0; width -= 8 {
		data = append(data, byte(number))
		number >>= 8
	}
	return data
}

// appendPacked appends packed numbers. It pads the last group of eight with zeros.
func appendPacked(data []byte, numbers []uint32, width int) []byte {
	if len(numbers) == 0 {
		return data
	}
	groups := (len(numbers) + 7) / 8
	data = binary.AppendUvarint(data, uint64(groups)<<1|1)
	end := len(data) + groups*width
	pending, length := uint64(0), 0
	for _, number := range numbers {
		pending |= uint64(number) << length
		for length += width; length >= 8; length -= 8 {
			data = append(data, byte(pending))
			pending >>= 8
		}
	}
	for len(data) < end {
		data = append(data, byte(pending))
		pending >>= 8
	}
	return data
}

// appendFlags appends numbers that are 0 or 1 in the same encoding. It looks at eight of them at
// once, because every cell of every column has one.
func appendFlags(data []byte, flags []uint8) []byte {
	const allSet = 0x0101010101010101
	packed, at := 0, 0 // packed is the index of the first flag that is not written yet
	for at+8 <= len(flags) {
		eight := binary.LittleEndian.Uint64(flags[at:])
		from := at
		at += 8
		if eight != 0 && eight != allSet {
			continue
		}
		for at+8 <= len(flags) && binary.LittleEndian.Uint64(flags[at:]) == eight {
			at += 8
		}
		data = appendPackedFlags(data, flags[packed:from])
		data = appendRun(data, eight&1, at-from, 1)
		packed = at
	}
	return appendPackedFlags(data, flags[packed:])
}

// appendPackedFlags appends packed numbers that are 0 or 1.
func appendPackedFlags(data []byte, flags []uint8) []byte {
	if len(flags) == 0 {
		return data
	}
	const gather = 0x0102040810204080 // moves the lowest bits of eight bytes into the highest byte
	data = binary.AppendUvarint(data, uint64(len(flags)+7)/8<<1|1)
	for len(flags) >= 8 {
		data = append(data, byte(binary.LittleEndian.Uint64(flags)*gather>>56))
		flags = flags[8:]
	}
	if len(flags) > 0 {
		var eight [8]byte
		copy(eight[:], flags)
		data = append(data, byte(binary.LittleEndian.Uint64(eight[:])*gather>>56))
	}
	return data
}
