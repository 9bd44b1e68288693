package parquettable

import (
	"encoding/binary"
	"hash/maphash"
)

// dictionarySize is the most bytes of a dictionary in a file. Readers hold it in memory while they
// read the column; other writers have the same limit.
const dictionarySize = 1 << 20

// dictionary numbers different texts from 0, in the order of their first use.
type dictionary struct {
	seed   maphash.Seed
	texts  Vector
	hashes []uint32 // of every text
	slots  []uint32 // by hash: the number of a text plus one, 0 for none
}

func newDictionary() *dictionary { return &dictionary{seed: maphash.MakeSeed()} }

func (d *dictionary) reset() {
	d.texts.Reset()
	d.hashes = d.hashes[:0]
	clear(d.slots)
}

func (d *dictionary) len() int { return len(d.hashes) }

// number returns the number of a text. It adds a text that it does not have, and returns false when
// that has no room.
func (d *dictionary) number(text []byte) (uint32, bool) {
	if 2*len(d.hashes) >= len(d.slots) {
		d.widen()
	}
	hash := uint32(maphash.Bytes(d.seed, text))
	last := uint32(len(d.slots) - 1)
	at := hash & last
	for ; d.slots[at] != 0; at = (at + 1) & last {
		number := d.slots[at] - 1
		if d.hashes[number] == hash && string(d.texts.Cell(int(number))) == string(text) {
			return number, true
		}
	}
	if len(d.texts.Text)+len(text)+4*(d.len()+1) > dictionarySize {
		return 0, false
	}
	d.hashes = append(d.hashes, hash)
	d.texts.AddBytes(text)
	d.slots[at] = uint32(len(d.hashes))
	return uint32(len(d.hashes) - 1), true
}

// widen doubles the hash table.
func (d *dictionary) widen() {
	d.slots = make([]uint32, max(2*len(d.slots), 64))
	last := uint32(len(d.slots) - 1)
	for number, hash := range d.hashes {
		at := hash & last
		for d.slots[at] != 0 {
			at = (at + 1) & last
		}
		d.slots[at] = uint32(number) + 1
	}
}

// appendPage appends the first texts in the encoding of a dictionary page.
func (d *dictionary) appendPage(page []byte, texts int) []byte {
	for i := range texts {
		page = appendText(page, d.texts.Cell(i))
	}
	return page
}

// appendText appends a text in the plain encoding.
func appendText(page, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(page, uint32(len(text))), text...)
}
