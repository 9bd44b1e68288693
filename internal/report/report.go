// Package report renders the values that use cases return as text, JSON, Markdown and HTML. The packages below
// it have these values.
package report

import (
	"encoding/json"
	"io"

	"payonce/internal/report/form"
)

// Report is what a use case found or did.
type Report interface {
	Render(p *Page)
}

// Hints words what a reader can do next about what a code names, with values that belong in
// the text; "" for nothing. Reports know no commands and no flags.
type Hints func(code string, values ...any) string

// Text writes a report for a person at a terminal.
func Text(w io.Writer, r Report, hints Hints) error { return write(w, r, form.Text{}, hints) }

// Coloured is Text, with colours if there are to be some.
func Coloured(w io.Writer, r Report, hints Hints, colours bool) error {
	return write(w, r, form.Text{Colour: colours}, hints)
}

// Markdown writes a report as Markdown.
func Markdown(w io.Writer, r Report, hints Hints) error { return write(w, r, form.Markdown{}, hints) }

// HTML writes a report as one HTML page.
func HTML(w io.Writer, r Report, hints Hints) error { return write(w, r, &form.HTML{}, hints) }

func write(w io.Writer, r Report, in form.Layout, hints Hints) error {
	p := &Page{Writer: form.NewWriter(w, in), hints: hints}
	p.Begin()
	r.Render(p)
	p.End()
	return p.Err()
}

// JSON writes one object, indented.
func JSON(w io.Writer, object any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object)
}
