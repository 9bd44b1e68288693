package report

import (
	"cmp"
	"fmt"
	"io"
)

// page is what a report is rendered on, in one of the forms of package form. It keeps the first error.
type page struct {
	layout
	w     io.Writer
	hints Hints
	err   error
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
	// Item returns an item of a list, which may be indented.
	Item(text string) string
	// Fixed returns a line of a table whose columns are padded with spaces.
	Fixed(text string) string
	// Table returns a table. Each row has a cell for each name of the header.
	Table(header []string, rows [][]string) string
	// Command returns a command, in lines of a width that the form chooses.
	Command(words []string) string
	// Entry returns a name and what there is to say about it. A name may be indented. Without a
	// name the entry continues the one before.
	Entry(name, text string) string
	// Prose returns an entry whose text may be long.
	Prose(name, text string) string
	// Alert is Prose about something that somebody should look at.
	Alert(name, text string) string
	// Finding returns a result, the rule that it is about, and what was seen.
	Finding(result, rule, seen string) string
}

func (p *page) write(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, text)
	}
}

func (p *page) title(format string, args ...any) {
	p.write(p.layout.Title(fmt.Sprintf(format, args...)))
}

// section begins a part of a report, after an empty line.
func (p *page) section(format string, args ...any) {
	p.gap()
	p.write(p.layout.Section(fmt.Sprintf(format, args...)))
}

func (p *page) gap()                            { p.write(p.layout.Gap()) }
func (p *page) line(format string, args ...any) { p.write(p.layout.Line(fmt.Sprintf(format, args...))) }

func (p *page) item(format string, args ...any) { p.write(p.layout.Item(fmt.Sprintf(format, args...))) }

func (p *page) fixed(format string, args ...any) {
	p.write(p.layout.Fixed(fmt.Sprintf(format, args...)))
}
func (p *page) table(header []string, rows [][]string) { p.write(p.layout.Table(header, rows)) }
func (p *page) command(words []string)                 { p.write(p.layout.Command(words)) }

func (p *page) entry(name, format string, args ...any) {
	p.write(p.layout.Entry(name, fmt.Sprintf(format, args...)))
}

func (p *page) prose(name, format string, args ...any) {
	p.write(p.layout.Prose(name, fmt.Sprintf(format, args...)))
}

func (p *page) alert(name, format string, args ...any) {
	p.write(p.layout.Alert(name, fmt.Sprintf(format, args...)))
}

func (p *page) finding(result, rule, seen string) { p.write(p.layout.Finding(result, rule, seen)) }

// hint returns what a reader can do about what a code names, "" for nothing.
func (p *page) hint(code string, values ...any) string {
	if p.hints == nil {
		return ""
	}
	return p.hints(code, values...)
}

// remedy returns who can do what about a refusal of the service.
func (p *page) remedy(code string) string { return cmp.Or(p.hint(code), "Find out what it means") }
