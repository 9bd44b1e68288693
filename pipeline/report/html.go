package report

import (
	_ "embed" // for the page's beginning
	"fmt"
	"html"
)

// htmlLayout is one HTML page that needs nothing else: no script, no font, no image. Entries are the
// rows of tables.
type htmlLayout struct {
	open  string // the element that is open: "table", "ul", "pre", or "" for none
	main  bool   // the element that holds all parts is open
	plots int    // so far
}

//go:embed page.html
var pageStart string

func (*htmlLayout) Begin() string { return pageStart }
func (f *htmlLayout) End() string { return f.within("") + "</main>\n</html>\n" }

func (f *htmlLayout) Title(text string) string {
	text = html.EscapeString(text)
	title := ""
	if !f.main {
		title = "<title>" + text + "</title>\n"
	}
	return title + f.within("") + "<h1>" + text + "</h1>\n"
}

func (f *htmlLayout) Section(text string) string { return f.block("h2", text) }
func (f *htmlLayout) Gap() string                { return f.within("") }
func (f *htmlLayout) Line(text string) string    { return f.block("p", text) }

func (f *htmlLayout) Item(text string) string {
	_, text = indented(text)
	return f.within("ul") + "<li>" + html.EscapeString(text) + "</li>\n"
}

func (f *htmlLayout) Fixed(text string) string {
	return f.within("pre") + html.EscapeString(text) + "\n"
}

func (f *htmlLayout) Command(words []string) string { return f.block("pre", commandLines(words)) }

func (f *htmlLayout) Entry(name, text string) string {
	class := ""
	indent, name := indented(name)
	if indent != "" {
		class = ` class="part"`
	}
	heading := "<td></td>"
	if name != "" {
		heading = `<th scope="row">` + html.EscapeString(name) + "</th>"
	}
	return f.within("table") + fmt.Sprintf("<tr%s>%s<td>%s</td></tr>\n", class, heading, html.EscapeString(text))
}

func (f *htmlLayout) Prose(name, text string) string { return f.Entry(name, text) }
func (f *htmlLayout) Alert(name, text string) string { return f.Entry(name, text) }

func (f *htmlLayout) Result(result, rule, seen string) string {
	return f.Entry(result, rule) + f.Entry("", seen)
}

// block returns an element of its own.
func (f *htmlLayout) block(element, text string) string {
	return f.within("") + fmt.Sprintf("<%s>%s</%s>\n", element, html.EscapeString(text), element)
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
		tags += "</" + f.open + ">\n"
	}
	if f.open = element; element != "" {
		tags += "<" + element + ">\n"
	}
	return tags
}
