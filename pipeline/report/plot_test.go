package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func trialPlot() Plot {
	return Plot{
		Title: "Spend per day", Description: "2 days, at most $3 & some",
		Bars:  []Bar{{Name: "<Monday>", Value: 2, Low: 1, High: 3, Text: "$2"}, {Name: strings.Repeat("x", 40), Text: "$0"}},
		Marks: []Mark{{Name: "limit", Value: 4}},
	}
}

// A plot is drawings, each of which a screen reader reads as an image with a title and a description.
func TestAPlotNamesItsTitleAndDescription(t *testing.T) {
	var page htmlLayout
	page.Plot(trialPlot())
	svg := page.Plot(trialPlot())
	decoder := xml.NewDecoder(strings.NewReader(svg))
	texts, attributes, element := map[string]string{}, map[string]string{}, ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = ""
			for _, a := range token.Attr {
				if token.Name.Local == "svg" {
					attributes[a.Name.Local] = a.Value
				}
				if a.Name.Local == "id" {
					element = a.Value
				}
			}
		case xml.CharData:
			texts[element] += string(token)
		}
	}
	title, text, _ := strings.Cut(attributes["aria-labelledby"], " ") // of the last drawing
	if attributes["role"] != "img" || strings.TrimSpace(texts[title]) != "Spend per day" || strings.TrimSpace(texts[text]) != "2 days, at most $3 & some" {
		t.Errorf("%v, %v", attributes, texts)
	}
	if title != "plot-2-narrow-title" {
		t.Errorf("the second plot of a page has the title %q, which the first one may have too", title)
	}
}

// The longest bar, range or mark takes the whole width, and nothing reaches beyond.
func TestBarsAndMarksShareOneScale(t *testing.T) {
	var page htmlLayout
	svg := page.Plot(trialPlot())
	for _, want := range []string{
		`<rect class="bar" x="190" y="22" width="185.0" height="16"/>`, // 2 of 4
		`<line class="mark" x1="560.0" y1="18" x2="560.0" y2="70"/>`,
		`<path class="range" d="M282.5 30H467.5M282.5 26V34M467.5 26V34"/>`,
		`>&lt;Monday&gt;</text>`, `width="0.0"`, strings.Repeat("x", 25) + "…</text>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in\n%s", want, svg)
		}
	}
}

// Bars of shares leave the room of what is missing.
func TestBarsOfSharesLeaveRoomForTheRest(t *testing.T) {
	var page htmlLayout
	svg := page.Plot(Plot{Bars: []Bar{{Value: 0.5}}, Whole: 1})
	if !strings.Contains(svg, `width="185.0"`) {
		t.Error(svg)
	}
}

func TestAPlotWithoutBarsIsLeftOut(t *testing.T) {
	var page htmlLayout
	if got := page.Plot(Plot{Title: "none"}); got != "" {
		t.Errorf("%q", got)
	}
}
