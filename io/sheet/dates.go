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
	const name = "xl/styles.xml"
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
