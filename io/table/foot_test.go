package table

import (
	"strings"
	"testing"
)

// headerOf returns names of columns.
func headerOf(columns int) []string {
	return []string{"Company", "Town", "Revenue 2025", "Email"}[:columns]
}

// rowsOf makes rows of text: one on each line, with bars between the cells. A line "-" is blank, and "<" before a row
// says that the list has fewer cells in it. The last row is open when the text ends with "$".
func rowsOf(text string) (rows []FootRow) {
	blank := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "-" {
			blank = true
			continue
		}
		row := FootRow{AfterBlank: blank}
		line, row.Short = strings.CutPrefix(line, "<")
		line, row.Open = strings.CutSuffix(line, "$")
		row.Cells = strings.Split(line, "|")
		rows, blank = append(rows, row), false
	}
	return rows
}

func TestFootFindsTotalsAndNotesAndNoRowsOfData(t *testing.T) {
	const data = "Ann|Lee|Acme|ann@acme.example\nBob|Ray|Beta|\n"
	for name, test := range map[string]struct {
		text    string
		columns int
		want    int
	}{
		"no rows below":                        {data, 4, 0},
		"a short total":                        {data + "<Total|2\n", 4, 1},
		"a short total at the end of the file": {data + "<Summe|2$", 4, 1},
		"a total with a colon":                 {data + "<Total: 2$", 4, 1},
		"a whole row with a total":             {data + "|||\nTotal|||1.234,50 €\n|||\n", 4, 3},
		"what is summed up":                    {data + "<Total revenue|12\n", 4, 1},
		"a total in French":                    {data + "Total général|||2\n", 4, 1},
		"what is counted, after a blank row":   {data + "|||\nTotal attendees|2||\n", 4, 2},
		"the number of the page":               {data + "Page 2 of 2|||\n", 4, 1},
		"a count in words":                     {data + "<Gesamt|2 Firmen\n", 4, 1},
		"a word before the total":              {data + "<Montant total|300\n", 4, 1},
		"a line drawn":                         {data + "<----\n<Stand: 1.2.2026\n", 4, 2},
		"a remark":                             {data + "<# 2 records exported\n", 4, 1},
		"a delimiter behind the last cell":     {data + "Total|2|||\n", 4, 1},
		"a count":                              {data + "<(2 rows)\n", 4, 1},
		"a count with a colon":                 {data + "<Anzahl der Kontakte: 2\n", 4, 1},
		"total, sum, note":                     {data + "Total|||3\nDurchschnitt|||1,5\n-\nQuelle: CRM|||\n", 4, 3},
		"two notes":                            {data + "-\n<Confidential Information - Do Not Distribute\n<Copyright (c) 2000-2026 Vendor, inc.\n", 4, 2},
		"a sentence after a blank line":        {data + "-\nThis list was put together by hand in May|||\n", 4, 1},
		"label and value":                      {data + "-\nErstellt am|01.02.2026||\nBenutzer:|Max||\n", 4, 2},
		"a total with a link":                  {data + "Total|||3\n-\nSource:|https://crm.example||\n", 4, 2},

		"a person named so":                  {data + "Total|Max|Acme|\n", 4, 0},
		"a company named so, cut short":      {"Acme|Bonn|1\nTotal|Paris|2\n<Total|Pa$", 3, 0},
		"a word that is cut short":           {data + "<Total$", 4, 0},
		"a company whose name begins so":     {"Acme|Bonn|1\nTotal Energies|Paris|2\n", 3, 0},
		"the same, cut short":                {"Acme|Bonn|1\n<Total Energies|12$", 3, 0},
		"a short row":                        {data + "<Cat|Fox\n", 4, 0},
		"a short row after a blank line":     {data + "-\n<Cat Fox\n", 4, 0},
		"a company alone after a blank line": {"Acme|acme.example|DE\n-\nBeta GmbH||\n", 3, 0},
		"a profile alone":                    {data + "-\nhttps://www.linkedin.com/in/ann|||\n", 4, 0},
		"a total in the middle":              {data + "<Total|2\n" + data, 4, 0},
		"a note in the middle":               {data + "-\nSource: CRM|||\n" + data, 4, 0},
		"too many cells":                     {data + "Total|1|2|3|4\n", 4, 0},
		"one column":                         {"Acme\nTotal: 3\n", 1, 0},
		"only a total":                       {"<Total|2\n", 4, 0},
		"names alone":                        {"Acme||\nBeta||\n-\nThe Very Long Company of Something||\n", 3, 0},
		"an address that is cut short":       {"Acme|Bonn|1\n<Total|2 rue$", 3, 0},
		"a company with an address":          {"Acme|1 Street|x\nTotal|2 Street|y\n", 3, 0},
		"a company with a word for a total":  {data + "<Media Markt|12345\n", 4, 0},
		"a company that begins so":           {data + "<Total Wines|12\n", 4, 0},
		"another":                            {data + "-\nSunshine Records|12||\n", 4, 0},
		"a phone number":                     {"Acme|+49 30 1\nTotal|+49 30 1234567\n", 2, 0},
		"a number of a register":             {"Acme|0123\nTotal|0012345\n", 2, 0},
		"a number alone":                     {data + "-\n|||12\n", 4, 0},
	} {
		if got := FootOf(headerOf(test.columns), rowsOf(test.text)); got != test.want {
			t.Errorf("%s: %d rows below the list, want %d", name, got, test.want)
		}
	}
}

// A list that is cut anywhere has no row below it that is a part of a row of data.
func TestACutRowIsNotTakenForATotal(t *testing.T) {
	const list = "Acme GmbH|Bonn|12\nTotalEnergies SE|Paris|100\nSumma Nova AB|Malmö|7\nSource Technologies Inc|Austin|9\nNote Records|Oslo|5\n"
	for end := strings.Index(list, "\n") + 1; end < len(list); end++ {
		if list[end-1] == '\n' {
			continue
		}
		cut := list[:end] + "$"
		rows := rowsOf(cut)
		last := &rows[len(rows)-1]
		if last.Short = len(last.Cells) < 3; !last.Short {
			continue
		}
		if got := FootOf(headerOf(3), rows); got != 0 {
			t.Errorf("%d rows below the list %q", got, cut)
		}
	}
}
