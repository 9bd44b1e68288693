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

// Renderer is what a use case outside this package returns, as a value that can be rendered.
type Renderer interface {
	Render(w *form.Writer)
}

// Of returns a report that Text, Markdown and HTML accept. For JSON take the value itself.
func Of(r Renderer) Report { return rendered{r} }

type rendered struct{ value Renderer }

func (r rendered) render(p *page) { r.value.Render(p.Writer) }

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
	p := &page{Writer: form.NewWriter(w, in), hints: hints}
	p.Begin()
	r.render(p)
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
