package report

import (
	"strings"

	"payonce/pipeline/output"
)

// shownUnread is how many cells that could not be read are shown as text.
const shownUnread = 5

func renderTables(p *Page, t *output.TablesWritten) {
	if t == nil {
		return
	}
	var written []string
	for _, one := range t.Tables {
		written = append(written, Textf("%s %s", one.Name, Counted(one.Rows, "row")))
	}
	p.Prosef("tables", "%s: %s", t.Dir, strings.Join(written, ", "))
	if t.Unread == 0 {
		return
	}
	shown := t.First[:min(len(t.First), shownUnread)]
	var cells []string
	for _, c := range shown {
		cells = append(cells, Textf("company %s: %s %s", c.Company, c.Column, c.Problem))
	}
	if more := t.Unread - int64(len(shown)); more > 0 {
		cells = append(cells, Textf("%d more", more))
	}
	p.Alertf("cells not read", "%s: %s", Counted(t.Unread, "cell"), strings.Join(cells, "; "))
}
