package report

import (
	"strings"
	"time"

	"payonce/pipeline/crm"
	"payonce/pipeline/output"
)

// CRMReview says what there is to decide about the values that a run found for records of a CRM.
type CRMReview struct {
	Run      string      `json:"run"`
	List     string      `json:"list"`
	Review   string      `json:"review,omitempty"` // the file; "" for none
	RecordID string      `json:"record_id_column"`
	Columns  []CRMColumn `json:"columns"`
	Values   int64       `json:"values"` // that were found
	crm.Count
	// Unclear are the rows of which nothing says which record they are.
	Unclear   []crm.Unclear        `json:"unclear_rows,omitempty"`
	KeptFiles []output.KeptVersion `json:"kept_files,omitempty"`
}

// CRMColumn is a column of the CRM that takes a value.
type CRMColumn struct {
	Column     string `json:"column"`
	ReadAs     string `json:"read_as"`
	NotWritten string `json:"not_written,omitempty"` // why nothing is written to it
}

// CRMExport says what was written for a CRM.
type CRMExport struct {
	Run   string    `json:"run"`
	List  string    `json:"list"`
	Files []CRMFile `json:"files"`
	// EmptyCells are those of all files.
	EmptyCells int64 `json:"empty_cells"`
	crm.Count
	// Again counts the values that were exported before too, and LastExport is when that was.
	Again      int64                `json:"exported_before"`
	LastExport time.Time            `json:"last_export,omitzero"`
	LeftOut    int64                `json:"left_out"` // approved values that were exported before
	Unclear    []crm.Unclear        `json:"unclear_rows,omitempty"`
	Earlier    []string             `json:"files_of_earlier_exports,omitempty"` // beside those that were written
	KeptFiles  []output.KeptVersion `json:"kept_files,omitempty"`
}

// CRMFile is a file for import into a CRM.
type CRMFile struct {
	File    string   `json:"file"`
	Columns []string `json:"columns"`
	Records int64    `json:"records"`
	Values  int64    `json:"values"`
}

// ExportedBefore counts which of the lines that are written, and which of the others, were exported before. An index
// of -1 means that there is no line.
func (v *CRMExport) ExportedBefore(r *crm.Review, written []int) {
	v.Exported = 0
	isWritten := make([]bool, len(r.Lines))
	for _, i := range written {
		if i >= 0 {
			isWritten[i] = true
		}
	}
	for i := range r.Lines {
		line, isWritten := &r.Lines[i], isWritten[i]
		switch {
		case isWritten && line.Exports > 0:
			v.Again++
		case line.Exports > 0 && r.Writable(line):
			v.LeftOut++
		}
		if line.Exports > 0 && line.Exported.After(v.LastExport) && (isWritten || r.Writable(line)) {
			v.LastExport = line.Exported
		}
		if isWritten {
			v.Exported++
		}
	}
}

// namedRows is how many rows a text names.
const namedRows = 10

func renderUnclear(p *Page, rows []crm.Unclear) {
	if len(rows) == 0 {
		return
	}
	p.Alertf("unclear rows", "%s; nothing is written for them", Counted(int64(len(rows)), "row"))
	for _, row := range rows[:min(len(rows), namedRows)] {
		p.Prosef("", "row %d: %s", row.Row, row.Why)
	}
	if more := len(rows) - namedRows; more > 0 {
		p.Prosef("", "and %d more", more)
	}
}

func (v *CRMReview) Render(p *Page) {
	p.Entryf("run", "%s", v.Run)
	p.Entryf("record id", "%s", Printable(v.RecordID))
	name := "columns"
	for _, column := range v.Columns {
		text := "found values may go into it"
		if column.NotWritten != "" {
			text = "nothing is written to it: " + column.NotWritten
		}
		p.Prosef(name, "%s: %s", Printable(column.Column), text)
		name = ""
	}
	p.Entryf("found", "%s", Counted(v.Values, "value"))
	p.Entryf("to decide", "%d", v.Undecided)
	renderDecisions(p, v.Count)
	renderUnclear(p, v.Unclear)
	if v.Review != "" {
		p.Entryf("review", "%s", v.Review)
	}
	RenderKept(p, v.KeptFiles)
}

func renderDecisions(p *Page, c crm.Count) {
	byRule := []string{}
	for _, rule := range crm.Rules() {
		if n := c.ByRule[rule.Name]; n > 0 {
			byRule = append(byRule, Textf("%d by the rule %s", n, rule.Name))
		}
	}
	if len(byRule) > 0 {
		p.Prosef("approved", "%d, %s", c.Approved, strings.Join(byRule, ", "))
	} else {
		p.Entryf("approved", "%d", c.Approved)
	}
	p.Entryf("rejected", "%d", c.Rejected)
	if c.Kept > 0 {
		p.Entryf("kept", "%d: the CRM has another value", c.Kept)
	}
	if c.NotWritten > 0 {
		p.Entryf("not written", "%d: no column or no record is certain", c.NotWritten)
	}
}

func (v *CRMExport) Render(p *Page) {
	p.Entryf("run", "%s", v.Run)
	if v.Undecided > 0 {
		p.Entryf("to decide", "%d; values without a decision are not written", v.Undecided)
	}
	renderDecisions(p, v.Count)
	for _, file := range v.Files {
		p.Prosef("import file", "%s: %s of %s", file.File, Counted(file.Values, "value"), Counted(file.Records, "record"))
	}
	switch {
	case v.EmptyCells > 0:
		p.Alertf("empty cells", "%d: tell the import to skip empty cells, or it may clear what the CRM has", v.EmptyCells)
	case len(v.Files) > 1:
		p.Prosef("", "no cell of them is empty; import each of the files")
	}
	for _, file := range v.Earlier {
		p.Alertf("not of this export", "%s: it was written by an earlier one", file)
	}
	if v.Again > 0 {
		p.Alertf("exported before", "%s, last on %s; they are in the files again", Counted(v.Again, "value"), Time(v.LastExport))
	}
	if v.LeftOut > 0 {
		p.Prosef("left out", "%s exported before, last on %s", Counted(v.LeftOut, "value"), Time(v.LastExport))
	}
	renderUnclear(p, v.Unclear)
	RenderKept(p, v.KeptFiles)
}
