package report

import (
	"html"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// gapWidth is how many columns lie between those of a table.
const gapWidth = 2

// amount is a cell that is aligned to the right.
var amount = regexp.MustCompile(`^(up to )?\$?[0-9][0-9.]*$`)

// Table aligns the columns. A column of numbers or of amounts is aligned to the right.
func (f textLayout) Table(header []string, rows [][]string) string {
	widths, numbers := make([]int, len(header)), make([]bool, len(header))
	for column, name := range header {
		widths[column], numbers[column] = ansi.StringWidth(name), len(rows) > 0
		for _, row := range rows {
			widths[column] = max(widths[column], ansi.StringWidth(row[column]))
			numbers[column] = numbers[column] && (row[column] == "" || amount.MatchString(row[column]))
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

// LinkedTable returns a table with a row of headings and with links.
func (f *htmlLayout) LinkedTable(header []string, rows [][]string, to []string) string {
	var lines strings.Builder
	write := func(element string, row []string, link string) {
		lines.WriteString("<tr>")
		for i, cell := range row {
			cell = html.EscapeString(cell)
			if i == 0 && link != "" {
				cell = `<a href="` + html.EscapeString(link) + `">` + cell + "</a>"
			}
			lines.WriteString("<" + element + ">" + cell + "</" + element[:2] + ">")
		}
		lines.WriteString("</tr>\n")
	}
	lines.WriteString(f.within("") + "<table class=\"columns\">\n")
	write(`th scope="col"`, header, "")
	for i, row := range rows {
		write("td", row, linkOf(to, i))
	}
	return lines.String() + "</table>\n"
}

// linkOf returns the link of a row, "" for none.
func linkOf(to []string, row int) string {
	if row < len(to) {
		return to[row]
	}
	return ""
}
