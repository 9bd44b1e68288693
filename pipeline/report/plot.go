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

// plotForm is one drawing of a plot. Its places are in the units of its view box.
type plotForm struct {
	class        string
	width        int
	barsBegin    int
	barsEnd      int // values stand behind
	barHeight    int
	barDistance  int
	longestLabel int  // in characters
	namesAbove   bool // names stand above their bars, not before them
}

// plotForms returns the drawings of each plot. The page shows the one that fits its width.
func plotForms() [2]plotForm {
	return [2]plotForm{
		{class: "wide", width: 720, barsBegin: 190, barsEnd: 560, barHeight: 16, barDistance: 24, longestLabel: 26},
		{class: "narrow", width: 320, barsEnd: 220, barHeight: 14, barDistance: 42, longestLabel: 44, namesAbove: true},
	}
}

const (
	marksHeight = 22 // above the bars, for the names of the marks
	nameHeight  = 18 // of a name above its bar
	labelGap    = 8  // between a bar and a text beside it
)

// Plot returns a plot as SVG within the page. A screen reader reads its title and its description.
func (f *htmlLayout) Plot(plot Plot) string {
	if len(plot.Bars) == 0 {
		return ""
	}
	f.plots++
	var svg strings.Builder
	for _, form := range plotForms() {
		form.draw(&svg, plot, f.plots)
	}
	return f.within("") + svg.String()
}

// draw draws a plot, which is that of a number on its page.
func (f plotForm) draw(svg *strings.Builder, plot Plot, number int) {
	top := 0
	if len(plot.Marks) > 0 {
		top = marksHeight
	}
	height := top + len(plot.Bars)*f.barDistance
	id := fmt.Sprintf("plot-%d-%s", number, f.class)
	fmt.Fprintf(svg, "<svg class=\"plot %s\" role=\"img\" viewBox=\"0 0 %d %d\" aria-labelledby=\"%s-title %s-text\">\n", f.class, f.width, height, id, id)
	fmt.Fprintf(svg, "<title id=\"%s-title\">%s</title>\n", id, html.EscapeString(plot.Title))
	fmt.Fprintf(svg, "<desc id=\"%s-text\">%s</desc>\n", id, html.EscapeString(plot.Description))
	scale := plot.scale(f.barsEnd - f.barsBegin)
	for i, bar := range plot.Bars {
		f.drawBar(svg, bar, top+i*f.barDistance, scale)
	}
	for _, mark := range plot.Marks {
		x := float64(f.barsBegin) + scale(mark.Value)
		fmt.Fprintf(svg, "<line class=\"mark\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x, top-4, x, height)
		anchor := "start" // the text ends at the mark where it would not fit behind it
		if x > float64(f.width)/2 {
			anchor = "end"
		}
		fmt.Fprintf(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, top-8, anchor, html.EscapeString(mark.Name))
	}
	svg.WriteString("</svg>\n")
}

// scale returns a function that turns a value into a length. The largest value has the given length.
func (plot Plot) scale(longest int) func(value float64) float64 {
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
		return math.Max(0, value) / most * float64(longest)
	}
}

func (f plotForm) drawBar(svg *strings.Builder, bar Bar, y int, scale func(float64) float64) {
	name := html.EscapeString(Cut(bar.Name, f.longestLabel))
	begin := float64(f.barsBegin)
	if f.namesAbove {
		fmt.Fprintf(svg, "<text x=\"%d\" y=\"%d\">%s</text>\n", f.barsBegin, y+nameHeight-5, name)
		y += nameHeight
	} else {
		fmt.Fprintf(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", f.barsBegin-labelGap, y+f.barHeight-4, name)
	}
	length := scale(bar.Value)
	fmt.Fprintf(svg, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", f.barsBegin, y, length, f.barHeight)
	if bar.Low != 0 || bar.High != 0 {
		low, high, middle := begin+scale(bar.Low), begin+scale(bar.High), y+f.barHeight/2
		fmt.Fprintf(svg, "<path class=\"range\" d=\"M%.1f %dH%.1fM%.1f %dV%dM%.1f %dV%d\"/>\n",
			low, middle, high, low, middle-4, middle+4, high, middle-4, middle+4)
		length = math.Max(length, scale(bar.High))
	}
	fmt.Fprintf(svg, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", begin+length+labelGap, y+f.barHeight-4, html.EscapeString(bar.Text))
}
