package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// entry writes a name and what there is to say about it, in two columns.
func (p *printer) entry(name, format string, args ...any) {
	p.line("%-24s %s", name, fmt.Sprintf(format, args...))
}

// printJSON writes one object, indented.
func printJSON(w io.Writer, object any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object)
}
