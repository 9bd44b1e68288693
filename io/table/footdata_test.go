package table

import "testing"

// TestARowOfDataIsNotTakenForATotalOrNote has last rows that are companies and people, however much they look like
// totals and notes.
func TestARowOfDataIsNotTakenForATotalOrNote(t *testing.T) {
	const data = "Ann|Lee|Acme|ann@acme.example\nBob|Ray|Beta|\n"
	for name, text := range map[string]string{
		"a company with digits in its name":     data + "Media24|||\n",
		"the same, in a word of its own":        data + "Media 24|||\n",
		"the same, cut short":                   data + "<Media 2$",
		"a long name after a blank line":        data + "-\nGesellschaft für Internationale Zusammenarbeit GmbH|||\n",
		"a long name in small letters":          data + "-\nVereinigung der Freunde und Förderer des Museums|||\n",
		"a short row with a name":               data + "-\n<Müller und Söhne\n",
		"a group below a subtotal":              "North|Acme|100|\n|Beta|200|\nZwischensumme||300|\n|Gamma GmbH|50|\nZwischensumme||50|\nGesamt||350|\n",
		"a row below a total":                   data + "Total|||3\nGamma GmbH||7|\n",
		"a name below a total":                  data + "Total|||3\nGamma GmbH|||\n",
		"a name below a total and a blank line": data + "Total|||3\n-\nUniversität der Bundeswehr München|||\n",
		"TotalEnergies":                         data + "TotalEnergies SE|||100\n",
		"Summe GmbH":                            data + "Summe GmbH|||100\n",
		"Total SA, short":                       data + "<Total SA|100\n",
		"a company below a note":                data + "-\nSource: CRM|||\nGamma GmbH|Bonn||\n",
	} {
		if got := FootOf(headerOf(4), rowsOf(text)); got > 0 && name != "a group below a subtotal" || got > 2 {
			t.Errorf("%s: %d rows below the list", name, got)
		}
	}
}
