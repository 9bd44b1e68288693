package report

import (
	"cmp"
	"fmt"
)

// Page is what a report is rendered on, in one of the forms text, Markdown and HTML.
type Page struct {
	*Writer
	hints Hints
}

// Titlef writes the first line of a report.
func (p *Page) Titlef(format string, args ...any) { p.Title(fmt.Sprintf(format, args...)) }

// Sectionf begins a part of a report, after an empty line.
func (p *Page) Sectionf(format string, args ...any) { p.Section(fmt.Sprintf(format, args...)) }

// Linef writes a line of its own, or a paragraph.
func (p *Page) Linef(format string, args ...any) { p.Line(fmt.Sprintf(format, args...)) }

// Itemf writes an item of a list.
func (p *Page) Itemf(format string, args ...any) { p.Item(fmt.Sprintf(format, args...)) }

// Fixedf writes a line of a table whose columns are padded with spaces.
func (p *Page) Fixedf(format string, args ...any) { p.Fixed(fmt.Sprintf(format, args...)) }

// Entryf writes a name and what there is to say about it.
func (p *Page) Entryf(name, format string, args ...any) { p.Entry(name, fmt.Sprintf(format, args...)) }

// Prosef writes an entry whose text may be long.
func (p *Page) Prosef(name, format string, args ...any) { p.Prose(name, fmt.Sprintf(format, args...)) }

// Alertf writes an entry about something that somebody should look at.
func (p *Page) Alertf(name, format string, args ...any) { p.Alert(name, fmt.Sprintf(format, args...)) }

// Hint returns what a reader can do about what a code names, "" for nothing.
func (p *Page) Hint(code string, values ...any) string {
	if p.hints == nil {
		return ""
	}
	return p.hints(code, values...)
}

// Remedy returns who can do what about a refusal of the service.
func (p *Page) Remedy(code string) string { return cmp.Or(p.Hint(code), "Find out what it means") }
