// This file draws the random numbers of the sandbox from a seed and words. The same question always gets the same
// answer, and no answer depends on another one.

package kit

import (
	"crypto/sha256"
	"math/rand/v2"
	"strconv"
)

// Roll returns the random numbers that belong to the words.
func Roll(seed uint64, words ...string) *rand.Rand {
	text := strconv.AppendUint(make([]byte, 0, 256), seed, 10)
	text = append(text, " ["...)
	for i, word := range words {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendQuote(text, word)
	}
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(text, ']'))))
}

// Pick returns one of the choices.
func Pick(numbers *rand.Rand, choices ...string) string { return choices[numbers.IntN(len(choices))] }

// Mix returns a number that belongs to the numbers. It is much cheaper than Roll, for values that are
// computed for every company of a search.
func Mix(numbers ...uint64) uint64 {
	mixed := uint64(0x9e3779b97f4a7c15)
	for _, number := range numbers {
		mixed = step(mixed ^ step(number+0x9e3779b97f4a7c15))
	}
	return mixed
}

// step is the last step of the generator splitmix64.
func step(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
