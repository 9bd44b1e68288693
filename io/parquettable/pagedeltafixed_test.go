package parquettable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"payonce/io/parquettable/parquettest"
)

// differences returns integers as they are kept: in one block, whose widths are of bytes.
func differences(values ...int64) []byte {
	data := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), uint64(len(values)))
	data = binary.AppendVarint(data, values[0])
	if len(values) == 1 {
		return data
	}
	data = binary.AppendVarint(data, -128)
	data = append(data, 8, 0, 0, 0)
	packed := make([]byte, 32)
	for i := range values[1:] {
		packed[i] = byte(values[i+1] - values[i] + 128)
	}
	return append(data, packed...)
}

func TestInvalidFixedLengthDeltasAreRefused(t *testing.T) {
	page := func(prefixes, suffixes []byte, text string) []byte {
		return append(append(bytes.Clone(prefixes), suffixes...), text...)
	}
	const most = 3
	got, err := appendFixed([]byte("levels"), page(differences(0, 2, 4), differences(4, 2, 0), "abcdxy"), most, 4)
	if string(got) != "levelsabcdabxyabxy" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for name, data := range map[string][]byte{
		"a prefix before the first": page(differences(1, 2), differences(3, 2), "abcxy"),
		"a value too short":         page(differences(0, 2), differences(4, 1), "abcdx"),
		"a value too long":          page(differences(0, 3), differences(4, 2), "abcdxy"),
		"a negative prefix":         page(differences(0, -1), differences(4, 5), "abcdefghi"),
		"a prefix beyond the value": page(differences(0, 100), differences(4, 0), "abcd"),
		"text that is missing":      page(differences(0, 2), differences(4, 2), "abcd"),
		"more values than the page": page(differences(0, 4, 4, 4), differences(4, 0, 0, 0), "abcd"),
		"fewer suffixes":            page(differences(0, 4, 4), differences(4, 0), "abcd"),
		"no suffixes":               differences(0, 2),
		"nothing":                   nil,
	} {
		if got, err := appendFixed(nil, data, most, 4); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := appendFixed(nil, differences(0), maxPage, 4); !errors.Is(err, ErrDamaged) {
		t.Errorf("too many values: %v", err)
	}
}

// unchanging returns integers as they are kept: one, and then the other very often.
func unchanging(first, others int64, count int) []byte {
	data := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), uint64(count))
	data = binary.AppendVarint(data, first)
	for at := 1; at < count; at += 128 {
		if at > 1 {
			data = append(data, 0, 0, 0, 0, 0) // no differences
			continue
		}
		data = append(binary.AppendVarint(data, -128), 8, 8, 8, 8)
		data = append(data, byte(others-first+128))
		data = append(data, bytes.Repeat([]byte{128}, 127)...)
	}
	return data
}

// A few bytes stand for very many values, for which memory is taken once.
func TestValuesOfFixedLengthTakeLittleMemory(t *testing.T) {
	const count, width = 1 << 20, 2
	page := append(append(unchanging(0, width, count), unchanging(width, 0, count)...), "ab"...)
	var got []byte
	var err error
	size := parquettest.LeastAllocated(func() { got, err = appendFixed(nil, page, count, width) })
	if len(got) != count*width || !bytes.HasSuffix(got, []byte("abab")) || err != nil {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	// With the race detector slices.Grow takes the room for the values twice.
	if most := uint64(count * (2*4 + 2*width) * 11 / 10); size > most {
		t.Errorf("%d bytes are taken, more than %d", size, most)
	}
}

// FuzzFixed puts values of fixed length together from any bytes: as many as the page may
// have, all of that length, each of which begins as it says.
func FuzzFixed(f *testing.F) {
	f.Add(append(append(differences(0, 2, 4), differences(4, 2, 0)...), "abcdxy"...), uint16(3), uint8(4))
	f.Add(append(append(differences(0), differences(2)...), "ab"...), uint16(1), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, values uint16, width uint8) {
		got, err := appendFixed(nil, data, int64(values), int64(width))
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if len(got)%int(width) != 0 || len(got)/int(width) > int(values) {
			t.Fatalf("%d bytes of at most %d values of %d bytes", len(got), values, width)
		}
		d := deltas{data: data}
		var prefixes []int64
		d.each(func(length int64) bool { prefixes = append(prefixes, length); return true })
		for i, prefix := range prefixes {
			if at := i * int(width); i > 0 && !bytes.Equal(got[at:at+int(prefix)], got[at-int(width):][:prefix]) {
				t.Fatalf("value %d does not begin like the one before", i)
			}
		}
	})
}
