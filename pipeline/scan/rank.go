package scan

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A cell of the priority column is compared by words of eight bytes, the first one
// first: whoever has the smaller word goes first. The first word of a number is the whole
// number; above them stand the texts with their first six bytes, then the blank cells. The
// words that follow hold what is left of a text. So a row takes eight bytes while
// the rows are ordered, and only texts that begin alike take another look.
const (
	// textWords is the high end of the first word of a text: above that of every
	// number, which is infinity's 0xFFF0.
	textWords = 0xFFF1
	blankWord = math.MaxUint64

	firstTextBytes = 6 // of a text, in the first word
	rankWordBytes  = 8
	// lastWord is the number of the last word that a text may have.
	lastWord = (maxRankText - firstTextBytes + rankWordBytes - 1) / rankWordBytes
)

// ranking makes words of cells.
type ranking Priority

// maxRankText bounds what counts of a text, in bytes.
const maxRankText = 64

// word returns a word of a cell, counting from 0.
func (r ranking) word(cell []byte, number int) uint64 {
	if isBlank(cell) {
		if number == 0 {
			return blankWord
		}
		return r.textWord("")
	}
	value, text := rankOf(cell)
	switch {
	case number > 0:
		start := firstTextBytes + (number-1)*rankWordBytes
		return r.textWord(text[min(start, len(text)):])
	case text != "":
		return textWords<<48 | r.textWord(text)>>16
	}
	return r.numberWord(value)
}

// textWord returns the beginning of a text as a word; a short one is filled up.
func (r ranking) textWord(text string) uint64 {
	var bytes [rankWordBytes]byte
	copy(bytes[:], text)
	word := binary.BigEndian.Uint64(bytes[:])
	if !r.Ascending {
		return ^word
	}
	return word
}

// numberWord returns a number as a word.
func (r ranking) numberWord(number float64) uint64 {
	if !r.Ascending {
		number = -number
	}
	if number == 0 {
		number = 0 // without a sign
	}
	const sign = 1 << 63
	bits := math.Float64bits(number)
	if bits&sign != 0 {
		return ^bits
	}
	return bits | sign
}

// goesOn reports whether cells with this word in common may differ in later ones.
func (r ranking) goesOn(word uint64, number int) bool {
	if number == lastWord || number == 0 && word>>48 != textWords {
		return false
	}
	return byte(word) != byte(r.textWord(""))
}

// rankOf returns the number that a cell holds, or what counts of its text, which is ""
// for a number. The cell is not blank.
func rankOf(cell []byte) (number float64, text string) {
	beginning := cell[:min(len(cell), 4*maxRankText)]
	text = strings.TrimSpace(string(beginning))
	if number, ok := parseNumber(text); ok && len(beginning) == len(cell) {
		return number, ""
	}
	text = strings.ToLower(text)
	for len(text) > maxRankText {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return 0, text
}

// parseNumber reads a decimal number. One that is too large for its exponent is
// infinite, which still has its place.
func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789+-.,eE") != "" {
		return 0, false
	}
	whole, rest := text, ""
	if end := strings.IndexAny(text, ".eE"); end >= 0 {
		whole, rest = text[:end], text[end:]
	}
	if groups := strings.Split(whole, ","); len(groups) > 1 {
		first := strings.TrimLeft(groups[0], "+-")
		isWrong := func(group string) bool { return len(group) != 3 }
		if len(first) == 0 || len(first) > 3 || slices.ContainsFunc(groups[1:], isWrong) {
			return 0, false
		}
		whole = strings.Join(groups, "")
	}
	number, err := strconv.ParseFloat(whole+rest, 64)
	// ParseFloat gives zero for what is not a number, and infinity for what is too large.
	return number, err == nil || number != 0
}
