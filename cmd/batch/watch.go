package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"payonce/pipeline/report"
)

// statusEvery is how often the status is shown when the user does not say.
const statusEvery = 2 * time.Second

// statusClosingTime is how long a watch waits for a run that closes its journal, which then serves no readers.
const statusClosingTime = 10 * time.Second

// statusScreen is where the status is shown.
type statusScreen struct {
	Out   io.Writer
	Hints report.Hints
	JSON  bool
	// Colours says that the status has colours.
	Colours bool
	// Columns returns the width of the terminal that Out is. It is nil when Out is not a terminal: then
	// nothing is overwritten.
	Columns func() int
}

// watchStatus shows the status once, or with an interval above 0 until nothing runs.
func watchStatus(ctx context.Context, every time.Duration, screen statusScreen, status statusReader) error {
	shown := 0 // lines on the terminal that the next status overwrites
	for {
		found, err := status()
		if err != nil {
			return err
		}
		if shown, err = screen.show(found, shown, every > 0); err != nil {
			return err
		}
		if every == 0 || found.Idle() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}

// show shows a status over the lines of the one before, and returns its number of lines.
func (s statusScreen) show(found *report.Status, before int, again bool) (lines int, err error) {
	if s.JSON {
		return 0, report.WriteJSON(s.Out, found)
	}
	var text bytes.Buffer
	if err := report.WriteColoured(&text, found, s.Hints, s.Colours); err != nil {
		return 0, err
	}
	switch {
	case !again:
		_, err = s.Out.Write(text.Bytes())
		return 0, err
	case s.Columns == nil:
		_, err = fmt.Fprintf(s.Out, "%s\n", text.Bytes())
		return 0, err
	}
	return s.overwrite(text.String(), before)
}

// overwrite replaces the last lines of the terminal. A line that is longer than the terminal is wide is
// cut: it would take two lines.
func (s statusScreen) overwrite(text string, before int) (lines int, err error) {
	var screen strings.Builder
	if before > 0 {
		fmt.Fprintf(&screen, "\x1b[%dA\x1b[J", before) // up, and clear what is below
	}
	for line := range strings.Lines(text) {
		screen.WriteString(cut(strings.TrimSuffix(line, "\n"), s.Columns()) + "\n")
		lines++
	}
	_, err = io.WriteString(s.Out, screen.String())
	return lines, err
}

// cut returns the first characters of a line, as many as columns; all of it when the width is not known.
func cut(line string, columns int) string {
	if columns <= 0 {
		return line
	}
	return ansi.Truncate(line, columns, "")
}
