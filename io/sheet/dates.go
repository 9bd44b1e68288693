package sheet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
	"github.com/xuri/nfp"
)

// dateFormats tells which formats of cells show dates, with or without a time.
type dateFormats struct {
	shows []bool // by the number of the format
}

// all returns the formats.
func (d *dateFormats) all() []bool {
	if d == nil {
		return nil
	}
	return d.shows
}

// has reports whether the format with a number shows dates.
func (d *dateFormats) has(number string) bool {
	if d == nil || len(number) == 0 {
		return false
	}
	at, err := strconv.Atoi(number)
	return err == nil && at >= 0 && at < len(d.shows) && d.shows[at]
}

// dateFormats reads the formats of the workbook.
func (b *book) dateFormats() (*dateFormats, error) {
	const name = stylesPart
	part, err := b.related("styles", name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if part == nil {
		return &dateFormats{}, nil
	}
	defer part.Close() // was only read
	found, err := readFormats(part)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return found, nil
}

func readFormats(part io.Reader) (*dateFormats, error) {
	in, custom := newXMLReader(part), map[int]bool{}
	var numbers []int // of each format
	within := ""      // the list that is read
	for {
		kind, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if kind != xmlStart {
			continue
		}
		switch depth := in.Depth(); {
		case depth == 2:
			within = in.Name()
		case depth == 3 && within == "numFmts" && in.Is("numFmt"):
			if id, err := strconv.Atoi(in.Attribute("numFmtId")); err == nil {
				custom[id] = isDateCode(in.Attribute("formatCode"))
			}
		case depth == 3 && within == "cellXfs" && in.Is("xf"):
			id, _ := strconv.Atoi(in.Attribute("numFmtId")) // 0 is the general format
			numbers = append(numbers, id)
		}
	}
	found := &dateFormats{}
	for _, id := range numbers {
		found.shows = append(found.shows, isDateNumber(id) || !isKnown(id) && custom[id])
	}
	return found, nil
}

// isKnown reports whether a number stands for a format that every program knows.
func isKnown(id int) bool {
	return id >= 0 && id <= 4 || id >= 9 && id <= 22 || id >= 27 && id <= 62 || id >= 67 && id <= 81
}

// isDateNumber reports whether such a format has a year or a day. Formats of times alone are of durations,
// too.
func isDateNumber(id int) bool {
	return id >= 14 && id <= 17 || id == 22 || id >= 27 && id <= 31 || id == 36 ||
		id >= 50 && id <= 54 || id == 57 || id == 58
}

// isDateCode reports whether the code of a format has a year or a day.
func isDateCode(code string) bool {
	parser := nfp.NumberFormatParser()
	for _, section := range parser.Parse(code) {
		for _, token := range section.Items {
			if token.TType == nfp.TokenTypeDateTimes && strings.ContainsAny(strings.ToLower(token.TValue), "yd") {
				return true
			}
		}
	}
	return false
}

// The serial numbers that are dates: from March 1900, because programs disagree about the days before, to the
// year 9999.
const (
	firstDay  = 61
	endOfDays = 2958466
)

// dateStyles are the styles of dates in a workbook that is written.
type dateStyles struct {
	date, dateTime string // their numbers; "" for none
	from1904       bool
}

// The formats of dates, and of dates with times, that every program knows. They show them as the user's settings say.
const (
	dateFormat     = 14
	dateTimeFormat = 22
)

// serialOf returns the serial number of a time, and false for one that has none.
func serialOf(at time.Time, from1904 bool) (string, bool) {
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if from1904 {
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	const secondsOfDay = 24 * 60 * 60
	seconds := at.Unix() - first.Unix()
	if seconds < firstDay*secondsOfDay || seconds >= endOfDays*secondsOfDay {
		return "", false
	}
	return strconv.FormatFloat(float64(seconds)/secondsOfDay, 'f', -1, 64), true
}

// addDateStyles copies the styles of a workbook and adds those of dates behind them.
func addDateStyles(out io.Writer, part io.Reader) error {
	in, within := newXMLReader(part), false
	return copyChanged(out, in, func(kind XMLKind) ([]byte, error) {
		if !in.Is("cellXfs") || in.Depth() != 2 {
			return in.Raw(), nil
		}
		switch kind {
		case xmlStart:
			within = true
			if count, err := strconv.Atoi(in.Attribute("count")); err == nil {
				return withAttribute(in.Raw(), "count", strconv.Itoa(count+2)), nil
			}
		case xmlEnd:
			if within {
				within = false
				return append(dateXfs(in.Prefix()), in.Raw()...), nil
			}
		}
		return in.Raw(), nil
	})
}

// dateXfs returns the styles of dates, and of dates with times.
func dateXfs(prefix string) (all []byte) {
	for _, format := range []int{dateFormat, dateTimeFormat} {
		all = fmt.Appendf(all, `<%sxf numFmtId="%d" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`, prefix, format)
	}
	return all
}

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
