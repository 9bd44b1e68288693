package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// line is one line of a terminal that is written again and again. The zero line has no terminal and writes
// nothing. The caller guards it.
type line struct {
	out     io.Writer
	columns func() int // of the terminal
	now     func() time.Time

	text    string // that was written last; "" for none
	written time.Time
}

// redraw is how often the line is written, at most.
const redraw = 100 * time.Millisecond

// usualColumns is the width of a terminal that does not say its own.
const usualColumns = 80

// show writes the parts that fit, the first ones first. A text that follows another one at once is left
// out, unless it begins in another way: another stage, or a wait.
func (l *line) show(parts ...string) {
	if l.out == nil {
		return
	}
	text, now := fittedLine(parts, l.width()), l.now()
	if text == l.text || now.Sub(l.written) < redraw && stage(text) == stage(l.text) {
		return
	}
	l.text, l.written = text, now
	fmt.Fprint(l.out, "\r"+text+ansi.EraseLineRight)
}

// stage returns the first word of a text.
func stage(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// clear removes the line. The next text of the terminal stands in its place.
func (l *line) clear() {
	if l.text != "" {
		fmt.Fprint(l.out, "\r"+ansi.EraseLineRight)
		l.text = ""
	}
}

// width returns how many columns the line may take: one less than the terminal has, because some terminals
// begin a new line behind the last one.
func (l *line) width() int {
	columns := 0
	if l.columns != nil {
		columns = l.columns()
	}
	if columns <= 0 {
		columns = usualColumns
	}
	return columns - 1
}

// fittedLine joins the first parts that fit, and cuts the first one when it does not.
func fittedLine(parts []string, width int) string {
	text := ""
	for i, part := range parts {
		if i > 0 {
			part = text + ", " + part
		}
		if ansi.StringWidth(part) > width && i > 0 {
			break
		}
		text = part
	}
	return ansi.Truncate(text, width, "…")
}
