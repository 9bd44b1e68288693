package parquettable

import (
	"encoding/binary"
	"hash/maphash"
)

// dictionary numbers different texts from 0 on, in the order in which they come first.
type dictionary struct {
	seed   maphash.Seed
	texts  vector
	hashes []uint32 // of every text
	slots  []uint32 // by hash: the number of a text plus one, 0 for none
}

func newDictionary() *dictionary { return &dictionary{seed: maphash.MakeSeed()} }

func (d *dictionary) reset() {
	d.texts.reset()
	d.hashes = d.hashes[:0]
	clear(d.slots)
}

func (d *dictionary) len() int { return len(d.hashes) }

// size is the length of the page that holds the texts, in bytes.
func (d *dictionary) size() int { return len(d.texts.text) + 4*d.len() }

// number returns the number of a text, which is added when it is not there.
func (d *dictionary) number(text []byte) uint32 {
	if 2*len(d.hashes) >= len(d.slots) {
		d.widen()
	}
	hash := uint32(maphash.Bytes(d.seed, text))
	last := uint32(len(d.slots) - 1)
	at := hash & last
	for ; d.slots[at] != 0; at = (at + 1) & last {
		number := d.slots[at] - 1
		if d.hashes[number] == hash && string(d.texts.cell(int(number))) == string(text) {
			return number
		}
	}
	d.hashes = append(d.hashes, hash)
	d.texts.text = append(d.texts.text, text...)
	d.texts.ends = append(d.texts.ends, uint32(len(d.texts.text)))
	d.slots[at] = uint32(len(d.hashes))
	return uint32(len(d.hashes) - 1)
}

// widen makes the table twice as long.
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

// appendPage appends the texts as a page of them holds them.
func (d *dictionary) appendPage(page []byte) []byte {
	for i := range d.len() {
		page = appendText(page, d.texts.cell(i))
	}
	return page
}

// appendText appends a text in the plain encoding.
func appendText(page, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(page, uint32(len(text))), text...)
}
