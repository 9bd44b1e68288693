package kit

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRollsAreTheSameInEveryVersion: the answers of every version of the sandbox follow from the same text.
func TestRollsAreTheSameInEveryVersion(t *testing.T) {
	for _, words := range [][]string{nil, {""}, {"person", "Zoë \"Z\" Müller\n"}, {"a", "b c", "\x00\xff \u2028"}} {
		for _, seed := range []uint64{0, 1, 1 << 63} {
			text := fmt.Appendf(nil, "%d %q", seed, words)
			want := rand.New(rand.NewChaCha8(sha256.Sum256(text))).Uint64()
			if got := Roll(seed, words...).Uint64(); got != want {
				t.Errorf("seed %d, words %q: %x, want %x", seed, words, got, want)
			}
		}
	}
}
