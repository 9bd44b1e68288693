// Package form has the forms of reports: text, Markdown and HTML.
package form

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// LineWidth is how many columns a line of text has at most where its words can be moved to
// the next.
const LineWidth = 80

// nameWidth is how many columns the name of an entry takes.
const nameWidth = 25

// Text is text in two columns.
type Text struct {
	Colour bool // with the colours of a terminal
}

func (Text) Begin() string                { return "" }
func (Text) End() string                  { return "" }
func (f Text) Title(text string) string   { return f.styled(ansi.Style{}.Bold(), text) + "\n" }
func (f Text) Section(text string) string { return f.styled(ansi.Style{}.Bold(), text) + "\n" }
func (Text) Gap() string                  { return "\n" }
func (Text) Line(text string) string      { return text + "\n" }
func (Text) Item(text string) string      { return text + "\n" }
func (Text) Fixed(text string) string     { return text + "\n" }

// styled returns a text in a style when there are colours.
func (f Text) styled(style ansi.Style, text string) string {
	if !f.Colour || text == "" {
		return text
	}
	return style.Styled(text)
}

// The colours of what is well, of what somebody should look at, and of what is wrong.
func good() ansi.Style    { return ansi.Style{}.ForegroundColor(ansi.Green) }
func caution() ansi.Style { return ansi.Style{}.ForegroundColor(ansi.Yellow) }
func bad() ansi.Style     { return ansi.Style{}.ForegroundColor(ansi.Red) }

// styleOf returns the style of the result of a finding.
func styleOf(result string) ansi.Style {
	switch result {
	case "ok", "agrees":
		return good()
	case "problem", "differs":
		return bad()
	}
	return caution()
}

// Alert is Prose about something that somebody should look at.
func (f Text) Alert(name, text string) string {
	var lines strings.Builder
	for line := range strings.Lines(f.Prose(name, text)) {
		lines.WriteString(f.styled(caution(), strings.TrimSuffix(line, "\n")) + "\n")
	}
	return lines.String()
}

func (Text) Command(words []string) string { return "  " + commandLines(words) + "\n" }

func (Text) Entry(name, text string) string { return fmt.Sprintf("%-*s %s\n", nameWidth, name, text) }

func (f Text) Prose(name, text string) string {
	var lines strings.Builder
	for _, part := range Wrap(strings.Fields(text), LineWidth-nameWidth-1) {
		lines.WriteString(f.Entry(name, part))
		name = ""
	}
	return lines.String()
}

func (f Text) Finding(result, rule, seen string) string {
	const margin = 12
	var lines strings.Builder
	for _, text := range Wrap(strings.Fields(rule), LineWidth-margin) {
		fmt.Fprintf(&lines, "%s%s\n", f.styled(styleOf(strings.TrimSpace(result)), fmt.Sprintf("%-*s", margin, result)), text)
		result = ""
	}
	for _, text := range Wrap(strings.Fields(seen), LineWidth-margin-2) {
		fmt.Fprintf(&lines, "%-*s%s\n", margin+2, "", text)
	}
	return lines.String()
}

// commandLines returns a command as a shell reads it, in lines that fit the width.
func commandLines(words []string) string {
	return strings.Join(Wrap(words, LineWidth-len("    \\ ")), " \\\n    ")
}

// Wrap puts words into lines of at most width characters; a longer word has a line of its
// own.
func Wrap(words []string, width int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
