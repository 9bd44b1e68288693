package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// LineWidth is how many columns a line of text has at most where its words can be moved to
// the next.
const LineWidth = 80

// nameWidth is how many columns the name of an entry takes.
const nameWidth = 25

// page is what a report is rendered on: text in two columns, or Markdown. It keeps the first
// error.
type page struct {
	w        io.Writer
	hints    Hints
	markdown bool
	err      error
}

func (p *page) write(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// title writes the first line of a report.
func (p *page) title(format string, args ...any) {
	if p.markdown {
		p.write("# %s", escaped(fmt.Sprintf(format, args...)))
		return
	}
	p.write(format, args...)
}

// section begins a part of a report, after an empty line.
func (p *page) section(format string, args ...any) {
	p.gap()
	if p.markdown {
		p.write("## %s\n", escaped(fmt.Sprintf(format, args...)))
		return
	}
	p.write(format, args...)
}

// gap writes an empty line.
func (p *page) gap() { p.write("") }

// line writes one line, in Markdown a paragraph.
func (p *page) line(format string, args ...any) {
	if p.markdown {
		p.write("%s\n", escaped(fmt.Sprintf(format, args...)))
		return
	}
	p.write(format, args...)
}

// item writes an indented line, in Markdown an item of a list.
func (p *page) item(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.markdown {
		trimmed := strings.TrimLeft(text, " ")
		text = text[:len(text)-len(trimmed)] + "- " + escaped(trimmed)
	}
	p.write("%s", text)
}

// fixed writes a line of a table whose columns are padded with spaces.
func (p *page) fixed(format string, args ...any) {
	if p.markdown {
		format = "    " + format
	}
	p.write(format, args...)
}

// command writes the words of a command as a shell reads them.
func (p *page) command(words []string) {
	text := strings.Join(Wrap(words, LineWidth-len("    \\ ")), " \\\n    ")
	if p.markdown {
		p.write("\n    %s\n", text)
		return
	}
	p.write("  %s", text)
}

// entry writes a name and what there is to say about it, in two columns. A name may be
// indented; without a name the entry continues the one before.
func (p *page) entry(name, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !p.markdown {
		p.write("%-*s %s", nameWidth, name, text)
		return
	}
	trimmed := strings.TrimLeft(name, " ")
	if trimmed == "" {
		p.write("  %s", escaped(text))
		return
	}
	p.write("%s- **%s**: %s", strings.Repeat(" ", len(name)-len(trimmed)), escaped(trimmed), escaped(text))
}

// prose is an entry whose text continues in the next line where it is long.
func (p *page) prose(name, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.markdown {
		p.entry(name, "%s", text)
		return
	}
	for _, part := range Wrap(strings.Fields(text), LineWidth-nameWidth-1) {
		p.entry(name, "%s", part)
		name = ""
	}
}

// hint returns what a reader can do about what a code names, "" for nothing.
func (p *page) hint(code string, values ...any) string {
	if p.hints == nil {
		return ""
	}
	return p.hints(code, values...)
}

// remedy returns who can do what about a refusal of the service.
func (p *page) remedy(code string) string { return cmp.Or(p.hint(code), "Find out what it means") }

// special are the characters that Markdown would read as marks.
var special = regexp.MustCompile("[\\\\`*_<>\\[\\]|#]")

// escaped returns text as Markdown that shows it unchanged.
func escaped(text string) string { return special.ReplaceAllString(text, `\$0`) }
