package pipeline

import "math/bits"

// hint tells of most people that a shard does not hold them. It is a small part of the
// shard's size, so that it stays in a core's cache where looking into the shard costs a
// wait for the memory.
type hint []uint64

// hintBits is how many bits a hint has for each person, one of which is set: of so many
// people who are not in the shard it cannot tell one.
const hintBits = 16

func newHint(s *shard) hint {
	h := make(hint, s.count*hintBits/64+1)
	_ = s.each(func(e *entry) error { // never fails
		word, bit := h.place(*e)
		h[word] |= bit
		return nil
	})
	return h
}

func (h hint) mayHold(e entry) bool {
	word, bit := h.place(e)
	return h[word]&bit != 0
}

// place returns where an entry's bit is. The bits of the key that shards go by are not
// used for it.
func (h hint) place(e entry) (word int, bit uint64) {
	at, _ := bits.Mul64(e.high<<8, uint64(len(h))*64)
	return int(at / 64), 1 << (at % 64)
}
