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

// Encoding is how the text of a list is kept in bytes. Everything but UTF-8 is
// decoded before it is scanned and encoded after it is written; both lose nothing.
type Encoding string

// The encodings of lists. Bytes of a UTF-8 list that are no UTF-8 are carried over as
// they are.
const (
	UTF8        Encoding = "UTF-8"
	UTF16LE     Encoding = "UTF-16LE"
	UTF16BE     Encoding = "UTF-16BE"
	Windows1252 Encoding = "Windows-1252"
)

// ParseEncoding returns the encoding with a name as it is commonly written.
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
	return "", fmt.Errorf("the encoding %q is not supported; give %s, %s, %s or %s", name, UTF8, UTF16LE, UTF16BE, Windows1252)
}

// The byte order marks.
const (
	utf8Mark    = "\xef\xbb\xbf"
	utf16LEMark = "\xff\xfe"
	utf16BEMark = "\xfe\xff"
)

// detectEncoding returns the encoding of a list that begins with sample; whole says that
// nothing follows it. A byte order mark decides, else what was declared, else the bytes;
// guessed says that they leave a doubt.
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

// utf16Sample is how much of a list shows whether it is UTF-16, in bytes.
const utf16Sample = 1 << 10

// looksUTF16 reports whether a list without a mark is evidently UTF-16: the first and
// three quarters of its first characters are ASCII, so that one byte of each is NUL, the
// one at high in it, and none is NUL itself.
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

// validUTF8 reports whether the sample is UTF-8, but for a last character that may be cut.
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

// looksWindows1252 reports whether text that is no UTF-8 reads as Windows-1252: nine
// in ten of its bytes beyond ASCII are ones that Western text has at such a place.
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

// plausibleWindows1252 reports whether char beyond ASCII fits between its neighbours. A
// letter stands with ASCII, for whole words beyond it are of other scripts; a sign does
// not stand within a word, but for the apostrophe.
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

// isLetter1252 reports whether a byte is a letter beyond ASCII in Windows-1252.
func isLetter1252(char byte) bool {
	switch char {
	case 0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f, 0xaa, 0xba:
		return true
	}
	return char >= 0xc0 && char != 0xd7 && char != 0xf7
}

func isASCIILetter(char byte) bool { return 'a' <= char|0x20 && char|0x20 <= 'z' }

// decodeSize is what is read at once to be decoded, in bytes.
const decodeSize = 64 << 10

// decode returns the text of in as UTF-8; name stands for it in errors.
func (e Encoding) decode(in io.Reader, name string) io.Reader {
	switch e {
	case UTF16LE, UTF16BE:
		return &utf16Reader{in: in, name: name, bigEndian: e == UTF16BE, line: 1, column: 1}
	case Windows1252:
		return transform.NewReader(bufio.NewReaderSize(in, decodeSize), decoder1252{})
	}
	return in
}

// encoder returns what encodes UTF-8 text, nil when nothing is to be done.
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

// lacks returns the first character of value that the encoding cannot hold. A byte that
// is no UTF-8 is one only UTF-8 lists can hold, as it is.
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
