package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/schollz/progressbar/v3"
)

// line is one line of a terminal with a bar of progress. The zero line has no terminal and writes nothing.
// The caller guards it.
type line struct {
	out     io.Writer
	columns func() int // of the terminal

	bar   *progressbar.ProgressBar // nil when nothing is shown
	stage string                   // the first word of the text that is shown
}

// redraw is how often the line of one stage is drawn, at most.
const redraw = 100 * time.Millisecond

// usualColumns is the width of a terminal that does not say its own.
const usualColumns = 80

// unknownTotal is the total of a stage that does not know how far it is.
const unknownTotal = -1

// A bar takes at most maxBar columns, and aroundBar are what else stands beside the text: the percentage, the
// brackets and blanks.
const (
	maxBar    = 40
	aroundBar = len("  50% []  ")
)

// show draws the parts that fit, the first ones first, and how much of the total is done. What follows another
// text of the same stage at once is left out.
func (l *line) show(done, total int64, parts ...string) {
	room := l.width() - aroundBar
	if l.out == nil || room <= 0 {
		return
	}
	text := fittedLine(parts, room)
	stage, _, _ := strings.Cut(text, " ")
	// A bar that is finished draws nothing more, and a new one draws at once.
	if l.bar == nil || stage != l.stage || l.bar.IsFinished() {
		l.stage = stage
		// Neither colours nor a goroutine: an interval would start one that draws whenever it likes.
		l.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(l.out), progressbar.OptionUseANSICodes(true),
			progressbar.OptionSetTheme(progressbar.ThemeASCII), progressbar.OptionThrottle(redraw),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSpinnerCustom([]string{"-"}), progressbar.OptionSetSpinnerChangeInterval(0))
	}
	progressbar.OptionSetWidth(min(maxBar, room-ansi.StringWidth(text)))(l.bar)
	progressbar.OptionSetDescription(text)(l.bar)
	// Set64 draws only another percentage, Describe at any time. Nobody can be told of an error of writing.
	_ = l.bar.Set64(min(done, max(total, 0)))
	l.bar.Describe(text)
}

// clear removes the line. The next text of the terminal stands in its place.
func (l *line) clear() {
	if l.bar != nil {
		fmt.Fprint(l.out, "\r"+ansi.EraseEntireLine) // the bar does not clear what it drew once and finished
		l.bar = nil
	}
}

// width returns how many columns the line may take: three less than the terminal has. Some terminals begin a
// new line behind the last column, and Ctrl-C is shown there as ^C.
func (l *line) width() int {
	columns := 0
	if l.columns != nil {
		columns = l.columns()
	}
	if columns <= 0 {
		columns = usualColumns
	}
	return columns - 3
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
