// Package report holds the values that use cases return. One set of values is rendered as
// text, JSON, Markdown and HTML.
package report

import (
	"encoding/json"
	"io"

	"payonce/internal/report/form"
)

// Report is what a use case found or did.
type Report interface {
	render(p *page)
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

func write(w io.Writer, r Report, in layout, hints Hints) error {
	p := &page{layout: in, w: w, hints: hints}
	p.write(in.Begin())
	r.render(p)
	p.write(in.End())
	return p.err
}

// JSON writes one object, indented.
func JSON(w io.Writer, object any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object)
}
