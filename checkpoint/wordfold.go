// This file finds words in texts, in the form in which names are equal.

package checkpoint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"payonce/enrich"
)

// words returns the words of a text in the form in which names are equal, with a space around each; "" for none.
func words(text string) string { return string(appendWords(nil, text)) }

// appendWords appends what words returns.
func appendWords(form []byte, text string) []byte {
	if text == "" {
		return form
	}
	start := len(form)
	if form = enrich.AppendName(form, text); len(form) == start { // it has no such form
		form = append(form, strings.ToLower(text)...)
	}
	folded := string(form[start:])
	form = append(form[:start], ' ')
	for _, r := range folded {
		switch {
		case !isSeparator(r):
			form = utf8.AppendRune(form, r)
		case form[len(form)-1] != ' ':
			form = append(form, ' ')
		}
	}
	if form[len(form)-1] != ' ' {
		form = append(form, ' ')
	}
	if len(form) == start+1 {
		return form[:start]
	}
	return form
}

// isSeparator reports whether a letter stands between words.
func isSeparator(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && (r < 'A' || r > 'Z')
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N)
}

func spaced(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return " " + strings.Join(all, " ") + " "
}

// containsWhole reports whether a text has an email or an address that is not part of a longer one.
func containsWhole(text, part string) bool {
	for from := 0; part != ""; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(part)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, size := utf8.DecodeRuneInString(text[end:])
		if after == '.' { // it may end a sentence
			after, _ = utf8.DecodeRuneInString(text[end+size:])
		}
		if (at == 0 || !isInside(before)) && (end == len(text) || !isInside(after)) {
			return true
		}
		from = at + 1
	}
	return false
}

// isInside reports whether emails and addresses can have the letter.
func isInside(r rune) bool {
	return r != utf8.RuneError && (!isSeparator(r) || strings.ContainsRune("._-+%~", r))
}
