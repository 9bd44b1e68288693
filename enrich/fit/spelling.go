package fit

import (
	"strings"
	"unicode"

	"github.com/mozillazg/go-unidecode"
)

// latin returns a text in Latin letters without accents. A text in them already stays.
func latin(text string) string {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return unidecode.Unidecode(greek.Replace(text))
		}
	}
	return text
}

// greek replaces eta by i, as in today's Latin spellings of Greek names.
var greek = strings.NewReplacer("η", "i", "ή", "i", "Η", "I", "Ή", "I")

// script says in which letters a text is.
type script uint8

const (
	latinScript script = iota
	alphabet           // others that stand for sounds, and can be written in Latin letters
	signs              // others, which can be read in several ways
)

// scriptOf returns the script of a text: signs where it has any, or else that of most letters.
func scriptOf(text string) script {
	var count [signs + 1]int
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			count[latinScript]++
		case unicode.In(r, unicode.Cyrillic, unicode.Greek):
			count[alphabet]++
		default:
			count[signs]++
		}
	}
	switch {
	case count[signs] > 0: // in a name with both, too
		return signs
	case count[alphabet] > count[latinScript]:
		return alphabet
	default:
		return latinScript
	}
}

// sounds are letters that are written in several ways for one sound. Longer ones come first.
var sounds = strings.NewReplacer(
	"schtsch", "s", "shch", "s", "tsch", "c", "sch", "s", "tch", "c", "sh", "s", "sz", "s", "cz", "c", "zh", "z", "kh", "c", "ch", "c",
	"ph", "f", "ck", "c", "ks", "x", "qu", "cv", "ts", "c", "tz", "c", "dj", "d", "gh", "g",
	"ae", "a", "oe", "o", "ue", "u", "ou", "u", "oo", "u", "ee", "i", "ea", "i",
	"w", "v", "j", "i", "y", "i", "k", "c", "q", "c", "z", "s", "h", "",
)

// skeleton returns what is left of a word in small Latin letters when sounds that are written in several ways are one.
// An i before another vowel is left out: Yulia, Julia and Iuliia are one name. An h at the beginning stays: Hansen and
// Jansen are two names.
func skeleton(word string) string {
	var b strings.Builder
	if strings.HasPrefix(word, "h") {
		b.WriteByte('h')
	}
	word = sounds.Replace(word)
	last := byte(0)
	for i := range len(word) {
		letter := word[i]
		if letter == last || letter == 'i' && i+1 < len(word) && strings.IndexByte("aeiou", word[i+1]) >= 0 {
			continue
		}
		b.WriteByte(letter)
		last = letter
	}
	return b.String()
}

// isTypo reports whether two words differ by a typing error: one letter is missing or added, or two neighbouring
// letters are exchanged. Words of ten or more letters may have two such errors, or one letter in place of another. In
// shorter ones that makes another name: Hansen and Jansen, Rajesh and Ramesh. Words of less than five letters and
// numbers have no typing errors.
func isTypo(a, b string) bool {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	if shorter < 5 || longer-shorter > 2 || strings.ContainsAny(a+b, "0123456789") {
		return false
	}
	most := 1
	if shorter > 9 {
		most = 2
	}
	return distance(a, b) <= most
}

// distance returns how many letters have to be added, left out, or exchanged with the next one.
func distance(a, b string) int {
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 2
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(last[j+1]+1, next[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
