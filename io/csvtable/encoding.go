package csvtable

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is the character encoding of a list. Text that is not UTF-8 is decoded before it is
// scanned, and encoded after it is written, without loss.
type Encoding string

// The encodings of lists. Bytes of a UTF-8 list that are not UTF-8 are copied unchanged.
const (
	UTF8        Encoding = "UTF-8"
	UTF16LE     Encoding = "UTF-16LE"
	UTF16BE     Encoding = "UTF-16BE"
	Windows1252 Encoding = "Windows-1252"
)

// ParseEncoding returns the encoding with a common name.
func ParseEncoding(name string) (Encoding, error) {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name)) {
	case "utf8":
		return UTF8, nil
	case "utf16le", "utf16":
		return UTF16LE, nil
	case "utf16be":
		return UTF16BE, nil
	case "windows1252", "cp1252", "1252", "latin1", "iso88591":
		return Windows1252, nil
	}
	return "", fmt.Errorf("the encoding %q is not supported; give %s, %s, %s or %s",
		name, UTF8, UTF16LE, UTF16BE, Windows1252)
}

// The byte order marks.
const (
	utf8Mark    = "\xef\xbb\xbf"
	utf16LEMark = "\xff\xfe"
	utf16BEMark = "\xfe\xff"
)

// detectEncoding returns the encoding of a list that starts with sample. whole says that the sample
// is the whole list. A byte order mark decides, otherwise the declared encoding, otherwise the
// bytes. guessed says that the bytes fit more than one encoding.
func detectEncoding(sample []byte, whole bool, declared Encoding) (found Encoding, guessed bool) {
	switch {
	case bytes.HasPrefix(sample, []byte(utf8Mark)):
		return UTF8, false
	case bytes.HasPrefix(sample, []byte(utf16LEMark)):
		return UTF16LE, false
	case bytes.HasPrefix(sample, []byte(utf16BEMark)):
		return UTF16BE, false
	case declared != "":
		return declared, false
	case looksUTF16(sample, 0):
		return UTF16BE, true
	case looksUTF16(sample, 1):
		return UTF16LE, true
	case validUTF8(sample, whole):
		return UTF8, false
	case looksWindows1252(sample):
		return Windows1252, true
	}
	return UTF8, true
}

// utf16Sample is how many bytes of a list are used to detect UTF-16.
const utf16Sample = 1 << 10

// looksUTF16 reports whether a list without a byte order mark is UTF-16: the first character and
// three quarters of the sample are ASCII, so their bytes at high are NUL, and no character is NUL.
func looksUTF16(sample []byte, high int) bool {
	sample = sample[:min(len(sample), utf16Sample)&^1]
	ascii := 0
	for i := 0; i < len(sample); i += 2 {
		if sample[i] == 0 && sample[i+1] == 0 {
			return false
		}
		if sample[i+high] == 0 {
			ascii++
		}
	}
	return len(sample) >= 4 && sample[high] == 0 && ascii*4 >= len(sample)/2*3
}

// validUTF8 reports whether the sample is UTF-8. The sample may end within a character.
func validUTF8(sample []byte, whole bool) bool {
	if !whole {
		for cut := range min(len(sample), utf8.UTFMax) {
			if rest := sample[len(sample)-cut-1:]; utf8.RuneStart(rest[0]) {
				if !utf8.FullRune(rest) {
					sample = sample[:len(sample)-cut-1]
				}
				break
			}
		}
	}
	return utf8.Valid(sample)
}

// looksWindows1252 reports whether text that is not UTF-8 looks like Windows-1252: nine in ten of
// its bytes above ASCII are plausible between their neighbours in Western text.
func looksWindows1252(sample []byte) bool {
	beyond, plausible := 0, 0
	for i, char := range sample {
		if char < utf8.RuneSelf {
			continue
		}
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = sample[i-1]
		}
		if i+1 < len(sample) {
			after = sample[i+1]
		}
		beyond++
		if plausibleWindows1252(before, char, after) {
			plausible++
		}
	}
	return beyond > 0 && plausible*10 >= beyond*9
}

// plausibleWindows1252 reports whether a character above ASCII is plausible between its neighbours.
// A letter has an ASCII neighbour, because words without ASCII are of other scripts. A sign is not
// within a word, except for the apostrophe.
func plausibleWindows1252(before, char, after byte) bool {
	decoded := decode1252(char)
	switch {
	case decoded < 0xa0: // not assigned
		return false
	case isLetter1252(char):
		return before < utf8.RuneSelf || after < utf8.RuneSelf
	case decoded == '\u2019':
		return true
	}
	return !isASCIILetter(before) || !isASCIILetter(after)
}

// isLetter1252 reports whether a byte above ASCII is a letter in Windows-1252.
func isLetter1252(char byte) bool {
	switch char {
	case 0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f, 0xaa, 0xba:
		return true
	}
	return char >= 0xc0 && char != 0xd7 && char != 0xf7
}

func isASCIILetter(char byte) bool { return 'a' <= char|0x20 && char|0x20 <= 'z' }

// decodeSize is how many bytes are read at once to be decoded.
const decodeSize = 64 << 10

// decode returns the text of in as UTF-8. name is its name in errors.
func (e Encoding) decode(in io.Reader, name string) io.Reader {
	switch e {
	case UTF16LE, UTF16BE:
		return &utf16Reader{in: in, name: name, bigEndian: e == UTF16BE, line: 1, column: 1}
	case Windows1252:
		return transform.NewReader(bufio.NewReaderSize(in, decodeSize), decoder1252{})
	}
	return in
}

// encoder returns an encoder of UTF-8 text. It returns nil for UTF-8.
func (e Encoding) encoder() transform.Transformer {
	switch e {
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder()
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder()
	case Windows1252:
		return encoder1252{}
	}
	return nil
}

// lacks returns the first character of value that the encoding does not have. Only a UTF-8 list can
// hold a byte that is not UTF-8.
func (e Encoding) lacks(value string) (char rune, found bool) {
	if e == UTF8 {
		return 0, false
	}
	for i, char := range value {
		if char == utf8.RuneError && !strings.HasPrefix(value[i:], string(utf8.RuneError)) {
			return char, true
		}
		if _, holds := encode1252(char); e == Windows1252 && !holds {
			return char, true
		}
	}
	return 0, false
}
