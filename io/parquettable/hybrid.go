package parquettable

import "encoding/binary"

// appendHybrid appends numbers of at most width bits each in the format's mixture of
// runs and packed bits: eight or more of one number are kept as a run, the others lie
// side by side, eight of them at a time.
func appendHybrid[T uint8 | uint32](data []byte, numbers []T, width int) []byte {
	packed := 0 // where the numbers begin that are not written yet
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

// runLength returns how many numbers in front are the same.
func runLength[T uint8 | uint32](numbers []T) int {
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

// appendPacked appends numbers side by side; behind the last of a page there are zeros
// until they are a multiple of eight.
func appendPacked[T uint8 | uint32](data []byte, numbers []T, width int) []byte {
	if len(numbers) == 0 {
		return data
	}
	groups := (len(numbers) + 7) / 8
	data = binary.AppendUvarint(data, uint64(groups)<<1|1)
	end := len(data) + groups*width
	bits, length := uint64(0), 0
	for _, number := range numbers {
		bits |= uint64(number) << length
		for length += width; length >= 8; length -= 8 {
			data = append(data, byte(bits))
			bits >>= 8
		}
	}
	for len(data) < end {
		data = append(data, byte(bits))
		bits >>= 8
	}
	return data
}
