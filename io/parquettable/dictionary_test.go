package parquettable

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

func TestADictionaryNumbersTextsInTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDictionary()
		for range 2 { // also when it is used again
			want := map[string]uint32{}
			for _, text := range rapid.SliceOf(rapid.StringN(0, 3, -1)).Draw(t, "texts") {
				if _, known := want[text]; !known {
					want[text] = uint32(len(want))
				}
				if got, fits := d.number([]byte(text)); !fits || got != want[text] || string(d.texts.Cell(int(got))) != text {
					t.Fatalf("%q is number %d, want %d", text, got, want[text])
				}
			}
			if d.len() != len(want) {
				t.Fatalf("%d texts, want %d", d.len(), len(want))
			}
			d.reset()
		}
	})
}

// TestADictionaryHasItsLimit fills one with texts of four bytes, each behind its length.
func TestADictionaryHasItsLimit(t *testing.T) {
	d := newDictionary()
	const texts = dictionarySize / 8
	for range 2 {
		for i := range uint32(texts) {
			if got, fits := d.number(binary.BigEndian.AppendUint32(nil, i)); got != i || !fits {
				t.Fatalf("%d is number %d, there is room: %t", i, got, fits)
			}
		}
		if _, fits := d.number([]byte("one more")); fits || d.len() != texts || len(d.appendPage(nil, texts)) != dictionarySize {
			t.Errorf("%d texts, there is room: %t", d.len(), fits)
		}
	}
	d.reset()
	if _, fits := d.number(make([]byte, dictionarySize)); fits || d.len() > 0 || cap(d.texts.Text) > dictionarySize*3/2 {
		t.Error("there is room for a text that is too long")
	}
}
