package sheet

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
	"github.com/xuri/nfp"
)

// styles tells which formats of cells show dates. They are looked up once.
type styles struct {
	book     *excelize.File
	isDate   map[string]bool // by the number of the style
	from1904 bool
}

func newStyles(book *excelize.File) *styles {
	s := &styles{book: book, isDate: map[string]bool{}}
	if properties, err := book.GetWorkbookProps(); err == nil && properties.Date1904 != nil {
		s.from1904 = *properties.Date1904
	}
	return s
}

// showsDate reports whether a style shows a number as a date, with or without a time.
func (s *styles) showsDate(number string) bool {
	if number == "" {
		return false
	}
	shows, known := s.isDate[number]
	if !known {
		index, err := strconv.Atoi(number)
		if err == nil {
			if style, err := s.book.GetStyle(index); err == nil {
				shows = isDateFormat(style)
			}
		}
		s.isDate[number] = shows
	}
	return shows
}

// isDateFormat reports whether a number format has a year or a day. Formats of times alone are of durations, too.
func isDateFormat(style *excelize.Style) bool {
	if style.CustomNumFmt == nil {
		n := style.NumFmt // the formats that every program knows
		return n >= 14 && n <= 17 || n == 22 || n >= 27 && n <= 31 || n == 36 || n >= 50 && n <= 54 || n == 57 || n == 58
	}
	parser := nfp.NumberFormatParser()
	for _, section := range parser.Parse(*style.CustomNumFmt) {
		for _, token := range section.Items {
			if token.TType == nfp.TokenTypeDateTimes && strings.ContainsAny(strings.ToLower(token.TValue), "yd") {
				return true
			}
		}
	}
	return false
}

// dates says which cells of a sheet are dates. In most columns with dates all cells below the first one are.
type dates struct {
	styles   *styles // nil after the sheet was checked, because they hold the workbook
	from1904 bool
	columns  map[int]*dateColumn
	others   int // cells in all columns
}

// dateColumn is a column with a date, from 0.
type dateColumn struct {
	first  int64   // line of the first date
	others []int32 // lines below with cells that are no dates
}

// maxOtherCells is the most cells of columns with dates that are no dates. Above it no cell counts as a date.
const maxOtherCells = 4 << 20

func newDates(styles *styles) *dates {
	return &dates{styles: styles, from1904: styles.from1904, columns: map[int]*dateColumn{}}
}

// note records a cell. Cells come in order.
func (d *dates) note(column int, line int64, cell xml.StartElement) {
	known := d.columns[column]
	kind := attribute(cell, "t")
	switch isDate := (kind == "" || kind == "n") && d.styles.showsDate(attribute(cell, "s")); {
	case isDate && known == nil:
		d.columns[column] = &dateColumn{first: line}
	case !isDate && known != nil && d.others < maxOtherCells:
		known.others = append(known.others, int32(line))
		d.others++
	}
}

// reader returns what converts the dates of one pass.
func (d *dates) reader() *dateReader {
	r := &dateReader{from1904: d.from1904}
	if d.others == maxOtherCells {
		return r
	}
	for column, found := range d.columns {
		r.columns = append(r.columns, datePass{column, *found})
	}
	return r
}

// dateReader converts the dates of rows that come in order.
type dateReader struct {
	from1904 bool
	columns  []datePass
}

// datePass is a column of one pass. It has the lines of others that are still to come.
type datePass struct {
	column int
	dateColumn
}

// convert puts dates in the place of their numbers.
func (r *dateReader) convert(line int64, cells []string) {
	for i := range r.columns {
		c := &r.columns[i]
		for len(c.others) > 0 && int64(c.others[0]) < line {
			c.others = c.others[1:]
		}
		if line < c.first || c.column >= len(cells) || len(c.others) > 0 && int64(c.others[0]) == line {
			continue
		}
		if text, isDate := dateText(cells[c.column], r.from1904); isDate {
			cells[c.column] = text
		}
	}
}

// The serial numbers that are dates: from March 1900, because programs disagree about the days before, to the
// year 9999.
const (
	firstDay  = 61
	endOfDays = 2958466
)

// dateText returns the date of a serial number as ISO 8601 has it, with the time unless that is midnight.
func dateText(number string, from1904 bool) (string, bool) {
	days, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(days) || days < firstDay || days >= endOfDays {
		return "", false
	}
	at, err := excelize.ExcelDateToTime(days, from1904)
	if err != nil {
		return "", false
	}
	if at = at.Round(time.Second); at.Equal(at.Truncate(24 * time.Hour)) {
		return at.Format(time.DateOnly), true
	}
	return at.Format("2006-01-02T15:04:05"), true
}
