package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// LineWidth is how many columns a line of text has at most where its words can be moved to
// the next.
const LineWidth = 80

// nameWidth is how many columns the name of an entry takes.
const nameWidth = 25

// page is what a report is rendered on, in one of the forms. It keeps the first error.
type page struct {
	form
	w     io.Writer
	hints Hints
	err   error
}

// form is how the parts of a report look. Each method returns whole lines.
type form interface {
	// begin and end return what comes before and after all parts.
	begin() string
	end() string
	// title returns the first line of a report.
	title(text string) string
	// section returns the title of a part of a report.
	section(text string) string
	// gap returns an empty line.
	gap() string
	// line returns a line of its own, or a paragraph.
	line(text string) string
	// item returns an item of a list, which may be indented.
	item(text string) string
	// fixed returns a line of a table whose columns are padded with spaces.
	fixed(text string) string
	// command returns a command, in lines of a width that the form chooses.
	command(words []string) string
	// entry returns a name and what there is to say about it. A name may be indented. Without a
	// name the entry continues the one before.
	entry(name, text string) string
	// prose returns an entry whose text may be long.
	prose(name, text string) string
	// finding returns a result, the rule that it is about, and what was seen.
	finding(result, rule, seen string) string
}

func (p *page) write(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, text)
	}
}

func (p *page) title(format string, args ...any) { p.write(p.form.title(fmt.Sprintf(format, args...))) }

// section begins a part of a report, after an empty line.
func (p *page) section(format string, args ...any) {
	p.gap()
	p.write(p.form.section(fmt.Sprintf(format, args...)))
}

func (p *page) gap()                            { p.write(p.form.gap()) }
func (p *page) line(format string, args ...any) { p.write(p.form.line(fmt.Sprintf(format, args...))) }

func (p *page) item(format string, args ...any) { p.write(p.form.item(fmt.Sprintf(format, args...))) }

func (p *page) fixed(format string, args ...any) { p.write(p.form.fixed(fmt.Sprintf(format, args...))) }
func (p *page) command(words []string)           { p.write(p.form.command(words)) }

func (p *page) entry(name, format string, args ...any) {
	p.write(p.form.entry(name, fmt.Sprintf(format, args...)))
}

func (p *page) prose(name, format string, args ...any) {
	p.write(p.form.prose(name, fmt.Sprintf(format, args...)))
}

func (p *page) finding(result, rule, seen string) { p.write(p.form.finding(result, rule, seen)) }

// hint returns what a reader can do about what a code names, "" for nothing.
func (p *page) hint(code string, values ...any) string {
	if p.hints == nil {
		return ""
	}
	return p.hints(code, values...)
}

// remedy returns who can do what about a refusal of the service.
func (p *page) remedy(code string) string { return cmp.Or(p.hint(code), "Find out what it means") }

// plain is text in two columns.
type plain struct{}

func (plain) begin() string              { return "" }
func (plain) end() string                { return "" }
func (plain) title(text string) string   { return text + "\n" }
func (plain) section(text string) string { return text + "\n" }
func (plain) gap() string                { return "\n" }
func (plain) line(text string) string    { return text + "\n" }
func (plain) item(text string) string    { return text + "\n" }
func (plain) fixed(text string) string   { return text + "\n" }

func (plain) command(words []string) string { return "  " + commandLines(words) + "\n" }

func (plain) entry(name, text string) string { return fmt.Sprintf("%-*s %s\n", nameWidth, name, text) }

func (f plain) prose(name, text string) string {
	var lines strings.Builder
	for _, part := range Wrap(strings.Fields(text), LineWidth-nameWidth-1) {
		lines.WriteString(f.entry(name, part))
		name = ""
	}
	return lines.String()
}

func (plain) finding(result, rule, seen string) string {
	const margin = 12
	var lines strings.Builder
	for _, text := range Wrap(strings.Fields(rule), LineWidth-margin) {
		fmt.Fprintf(&lines, "%-*s%s\n", margin, result, text)
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
