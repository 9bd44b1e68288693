package form

import (
	"regexp"
	"strings"
)

// Markdown is Markdown with the entries as lists.
type Markdown struct{}

func (Markdown) Begin() string              { return "" }
func (Markdown) End() string                { return "" }
func (Markdown) Title(text string) string   { return "# " + escaped(text) + "\n" }
func (Markdown) Section(text string) string { return "## " + escaped(text) + "\n\n" }
func (Markdown) Gap() string                { return "\n" }
func (Markdown) Line(text string) string    { return escaped(text) + "\n\n" }
func (Markdown) Fixed(text string) string   { return "    " + text + "\n" }

func (Markdown) Item(text string) string {
	indent, trimmed := indented(text)
	return indent + "- " + escaped(trimmed) + "\n"
}

func (Markdown) Command(words []string) string { return "\n    " + commandLines(words) + "\n\n" }

func (Markdown) Entry(name, text string) string {
	indent, trimmed := indented(name)
	if trimmed == "" {
		return "  " + escaped(text) + "\n"
	}
	return indent + "- **" + escaped(trimmed) + "**: " + escaped(text) + "\n"
}

func (f Markdown) Prose(name, text string) string { return f.Entry(name, text) }
func (f Markdown) Alert(name, text string) string { return f.Entry(name, text) }

func (f Markdown) Finding(result, rule, seen string) string {
	return f.Entry(result, rule) + f.Entry("", seen)
}

// indented returns a text without the spaces that it begins with, and these.
func indented(text string) (indent, trimmed string) {
	trimmed = strings.TrimLeft(text, " ")
	return text[:len(text)-len(trimmed)], trimmed
}

// special are the characters that Markdown would read as marks.
var special = regexp.MustCompile("[\\\\`*_<>\\[\\]|#]")

// escaped returns text as Markdown that shows it unchanged.
func escaped(text string) string { return special.ReplaceAllString(text, `\$0`) }
