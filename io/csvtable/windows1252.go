package csvtable

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// decode1252 returns the character of a byte in Windows-1252. The five bytes without a meaning
// become control characters, as in browsers. golang.org/x/text would lose them.
func decode1252(char byte) rune {
	if decoded := charmap.Windows1252.DecodeByte(char); decoded != utf8.RuneError {
		return decoded
	}
	return rune(char)
}

// encode1252 is the inverse of decode1252.
func encode1252(char rune) (encoded byte, found bool) {
	if encoded, found = charmap.Windows1252.EncodeRune(char); found {
		return encoded, true
	}
	encoded = byte(char)
	return encoded, char < 0xa0 && charmap.Windows1252.DecodeByte(encoded) == utf8.RuneError
}

// decoder1252 transforms Windows-1252 into UTF-8.
type decoder1252 struct{ transform.NopResetter }

func (decoder1252) Transform(dst, src []byte, _ bool) (written, read int, err error) {
	for ; read < len(src); read++ {
		char := src[read]
		if char < utf8.RuneSelf && written < len(dst) {
			dst[written] = char
			written++
			continue
		}
		decoded := decode1252(char)
		if written+utf8.RuneLen(decoded) > len(dst) {
			return written, read, transform.ErrShortDst
		}
		written += utf8.EncodeRune(dst[written:], decoded)
	}
	return written, read, nil
}

// encoder1252 transforms UTF-8 into Windows-1252.
type encoder1252 struct{ transform.NopResetter }

func (encoder1252) Transform(dst, src []byte, last bool) (written, read int, err error) {
	for read < len(src) {
		if written == len(dst) {
			return written, read, transform.ErrShortDst
		}
		if char := src[read]; char < utf8.RuneSelf {
			dst[written] = char
			written, read = written+1, read+1
			continue
		}
		if !last && !utf8.FullRune(src[read:]) {
			return written, read, transform.ErrShortSrc
		}
		char, size := utf8.DecodeRune(src[read:])
		encoded, found := encode1252(char)
		if !found {
			return written, read, encoding.ErrInvalidUTF8 // checked before
		}
		dst[written] = encoded
		written, read = written+1, read+size
	}
	return written, read, nil
}
