package report

import (
	"regexp"
	"strings"
)

// markdown is Markdown with the entries as lists.
type markdown struct{}

func (markdown) begin() string              { return "" }
func (markdown) end() string                { return "" }
func (markdown) title(text string) string   { return "# " + escaped(text) + "\n" }
func (markdown) section(text string) string { return "## " + escaped(text) + "\n\n" }
func (markdown) gap() string                { return "\n" }
func (markdown) line(text string) string    { return escaped(text) + "\n\n" }
func (markdown) fixed(text string) string   { return "    " + text + "\n" }

func (markdown) item(text string) string {
	indent, trimmed := indented(text)
	return indent + "- " + escaped(trimmed) + "\n"
}

func (markdown) command(words []string) string { return "\n    " + commandLines(words) + "\n\n" }

func (markdown) entry(name, text string) string {
	indent, trimmed := indented(name)
	if trimmed == "" {
		return "  " + escaped(text) + "\n"
	}
	return indent + "- **" + escaped(trimmed) + "**: " + escaped(text) + "\n"
}

func (f markdown) prose(name, text string) string { return f.entry(name, text) }

func (f markdown) finding(result, rule, seen string) string {
	return f.entry(result, rule) + f.entry("", seen)
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
