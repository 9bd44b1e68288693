package form

import (
	"fmt"
	"html"
)

// HTML is one HTML page that needs nothing else: no script, no font, no image. Entries are the
// rows of tables.
type HTML struct {
	open  string // the element that is open: "table", "ul", "pre", or "" for none
	main  bool   // the element that holds all parts is open
	plots int    // so far
}

const pageStart = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --text: #1a1a1a; --page: #fff; --block: #f3f3f3; --rule: #d0d0d0;
  --bar: #2563a8; --range: #1a1a1a; --mark: #b3261e; }
@media screen and (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --page: #16181b; --block: #24272b; --rule: #44484d;
  --bar: #4d8fd6; --range: #e8e8e8; --mark: #ff8a80; } }
@media print { :root { color-scheme: light; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 52rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.2rem; break-after: avoid; }
table { border-collapse: collapse; margin: 0 0 1rem; }
th { width: 14rem; text-align: left; }
th, td { vertical-align: top; padding: .1rem 1rem .1rem 0; overflow-wrap: anywhere; }
tr { break-inside: avoid; }
.columns th { width: auto; }
.columns td, .columns th { border-bottom: 1px solid var(--rule); }
.part th { font-weight: normal; padding-left: 1.5rem; }
pre { background: var(--block); padding: .75rem; white-space: pre-wrap; }
.plot { display: block; width: 100%; margin: 0 0 1rem; break-inside: avoid; }
.plot text { font: 12px system-ui, sans-serif; fill: var(--text); }
.bar { fill: var(--bar); }
.range { stroke: var(--range); stroke-width: 1.5; fill: none; }
.mark { stroke: var(--mark); stroke-width: 2; stroke-dasharray: 5 3; }
@media print { body { margin: 0; max-width: none; } * { print-color-adjust: exact; } }
</style>
`

func (*HTML) Begin() string { return pageStart }
func (f *HTML) End() string { return f.within("") + "</main>\n</html>\n" }

func (f *HTML) Title(text string) string {
	text = html.EscapeString(text)
	title := ""
	if !f.main {
		title = "<title>" + text + "</title>\n"
	}
	return title + f.within("") + "<h1>" + text + "</h1>\n"
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

func (f *HTML) Finding(result, rule, seen string) string {
	return f.Entry(result, rule) + f.Entry("", seen)
}

// block returns an element of its own.
func (f *HTML) block(element, text string) string {
	return f.within("") + fmt.Sprintf("<%s>%s</%s>\n", element, html.EscapeString(text), element)
}

// within closes the open element unless it is the wanted one, and opens that.
func (f *HTML) within(element string) (tags string) {
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
