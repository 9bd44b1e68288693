package service

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// PlainText returns text as [Caller.Plain] does, without looking for a key.
func PlainText(text string, limit int) string { return cut(visible(text), limit) }

// visible returns text on one line, without control and invisible formatting characters.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// cut returns at most limit bytes of a text, without half a character at the end.
func cut(text string, limit int) string {
	if text = strings.TrimSpace(text); len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
