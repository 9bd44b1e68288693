package report

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"payonce/checkpoint"
	"payonce/configs"
	"payonce/cost"
)

// Counted writes how many there are of something.
func Counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Textf("%d %ss", n, noun)
}

// And joins words: "a, b and c".
func And(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// lowerFirst returns a text without a capital letter at its beginning.
func lowerFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}

// Lookups writes a number of lookups.
func Lookups(n int64) string { return Counted(n, "lookup") }

// people writes a number of people.
func people(n int64) string {
	if n == 1 {
		return "1 person"
	}
	return Textf("%d people", n)
}

// Time writes a time for a person, to the minute.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Counts writes counts by field.
func Counts(counts Values[int64]) string {
	var parts []string
	for _, one := range counts {
		parts = append(parts, Textf("%d %s", one.Value, one.Name))
	}
	return strings.Join(parts, ", ")
}

// Amounts writes amounts by field.
func Amounts(amounts Values[cost.Money]) string {
	var parts []string
	for _, one := range amounts {
		parts = append(parts, Textf("%s $%s", one.Name, one.Value))
	}
	return strings.Join(parts, ", ")
}

// Least returns the least that an amount can be, of which a part may turn out to have been
// free; nil when no part may.
func Least(amount, mayBeFree cost.Money) *cost.Money {
	if mayBeFree == 0 {
		return nil
	}
	least := amount - mayBeFree
	return &least
}

// upTo writes an amount, with its bounds while there is a least.
func upTo(least *cost.Money, most cost.Money) string {
	if least == nil {
		return USD(most)
	}
	return Textf("up to $%s (at least $%s)", most, least)
}

// Dollars writes an amount; nil is unknown.
func Dollars(amount *cost.Money) string {
	if amount == nil {
		return "unknown"
	}
	return USD(*amount)
}

// Known returns an optional value, nil where it is not known.
func Known[T any](o cost.Optional[T]) *T {
	if !o.Known {
		return nil
	}
	return &o.Value
}

// Printable returns a text from any source without the characters that control a terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// RateText writes a limit as people write it, such as 30/60s.
func RateText(limit checkpoint.Rate) string {
	rate := configs.RateFlag(limit)
	return rate.String()
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWord writes one word of a command.
func ShellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellLine writes words as a command line.
func ShellLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellWord(word)
	}
	return strings.Join(quoted, " ")
}

// ShellWords returns the words of a command, without the quotes that ShellWord wrote.
func ShellWords(command string) (words []string) {
	var word strings.Builder
	quoted := false
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\'':
			quoted = !quoted
		case c == '\\' && !quoted && i+1 < len(command):
			i++
			word.WriteByte(command[i])
		case c == ' ' && !quoted:
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteByte(c)
		}
	}
	return append(words, word.String())
}

// Cut returns at most width characters of a text, the last one an ellipsis where some are missing.
func Cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// Fit returns a text in exactly width characters.
func Fit(text string, width int) string { return fmt.Sprintf("%-*s", width, Cut(text, width)) }
