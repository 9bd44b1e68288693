package report

import (
	_ "embed" // for the page's beginning
	"fmt"
	"html"
	"regexp"
	"strings"
)

// htmlLayout is one HTML page that needs nothing else: no script, no font, no image.
type htmlLayout struct {
	open   string         // the element that is open, with its attributes; "" for none
	part   bool           // it is a part of another page, which has the elements around it
	main   bool           // the element that holds all parts is open
	folds  bool           // the parts that follow are folded
	folded bool           // the element of a folded part is open
	title  string         // of the page or of its present part
	labels map[string]int // how many tables the parts have, by their titles
	plots  int            // so far
}

// The elements that several parts of a report share.
const (
	entriesElement = `dl class="entries"`
	fixedElement   = `pre class="scroll" tabindex="0"`
)

//go:embed page.html
var pageStart string

// htmlPart returns the layout of a part of another page, whose first heading is that page's.
func htmlPart() *htmlLayout { return &htmlLayout{part: true, main: true} }

// CSS returns the style of the HTML of reports.
func CSS() string {
	_, style, _ := strings.Cut(pageStart, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	return style
}

func (f *htmlLayout) Begin() string {
	if f.part {
		return ""
	}
	return pageStart
}

func (f *htmlLayout) End() string {
	end := f.within("") + f.unfold()
	if !f.part {
		end += "</main>\n</html>\n"
	}
	return end
}

func (f *htmlLayout) Title(text string) string {
	f.title = text
	if f.part {
		return f.block("h2", text)
	}
	title := ""
	if !f.main {
		title = "<title>" + html.EscapeString(text) + "</title>\n"
	}
	return title + f.within("") + "<h1>" + htmlText(text) + "</h1>\n"
}

func (f *htmlLayout) Section(text string) string {
	f.title = text
	if !f.folds {
		return f.block("h2", text)
	}
	tags := f.within("") + f.unfold() + "<details>\n<summary><h2>" + htmlText(text) + "</h2></summary>\n"
	f.folded = true
	return tags
}

// Fold folds each of the parts that follow. Printing shows them.
func (f *htmlLayout) Fold() string {
	f.folds = true
	return ""
}

// unfold ends a folded part.
func (f *htmlLayout) unfold() string {
	if !f.folded {
		return ""
	}
	f.folded = false
	return "</details>\n"
}

func (f *htmlLayout) Gap() string              { return f.within("") }
func (f *htmlLayout) Line(text string) string  { return f.block("p", text) }
func (f *htmlLayout) Lead(text string) string  { return f.block(`p class="lead"`, text) }
func (f *htmlLayout) Fixed(text string) string { return f.within(fixedElement) + htmlText(text) + "\n" }

func (f *htmlLayout) Figures(figures []Figure) string {
	var lines strings.Builder
	lines.WriteString(f.within("") + "<dl class=\"figures\">\n")
	for _, one := range figures {
		fmt.Fprintf(&lines, "<div><dt>%s</dt><dd class=\"figure\">%s</dd>", htmlText(one.Name), htmlText(one.Value))
		if one.Note != "" {
			fmt.Fprintf(&lines, "<dd>%s</dd>", htmlText(one.Note))
		}
		lines.WriteString("</div>\n")
	}
	return lines.String() + "</dl>\n"
}

func (f *htmlLayout) Item(text string) string {
	_, text = indented(text)
	return f.within("ul") + "<li>" + htmlText(text) + "</li>\n"
}

func (f *htmlLayout) Command(words []string) string { return f.block("pre", commandLines(words)) }

func (f *htmlLayout) Entry(name, text string) string {
	class := ""
	indent, name := indented(name)
	if indent != "" {
		class = ` class="part"`
	}
	heading := ""
	if name != "" {
		heading = fmt.Sprintf("<dt%s>%s</dt>", class, htmlText(name))
	}
	return f.within(entriesElement) + fmt.Sprintf("%s<dd>%s</dd>\n", heading, htmlText(text))
}

func (f *htmlLayout) Prose(name, text string) string { return f.Entry(name, text) }
func (f *htmlLayout) Alert(name, text string) string { return f.Entry(name, text) }

func (f *htmlLayout) Result(result, rule, seen string) string {
	return f.Entry(result, rule) + f.Entry("", seen)
}

// date is a date that is not a part of a name.
var date = regexp.MustCompile(`(^|[^\w-])(\d{4}-\d\d-\d\d)\b`)

// htmlText returns text as HTML. A percent sign stays in the line of its number, and a date in one line.
func htmlText(text string) string {
	text = strings.ReplaceAll(html.EscapeString(text), " %", "&nbsp;%")
	return date.ReplaceAllString(text, `$1<span class="date">$2</span>`)
}

// block returns an element of its own, which may have attributes.
func (f *htmlLayout) block(element, text string) string {
	return f.within("") + fmt.Sprintf("<%s>%s</%s>\n", element, htmlText(text), elementName(element))
}

// elementName returns the name of an element that may have attributes.
func elementName(element string) string {
	name, _, _ := strings.Cut(element, " ")
	return name
}

// within closes the open element unless it is the wanted one, and opens that.
func (f *htmlLayout) within(element string) (tags string) {
	if !f.main {
		f.main, tags = true, "<main>\n"
	}
	if f.open == element {
		return tags
	}
	if f.open != "" {
		tags += "</" + elementName(f.open) + ">\n"
	}
	if f.open = element; element != "" {
		tags += "<" + element + ">\n"
	}
	return tags
}
