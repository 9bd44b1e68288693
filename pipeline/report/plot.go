package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Plot is a plot of horizontal bars. The same numbers have to stand beside it as text.
type Plot struct {
	Title       string
	Description string // what a reader sees who looks at it
	Bars        []Bar
	Marks       []Mark
	Whole       float64 // the value of the whole width; if it is less than the largest value, that is
}

// Bar is one bar of a plot.
type Bar struct {
	Name  string
	Value float64
	// Low and High are the ends of the range of the value. Both are zero for no range.
	Low, High float64
	Text      string // the value for a reader
}

// Mark is a line across all bars, at a limit.
type Mark struct {
	Name  string
	Value float64
}

// Plot returns nothing: text has no plots.
func (textLayout) Plot(Plot) string { return "" }

// Plot returns nothing: Markdown has no plots.
func (markdownLayout) Plot(Plot) string { return "" }

// The places in a plot, in the units of its view box.
const (
	plotWidth    = 720
	barsBegin    = 190 // names stand before
	barsEnd      = 560 // values stand behind
	barHeight    = 16
	barDistance  = 24
	marksHeight  = 22 // above the bars, for the names of the marks
	longestLabel = 26 // in characters
)

// Plot returns a plot as SVG within the page. A screen reader reads its title and its description.
func (f *htmlLayout) Plot(plot Plot) string {
	if len(plot.Bars) == 0 {
		return ""
	}
	f.plots++
	top := 0
	if len(plot.Marks) > 0 {
		top = marksHeight
	}
	height := top + len(plot.Bars)*barDistance
	var svg strings.Builder
	fmt.Fprintf(&svg, "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 %d %d\" aria-labelledby=\"plot-%d-title plot-%d-text\">\n",
		plotWidth, height, f.plots, f.plots)
	fmt.Fprintf(&svg, "<title id=\"plot-%d-title\">%s</title>\n", f.plots, html.EscapeString(plot.Title))
	fmt.Fprintf(&svg, "<desc id=\"plot-%d-text\">%s</desc>\n", f.plots, html.EscapeString(plot.Description))
	scale := plot.scale()
	for i, bar := range plot.Bars {
		bar.draw(&svg, top+i*barDistance, scale)
	}
	for _, mark := range plot.Marks {
		x := barsBegin + scale(mark.Value)
		fmt.Fprintf(&svg, "<line class=\"mark\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x, top-4, x, height)
		fmt.Fprintf(&svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, top-8, html.EscapeString(mark.Name))
	}
	return f.within("") + svg.String() + "</svg>\n"
}

// scale returns a function that turns a value into a length.
func (plot Plot) scale() func(value float64) float64 {
	most := plot.Whole
	for _, bar := range plot.Bars {
		most = max(most, bar.Value, bar.High)
	}
	for _, mark := range plot.Marks {
		most = max(most, mark.Value)
	}
	return func(value float64) float64 {
		if most == 0 {
			return 0
		}
		return math.Max(0, value) / most * (barsEnd - barsBegin)
	}
}

func (bar Bar) draw(svg *strings.Builder, y int, scale func(float64) float64) {
	base := y + barHeight - 4
	fmt.Fprintf(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", barsBegin-8, base, html.EscapeString(Cut(bar.Name, longestLabel)))
	length := scale(bar.Value)
	fmt.Fprintf(svg, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", barsBegin, y, length, barHeight)
	if bar.Low != 0 || bar.High != 0 {
		low, high, middle := barsBegin+scale(bar.Low), barsBegin+scale(bar.High), y+barHeight/2
		fmt.Fprintf(svg, "<path class=\"range\" d=\"M%.1f %dH%.1fM%.1f %dV%dM%.1f %dV%d\"/>\n",
			low, middle, high, low, middle-4, middle+4, high, middle-4, middle+4)
		length = math.Max(length, scale(bar.High))
	}
	fmt.Fprintf(svg, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", barsBegin+length+8, base, html.EscapeString(bar.Text))
}
