package report

import (
	"cmp"
	"fmt"

	"payonce/internal/report/form"
)

// page is what a report is rendered on, in one of the forms of package form.
type page struct {
	*form.Writer
	hints Hints
}

func (p *page) title(format string, args ...any) { p.Title(fmt.Sprintf(format, args...)) }

// section begins a part of a report, after an empty line.
func (p *page) section(format string, args ...any) { p.Section(fmt.Sprintf(format, args...)) }

func (p *page) gap()                                   { p.Gap() }
func (p *page) line(format string, args ...any)        { p.Line(fmt.Sprintf(format, args...)) }
func (p *page) item(format string, args ...any)        { p.Item(fmt.Sprintf(format, args...)) }
func (p *page) fixed(format string, args ...any)       { p.Fixed(fmt.Sprintf(format, args...)) }
func (p *page) table(header []string, rows [][]string) { p.Table(header, rows) }
func (p *page) command(words []string)                 { p.Command(words) }

func (p *page) entry(name, format string, args ...any) { p.Entry(name, fmt.Sprintf(format, args...)) }

func (p *page) prose(name, format string, args ...any) { p.Prose(name, fmt.Sprintf(format, args...)) }

func (p *page) alert(name, format string, args ...any) { p.Alert(name, fmt.Sprintf(format, args...)) }
func (p *page) finding(result, rule, seen string)      { p.Finding(result, rule, seen) }

// hint returns what a reader can do about what a code names, "" for nothing.
func (p *page) hint(code string, values ...any) string {
	if p.hints == nil {
		return ""
	}
	return p.hints(code, values...)
}

// remedy returns who can do what about a refusal of the service.
func (p *page) remedy(code string) string { return cmp.Or(p.hint(code), "Find out what it means") }
