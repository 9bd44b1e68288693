package report

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// gapWidth is how many columns lie between those of a table.
const gapWidth = 2

// amount is a cell that is aligned to the right.
var amount = regexp.MustCompile(`^(up to )?\$?[0-9][0-9.,]*( %)?$`)

// numbers reports for each column whether its cells are numbers or amounts. Cells may be empty.
func numbers(columns int, rows [][]string) []bool {
	are := make([]bool, columns)
	for column := range are {
		are[column] = len(rows) > 0
		for _, row := range rows {
			are[column] = are[column] && (row[column] == "" || row[column] == "-" || amount.MatchString(row[column]))
		}
	}
	return are
}

// Table aligns the columns. A column of numbers or of amounts is aligned to the right.
func (f textLayout) Table(header []string, rows [][]string) string {
	widths, numbers := make([]int, len(header)), numbers(len(header), rows)
	for column, name := range header {
		widths[column] = ansi.StringWidth(name)
		for _, row := range rows {
			widths[column] = max(widths[column], ansi.StringWidth(row[column]))
		}
	}
	var lines strings.Builder
	write := func(row []string, style ansi.Style) {
		var line strings.Builder
		for column, cell := range row {
			blanks := strings.Repeat(" ", widths[column]-ansi.StringWidth(cell))
			if numbers[column] {
				cell, blanks = blanks+cell, ""
			}
			line.WriteString(cell + blanks + strings.Repeat(" ", gapWidth))
		}
		lines.WriteString(f.styled(style, strings.TrimRight(line.String(), " ")) + "\n")
	}
	write(header, ansi.Style{}.Bold())
	for _, row := range rows {
		write(row, nil)
	}
	return lines.String()
}

// LinkedTable returns a table without its links.
func (f textLayout) LinkedTable(header []string, rows [][]string, _ []string) string {
	return f.Table(header, rows)
}

// Table returns a table of Markdown.
func (f markdownLayout) Table(header []string, rows [][]string) string {
	return f.LinkedTable(header, rows, nil)
}

// LinkedTable returns a table of Markdown with links.
func (markdownLayout) LinkedTable(header []string, rows [][]string, to []string) string {
	var lines strings.Builder
	write := func(row []string, link string) {
		for i, cell := range row {
			cell = escaped(cell)
			if i == 0 && link != "" {
				cell = "[" + cell + "](" + link + ")"
			}
			lines.WriteString("| " + cell + " ")
		}
		lines.WriteString("|\n")
	}
	lines.WriteString("\n")
	write(header, "")
	lines.WriteString(strings.Repeat("|---", len(header)) + "|\n")
	for i, row := range rows {
		write(row, linkOf(to, i))
	}
	lines.WriteString("\n")
	return lines.String()
}

// Table returns a table with a row of headings.
func (f *htmlLayout) Table(header []string, rows [][]string) string {
	return f.LinkedTable(header, rows, nil)
}

// longCell is from how many characters on a column of an HTML table keeps some width.
const longCell = 40

// LinkedTable returns a table with a row of headings and with links. A table that is wider than the page scrolls, also
// by keys. A column of numbers or of amounts is aligned to the right, and none of them is split over two lines.
func (f *htmlLayout) LinkedTable(header []string, rows [][]string, to []string) string {
	var lines strings.Builder
	classes := htmlClasses(len(header), rows)
	write := func(element, scope string, row []string, link string) {
		lines.WriteString("<tr>")
		for i, cell := range row {
			cell = htmlText(cell)
			if i == 0 && link != "" {
				cell = `<a href="` + html.EscapeString(link) + `">` + cell + "</a>"
			}
			lines.WriteString("<" + element + scope + classes[i] + ">" + cell + "</" + element + ">")
		}
		lines.WriteString("</tr>\n")
	}
	lines.WriteString(f.within("") + `<div class="scroll" role="region" tabindex="0" aria-label="` + html.EscapeString(f.label()) + "\">\n<table>\n")
	write("th", ` scope="col"`, header, "")
	for i, row := range rows {
		write("td", "", row, linkOf(to, i))
	}
	return lines.String() + "</table>\n</div>\n"
}

// htmlClasses returns the class of the cells of each column, as an attribute.
func htmlClasses(columns int, rows [][]string) []string {
	classes, numbers := make([]string, columns), numbers(columns, rows)
	for column := range classes {
		isLong := func(row []string) bool { return utf8.RuneCountInString(row[column]) >= longCell }
		switch {
		case numbers[column]:
			classes[column] = ` class="number"`
		case slices.ContainsFunc(rows, isLong):
			classes[column] = ` class="long"`
		}
	}
	return classes
}

// label returns a name for the next table, which no other table of the page has.
func (f *htmlLayout) label() string {
	if f.labels == nil {
		f.labels = map[string]int{}
	}
	f.labels[f.title]++
	if n := f.labels[f.title]; n > 1 {
		return fmt.Sprintf("%s, table %d", f.title, n)
	}
	return f.title
}

// linkOf returns the link of a row, "" for none.
func linkOf(to []string, row int) string {
	if row < len(to) {
		return to[row]
	}
	return ""
}
