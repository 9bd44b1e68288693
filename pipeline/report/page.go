package report

import (
	"cmp"
	"io"
)

// Page is what a report is rendered on, in one of the forms text, Markdown and HTML.
type Page struct {
	layout layout
	to     io.Writer
	err    error // the first one of the writer; nothing is written after it
	hints  Hints
}

// layout is how the parts of a report look. Each method returns whole lines.
type layout interface {
	// Begin and End return what comes before and after all parts.
	Begin() string
	End() string
	// Title returns the first line of a report.
	Title(text string) string
	// Section returns the title of a part of a report.
	Section(text string) string
	// Gap returns an empty line.
	Gap() string
	// Line returns a line of its own, or a paragraph.
	Line(text string) string
	// Lead returns the paragraph that a report begins with.
	Lead(text string) string
	// Figures returns the most important numbers of a report.
	Figures(figures []Figure) string
	// Fold begins the parts of a report that a reader may leave out. Each has a title.
	Fold() string
	// Item returns an item of a list, which may be indented.
	Item(text string) string
	// Fixed returns a line of a table whose columns are padded with spaces.
	Fixed(text string) string
	// Table returns a table. Each row has a cell for each name of the header.
	Table(header []string, rows [][]string) string
	// LinkedTable is Table with a link in the first cell of each row, "" for none. A link is an escaped address.
	LinkedTable(header []string, rows [][]string, to []string) string
	// Command returns a command, in lines of a width that the form chooses.
	Command(words []string) string
	// Entry returns a name and what there is to say about it. A name may be indented. Without a
	// name the entry continues the one before.
	Entry(name, text string) string
	// Prose returns an entry whose text may be long.
	Prose(name, text string) string
	// Alert is Prose about something that needs attention.
	Alert(name, text string) string
	// Result returns a result, the rule that it is about, and what was seen.
	Result(result, rule, seen string) string
	// Plot returns a plot, or "" when the form has none. Text beside the plot has the same values.
	Plot(plot Plot) string
}

func (p *Page) write(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.to, text)
	}
}

// Titlef writes the first line of a report.
func (p *Page) Titlef(format string, args ...any) {
	p.write(p.layout.Title(Textf(format, args...)))
}

// Sectionf begins a part of a report, after an empty line.
func (p *Page) Sectionf(format string, args ...any) {
	p.write(p.layout.Gap() + p.layout.Section(Textf(format, args...)))
}

// Gap writes an empty line.
func (p *Page) Gap() { p.write(p.layout.Gap()) }

// Linef writes a line of its own, or a paragraph.
func (p *Page) Linef(format string, args ...any) {
	p.write(p.layout.Line(Textf(format, args...)))
}

// Leadf writes the paragraph that a report begins with.
func (p *Page) Leadf(format string, args ...any) {
	p.write(p.layout.Lead(Textf(format, args...)))
}

// Figure is one of the most important numbers of a report.
type Figure struct {
	Name  string
	Value string // a number or an amount
	Note  string // what it is compared with; "" for nothing
}

// Figures writes the most important numbers of a report.
func (p *Page) Figures(figures ...Figure) { p.write(p.layout.Figures(figures)) }

// Fold begins the parts of a report that a reader may leave out.
func (p *Page) Fold() { p.write(p.layout.Fold()) }

// Itemf writes an item of a list.
func (p *Page) Itemf(format string, args ...any) {
	p.write(p.layout.Item(Textf(format, args...)))
}

// Fixed writes a line of a table whose columns are padded with spaces.
func (p *Page) Fixed(text string) { p.write(p.layout.Fixed(text)) }

// Table writes a table.
func (p *Page) Table(header []string, rows [][]string) { p.write(p.layout.Table(header, rows)) }

// LinkedTable writes a table with a link in the first cell of each row.
func (p *Page) LinkedTable(header []string, rows [][]string, to []string) {
	p.write(p.layout.LinkedTable(header, rows, to))
}

// Command writes a command.
func (p *Page) Command(words []string) { p.write(p.layout.Command(words)) }

// Entryf writes a name and what there is to say about it.
func (p *Page) Entryf(name, format string, args ...any) {
	p.write(p.layout.Entry(name, Textf(format, args...)))
}

// Prosef writes an entry whose text may be long.
func (p *Page) Prosef(name, format string, args ...any) {
	p.write(p.layout.Prose(name, Textf(format, args...)))
}

// Alertf writes an entry about something that needs attention.
func (p *Page) Alertf(name, format string, args ...any) {
	p.write(p.layout.Alert(name, Textf(format, args...)))
}

// Result writes a result, the rule that it is about, and what was seen.
func (p *Page) Result(result, rule, seen string) { p.write(p.layout.Result(result, rule, seen)) }

// Plot writes a plot where the form has plots.
func (p *Page) Plot(plot Plot) { p.write(p.layout.Plot(plot)) }

// Hint returns what a reader can do about what a code names, "" for nothing.
func (p *Page) Hint(code string, values ...any) string {
	if p.hints == nil {
		return ""
	}
	return p.hints(code, values...)
}

// Remedy returns who can do what about a refusal of the service.
func (p *Page) Remedy(code string) string { return cmp.Or(p.Hint(code), "Find out what it means") }
