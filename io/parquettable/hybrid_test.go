package parquettable

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// readHybrid reads count numbers of the mixture, slowly, as the format describes it.
// It returns nil when data is too short or too long for them.
func readHybrid(data []byte, count, width int) (numbers []uint32) {
	for len(numbers) < count {
		header, length := binary.Uvarint(data)
		if length <= 0 {
			return nil
		}
		data = data[length:]
		if header&1 == 0 {
			bytes := (width + 7) / 8
			if len(data) < bytes || header == 0 {
				return nil
			}
			numbers = append(numbers, slices.Repeat([]uint32{uint32(unpackBits(data, 0, uint64(width)))}, int(header>>1))...)
			data = data[bytes:]
			continue
		}
		bytes := int(header>>1) * width
		if len(data) < bytes || header == 1 {
			return nil
		}
		for i := range header >> 1 * 8 {
			numbers = append(numbers, uint32(unpackBits(data, i, uint64(width))))
		}
		data = data[bytes:]
	}
	if len(data) > 0 || len(numbers) >= count+8 {
		return nil
	}
	return numbers[:count]
}

// drawRuns draws numbers of width bits in runs of all lengths.
func drawRuns(t *rapid.T, width int) (numbers []uint32) {
	number := rapid.Uint32Range(0, 1<<width-1)
	for range rapid.IntRange(0, 12).Draw(t, "runs") {
		length := rapid.SampledFrom([]int{1, 1, 2, 3, 7, 8, 9, 15, 16, 17, 100}).Draw(t, "length")
		numbers = append(numbers, slices.Repeat([]uint32{number.Draw(t, "number")}, length)...)
	}
	return numbers
}

func TestHybridNumbersComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 32).Draw(t, "width")
		numbers := drawRuns(t, width)
		if got := readHybrid(appendHybrid(nil, numbers, width), len(numbers), width); !slices.Equal(got, numbers) {
			t.Fatalf("%v, want %v", got, numbers)
		}
	})
}

func TestHybridFlagsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := drawRuns(t, 1)
		flags := make([]uint8, len(numbers))
		for i, number := range numbers {
			flags[i] = uint8(number)
		}
		if got := readHybrid(appendFlags(nil, flags), len(numbers), 1); !slices.Equal(got, numbers) {
			t.Fatalf("%v, want %v", got, numbers)
		}
	})
}

func TestLongRunsTakeAFewBytes(t *testing.T) {
	const length = 1_000_000
	if data := appendHybrid(nil, make([]uint32, length), 20); len(data) > 8 {
		t.Errorf("%d bytes", len(data))
	}
	if data := appendFlags(nil, make([]uint8, length)); len(data) > 8 {
		t.Errorf("%d bytes", len(data))
	}
}

// unpackBits returns the number at index i of packed numbers of width bits each.
func unpackBits(packed []byte, i, width uint64) (number uint64) {
	for bit := range width {
		at := i*width + bit
		number |= uint64(packed[at/8]>>(at%8)&1) << bit
	}
	return number
}
