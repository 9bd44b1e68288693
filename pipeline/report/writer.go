package report

import "io"

// layout is how the parts of a report look. Each method returns whole lines.
type layout interface {
	// Begin and End return what comes before and after all parts.
	Begin() string
	End() string
	// Title returns the first line of a report.
	Title(text string) string
	// Section returns the title of a part of a report.
	Section(text string) string
	// Gap returns an empty line.
	Gap() string
	// Line returns a line of its own, or a paragraph.
	Line(text string) string
	// Item returns an item of a list, which may be indented.
	Item(text string) string
	// Fixed returns a line of a table whose columns are padded with spaces.
	Fixed(text string) string
	// Table returns a table. Each row has a cell for each name of the header.
	Table(header []string, rows [][]string) string
	// LinkedTable is Table with a link in the first cell of each row, "" for none. A link is an escaped address.
	LinkedTable(header []string, rows [][]string, to []string) string
	// Command returns a command, in lines of a width that the form chooses.
	Command(words []string) string
	// Entry returns a name and what there is to say about it. A name may be indented. Without a
	// name the entry continues the one before.
	Entry(name, text string) string
	// Prose returns an entry whose text may be long.
	Prose(name, text string) string
	// Alert is Prose about something that somebody should look at.
	Alert(name, text string) string
	// Finding returns a result, the rule that it is about, and what was seen.
	Finding(result, rule, seen string) string
	// Plot returns a plot, or "" where the form has none. What a plot shows stands beside it as text.
	Plot(plot Plot) string
}

// Writer writes the parts of a report in one form.
type Writer struct {
	layout layout
	to     io.Writer
	err    error // the first one
}

// newWriter returns a Writer that writes to a writer in a form.
func newWriter(to io.Writer, in layout) *Writer { return &Writer{layout: in, to: to} }

// Err returns the first error of the underlying writer. Nothing is written after it.
func (w *Writer) Err() error { return w.err }

func (w *Writer) write(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.to, text)
	}
}

// Begin writes what comes before all parts.
func (w *Writer) Begin() { w.write(w.layout.Begin()) }

// End writes what comes after all parts.
func (w *Writer) End() { w.write(w.layout.End()) }

// Title writes the first line of a report.
func (w *Writer) Title(text string) { w.write(w.layout.Title(text)) }

// Section begins a part of a report, after an empty line.
func (w *Writer) Section(text string) { w.write(w.layout.Gap() + w.layout.Section(text)) }

// Gap writes an empty line.
func (w *Writer) Gap() { w.write(w.layout.Gap()) }

// Line writes a line of its own, or a paragraph.
func (w *Writer) Line(text string) { w.write(w.layout.Line(text)) }

// Item writes an item of a list.
func (w *Writer) Item(text string) { w.write(w.layout.Item(text)) }

// Fixed writes a line of a table whose columns are padded with spaces.
func (w *Writer) Fixed(text string) { w.write(w.layout.Fixed(text)) }

// Table writes a table.
func (w *Writer) Table(header []string, rows [][]string) { w.write(w.layout.Table(header, rows)) }

// LinkedTable writes a table with a link in the first cell of each row.
func (w *Writer) LinkedTable(header []string, rows [][]string, to []string) {
	w.write(w.layout.LinkedTable(header, rows, to))
}

// Command writes a command.
func (w *Writer) Command(words []string) { w.write(w.layout.Command(words)) }

// Entry writes a name and what there is to say about it.
func (w *Writer) Entry(name, text string) { w.write(w.layout.Entry(name, text)) }

// Prose writes an entry whose text may be long.
func (w *Writer) Prose(name, text string) { w.write(w.layout.Prose(name, text)) }

// Alert writes an entry about something that somebody should look at.
func (w *Writer) Alert(name, text string) { w.write(w.layout.Alert(name, text)) }

// Finding writes a result, the rule that it is about, and what was seen.
func (w *Writer) Finding(result, rule, seen string) { w.write(w.layout.Finding(result, rule, seen)) }

// Plot writes a plot where the form has plots.
func (w *Writer) Plot(plot Plot) { w.write(w.layout.Plot(plot)) }
