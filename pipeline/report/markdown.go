package report

import (
	"regexp"
	"strings"
)

// markdownLayout is Markdown with the entries as lists.
type markdownLayout struct{}

func (markdownLayout) Begin() string              { return "" }
func (markdownLayout) End() string                { return "" }
func (markdownLayout) Title(text string) string   { return "# " + escaped(text) + "\n" }
func (markdownLayout) Section(text string) string { return "## " + escaped(text) + "\n\n" }
func (markdownLayout) Gap() string                { return "\n" }
func (markdownLayout) Line(text string) string    { return escaped(text) + "\n\n" }
func (markdownLayout) Fold() string               { return "" }
func (markdownLayout) Lead(text string) string    { return escaped(text) + "\n\n" }
func (markdownLayout) Fixed(text string) string   { return "    " + text + "\n" }

func (markdownLayout) Item(text string) string {
	indent, trimmed := indented(text)
	return indent + "- " + escaped(trimmed) + "\n"
}

func (markdownLayout) Command(words []string) string { return "\n    " + commandLines(words) + "\n\n" }

func (markdownLayout) Entry(name, text string) string {
	indent, trimmed := indented(name)
	if trimmed == "" {
		return "  " + escaped(text) + "\n"
	}
	return indent + "- **" + escaped(trimmed) + "**: " + escaped(text) + "\n"
}

func (f markdownLayout) Figures(figures []Figure) string { return figureEntries(f, figures) }

func (f markdownLayout) Prose(name, text string) string { return f.Entry(name, text) }
func (f markdownLayout) Alert(name, text string) string { return f.Entry(name, text) }

func (f markdownLayout) Result(result, rule, seen string) string {
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
