package form

import (
	"fmt"
	"html"
)

// HTML is one HTML page that needs nothing else: no script, no font, no image. Entries are the
// rows of tables.
type HTML struct {
	open string // the element that is open: "table", "ul", "pre", or "" for none
}

const pageStart = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 52rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.2rem; }
table { border-collapse: collapse; margin: 0 0 1rem; }
th { width: 14rem; text-align: left; }
th, td { vertical-align: top; padding: .1rem 1rem .1rem 0; overflow-wrap: anywhere; }
.columns th { width: auto; }
.part th { font-weight: normal; padding-left: 1.5rem; }
pre { background: #f3f3f3; padding: .75rem; white-space: pre-wrap; }
@media print { body { margin: 0; max-width: none; } }
</style>
`

func (*HTML) Begin() string { return pageStart }
func (f *HTML) End() string { return f.within("") + "</html>\n" }

func (f *HTML) Title(text string) string {
	text = html.EscapeString(text)
	return f.within("") + "<title>" + text + "</title>\n<h1>" + text + "</h1>\n"
}

func (f *HTML) Section(text string) string { return f.block("h2", text) }
func (f *HTML) Gap() string                { return f.within("") }
func (f *HTML) Line(text string) string    { return f.block("p", text) }

func (f *HTML) Item(text string) string {
	_, text = indented(text)
	return f.within("ul") + "<li>" + html.EscapeString(text) + "</li>\n"
}

func (f *HTML) Fixed(text string) string { return f.within("pre") + html.EscapeString(text) + "\n" }

func (f *HTML) Command(words []string) string { return f.block("pre", commandLines(words)) }

func (f *HTML) Entry(name, text string) string {
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

func (f *HTML) Prose(name, text string) string { return f.Entry(name, text) }
func (f *HTML) Alert(name, text string) string { return f.Entry(name, text) }

func (f *HTML) Finding(result, rule, seen string) string {
	return f.Entry(result, rule) + f.Entry("", seen)
}

// block returns an element of its own.
func (f *HTML) block(element, text string) string {
	return f.within("") + fmt.Sprintf("<%s>%s</%s>\n", element, html.EscapeString(text), element)
}

// within closes the open element unless it is the wanted one, and opens that.
func (f *HTML) within(element string) (tags string) {
	if f.open == element {
		return ""
	}
	if f.open != "" {
		tags = "</" + f.open + ">\n"
	}
	if f.open = element; element != "" {
		tags += "<" + element + ">\n"
	}
	return tags
}
