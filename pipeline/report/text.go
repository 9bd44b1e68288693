// This file has the forms of reports: text, Markdown and HTML.

package report

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

// textLayout is text in two columns.
type textLayout struct {
	Colour bool // with the colours of a terminal
}

func (textLayout) Begin() string              { return "" }
func (textLayout) End() string                { return "" }
func (f textLayout) Title(text string) string { return f.styled(ansi.Style{}.Bold(), text) + "\n" }

func (f textLayout) Section(text string) string { return f.styled(ansi.Style{}.Bold(), text) + "\n" }
func (textLayout) Gap() string                  { return "\n" }
func (textLayout) Line(text string) string      { return text + "\n" }
func (textLayout) Item(text string) string      { return text + "\n" }
func (textLayout) Fixed(text string) string     { return text + "\n" }

func (textLayout) Fold() string { return "" }

func (textLayout) Lead(text string) string {
	return strings.Join(Wrap(strings.Fields(text), LineWidth), "\n") + "\n"
}

func (f textLayout) Figures(figures []Figure) string { return figureEntries(f, figures) }

// figureEntries writes numbers as entries.
func figureEntries(in layout, figures []Figure) (lines string) {
	for _, one := range figures {
		lines += in.Entry(one.Name, strings.TrimSpace(one.Value+" "+one.Note))
	}
	return lines
}

// styled returns a text in a style when there are colours.
func (f textLayout) styled(style ansi.Style, text string) string {
	if !f.Colour || text == "" {
		return text
	}
	return style.Styled(text)
}

// The colours of what is well, of what needs attention, and of what is wrong.
func good() ansi.Style    { return ansi.Style{}.ForegroundColor(ansi.Green) }
func caution() ansi.Style { return ansi.Style{}.ForegroundColor(ansi.Yellow) }
func bad() ansi.Style     { return ansi.Style{}.ForegroundColor(ansi.Red) }

// styleOf returns the style of the result of a check.
func styleOf(result string) ansi.Style {
	switch result {
	case "ok", "agrees":
		return good()
	case "problem", "differs":
		return bad()
	}
	return caution()
}

// Alert is Prose about something that needs attention.
func (f textLayout) Alert(name, text string) string {
	var lines strings.Builder
	for line := range strings.Lines(f.Prose(name, text)) {
		lines.WriteString(f.styled(caution(), strings.TrimSuffix(line, "\n")) + "\n")
	}
	return lines.String()
}

func (textLayout) Command(words []string) string { return "  " + commandLines(words) + "\n" }

func (textLayout) Entry(name, text string) string {
	return fmt.Sprintf("%-*s %s\n", nameWidth, name, text)
}

func (f textLayout) Prose(name, text string) string {
	var lines strings.Builder
	for _, part := range Wrap(strings.Fields(text), LineWidth-nameWidth-1) {
		lines.WriteString(f.Entry(name, part))
		name = ""
	}
	return lines.String()
}

func (f textLayout) Result(result, rule, seen string) string {
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
