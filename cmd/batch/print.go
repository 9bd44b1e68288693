package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"unicode/utf8"
)

// printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

// The columns of a line: how many it has at most where its words can be moved to the
// next, and how many its name takes.
const (
	lineWidth = 80
	nameWidth = 25
)

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// entry writes a name and what there is to say about it, in two columns.
func (p *printer) entry(name, format string, args ...any) {
	p.line("%-*s %s", nameWidth, name, fmt.Sprintf(format, args...))
}

// prose is an entry whose text goes on in the next line where it is long.
func (p *printer) prose(name, format string, args ...any) {
	for _, text := range wrapped(strings.Fields(fmt.Sprintf(format, args...)), lineWidth-nameWidth-1) {
		p.entry(name, "%s", text)
		name = ""
	}
}

// counted writes how many there are of something.
func counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// wrapped puts words into lines of at most width characters; a longer word has a line
// of its own.
func wrapped(words []string, width int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// unlessUnread returns an error of telling how something ended, but none where nobody
// reads that: it ended so all the same, and the exit code says how.
func unlessUnread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// printJSON writes one object, indented.
func printJSON(w io.Writer, object any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object)
}
