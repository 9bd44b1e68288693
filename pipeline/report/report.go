// Package report renders the values that use cases return as text, JSON, Markdown and HTML. The packages below
// it have these values.
package report

import (
	"encoding/json"
	"io"
)

// Report is what a use case found or did.
type Report interface {
	Render(p *Page)
}

// Hints words what a reader can do next about what a code names, with values that belong in
// the text; "" for nothing. Reports know no commands and no flags.
type Hints func(code string, values ...any) string

// WriteText writes a report for a person at a terminal.
func WriteText(w io.Writer, r Report, hints Hints) error { return write(w, r, textLayout{}, hints) }

// WriteColoured is Text, with colours if there are to be some.
func WriteColoured(w io.Writer, r Report, hints Hints, colours bool) error {
	return write(w, r, textLayout{Colour: colours}, hints)
}

// WriteMarkdown writes a report as Markdown.
func WriteMarkdown(w io.Writer, r Report, hints Hints) error {
	return write(w, r, markdownLayout{}, hints)
}

// WriteHTML writes a report as one HTML page.
func WriteHTML(w io.Writer, r Report, hints Hints) error { return write(w, r, &htmlLayout{}, hints) }

// WriteHTMLPart writes a report as a part of an HTML page with the style of CSS.
func WriteHTMLPart(w io.Writer, r Report, hints Hints) error { return write(w, r, htmlPart(), hints) }

func write(w io.Writer, r Report, in layout, hints Hints) error {
	p := &Page{layout: in, to: w, hints: hints}
	p.write(in.Begin())
	r.Render(p)
	p.write(in.End())
	return p.err
}

// WriteJSON writes one object, indented.
func WriteJSON(w io.Writer, object any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object)
}
