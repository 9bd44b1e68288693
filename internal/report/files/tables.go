package files

import (
	"fmt"
	"strings"

	"payonce/internal/outputs"
)

// Line is one line of a report.
type Line struct {
	Name, Text string
	Alert      bool // somebody should look at it
}

// shownUnread is how many cells that could not be read are shown as text.
const shownUnread = 5

// Lines shows the tables and the candidates that a run wrote. Both may be nil.
func Lines(tables *outputs.TablesWritten, choices *Choices) (lines []Line) {
	if tables != nil {
		lines = append(lines, Line{Name: "tables", Text: tablesText(tables)})
		if tables.Unread > 0 {
			lines = append(lines, Line{Name: "cells not read", Text: unread(tables), Alert: true})
		}
	}
	if choices.Written() != "" {
		lines = append(lines, Line{Name: "candidates", Text: choices.File})
	}
	return lines
}

func tablesText(t *outputs.TablesWritten) string {
	var written []string
	for _, one := range t.Tables {
		written = append(written, one.Name+" "+counted(one.Rows, "row"))
	}
	return t.Dir + ": " + strings.Join(written, ", ")
}

func unread(t *outputs.TablesWritten) string {
	shown := t.First[:min(len(t.First), shownUnread)]
	var cells []string
	for _, c := range shown {
		cells = append(cells, fmt.Sprintf("company %s: %s %s", c.Company, c.Column, c.Problem))
	}
	if more := t.Unread - int64(len(shown)); more > 0 {
		cells = append(cells, fmt.Sprintf("%d more", more))
	}
	return counted(t.Unread, "cell") + ": " + strings.Join(cells, "; ")
}

// counted writes a number of things.
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
