package table

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// MaxFoot is how many rows at the end of a list are looked at for totals and notes.
	MaxFoot = 20
	// MaxFootRow is the longest row of totals or notes, in bytes.
	MaxFootRow = 4096

	// minSentence is the length of a sentence, in characters, and minWords how many words it has.
	minSentence, minWords = 25, 5
)

// FootRow is a row at the end of a list.
type FootRow struct {
	Cells []string
	// AfterBlank says that a blank line is above the row.
	AfterBlank bool
	// Short says that the row has fewer cells than the header, in a format whose rows all have as many.
	Short bool
	// Open says that the list ends within the line of the row: it may be cut short.
	Open bool
}

// FootOf returns how many of the last rows of a list are below it: totals and notes. header has the names of the
// columns, and rows are the last rows of the list, from the one above the first that may be below.
//
// The first row below the list certainly is not a row: a word for a total with numbers beside it, a note
// that identifies itself, or text alone after a blank line. All rows after it have to be totals, notes, numbers or
// text alone, too. So a row of data is never below, nor is a row that is cut short.
func FootOf(header []string, rows []FootRow) int {
	if len(header) < 2 {
		return 0
	}
	for i := range rows[min(1, len(rows)):] { // a row without text is blank, too
		rows[i+1].AfterBlank = rows[i+1].AfterBlank || FilledCells(rows[i].Cells) == 0
	}
	sparse := false // rows of the list have one cell with text
	for start, row := range rows {
		if start > 0 && row.begins(header, sparse) && follow(header, rows[start+1:], sparse) {
			for start > 1 && FilledCells(rows[start-1].Cells) == 0 { // blank rows between
				start--
			}
			return len(rows) - start
		}
		sparse = sparse || FilledCells(row.Cells) == 1
	}
	return 0
}

func follow(header []string, rows []FootRow, sparse bool) bool {
	for _, row := range rows {
		if !row.begins(header, sparse) && !row.follows(len(header), sparse) {
			return false
		}
	}
	return true
}

// begins reports whether the row can be the first one below the list.
func (r FootRow) begins(header []string, sparse bool) bool {
	switch columns, filled := len(header), FilledCells(r.Cells); {
	case r.width() > columns || filled == 0:
		return false
	case r.isTotal(header) || r.isNote(columns):
		return true
	case !r.AfterBlank || r.Open || filled > 1 || columns < 3 || sparse:
		return false
	default:
		text := r.first()
		isLong := isSentence(text) || r.Short && len(r.Cells) == 1 && len(strings.Fields(text)) >= 3
		return KindOfData(text) == "" && isLong && !isLikeName(text)
	}
}

// follows reports whether the row can be below another one that is below the list.
func (r FootRow) follows(columns int, sparse bool) bool {
	filled, numbers := FilledCells(r.Cells), 0
	for _, cell := range r.Cells {
		if KindOfData(cell) != "" && !isNumber(cell) {
			return false
		}
		if isNumber(cell) {
			numbers++
		}
	}
	switch {
	case r.width() > columns:
		return false
	case numbers == filled:
		return true
	case filled == 1:
		return (!sparse || isSentence(r.first())) && (r.isWholeShort() || !isLikeName(r.first()))
	}
	// A label and its value. A name and a number may be a row of the list.
	return filled == 2 && columns > 2 && !sparse && (strings.HasSuffix(r.first(), ":") || isDate(r.last()))
}

// width returns how many cells the row has, up to the last one with text.
func (r FootRow) width() int {
	for i := len(r.Cells); i > 0; i-- {
		if strings.TrimSpace(r.Cells[i-1]) != "" {
			return i
		}
	}
	return 0
}

// first returns the first cell with text.
func (r FootRow) first() string {
	for _, cell := range r.Cells {
		if text := strings.TrimSpace(cell); text != "" {
			return text
		}
	}
	return ""
}

// last returns the last cell with text.
func (r FootRow) last() (text string) {
	for _, cell := range r.Cells {
		if found := strings.TrimSpace(cell); found != "" {
			text = found
		}
	}
	return text
}

// isTotal reports whether the row has a word for a total in its first cell with text, and otherwise numbers alone. A
// row that has fewer cells than the header or follows a blank one may say what is summed up behind that word.
func (r FootRow) isTotal(header []string) bool {
	label, numbers := "", 0
	for _, cell := range r.Cells {
		switch text := strings.TrimSpace(cell); {
		case text == "":
		case label == "":
			label = text
		case !isNumber(text) && !(r.isWholeShort() && isCount(text)):
			return false
		default:
			numbers++
		}
	}
	words, hasColon := wordsOf(label), strings.Contains(label, ":")
	total, others := false, 0
	for _, word := range words {
		switch isTotal := has(totalWords, word); {
		case isTotal:
			total = true
		case !has(besideTotals, word):
			if others++; !hasColon && !isSummed(word, header) {
				return false
			}
		}
	}
	if others > 0 && !(hasColon && has(totalWords, words[0])) && !(numbers > 0 && (r.isWholeShort() || r.AfterBlank && !r.Open)) {
		return false
	}
	// "Media24" is a company, and so may "Media 24" be.
	isCounted := strings.ContainsFunc(label, unicode.IsDigit) && (r.isWholeShort() || r.AfterBlank && !r.Open)
	return total && (numbers > 0 || hasColon || isCounted)
}

// isSummed reports whether a word beside that for a total says what is summed up: it is in a name of a column, or one of
// those for the rows of lists. So "Total Wines" and "Media Markt" are companies.
func isSummed(word string, header []string) bool {
	if has(summedWords, word) {
		return true
	}
	for _, name := range header {
		for _, named := range wordsOf(name) {
			if stem := min(len(word), len(named), 5); stem >= 3 && word[:stem] == named[:stem] {
				return true
			}
		}
	}
	return false
}

// isWholeShort reports whether the row has fewer cells than the header, and not because it is cut short. It is a total
// or a fault of the list.
func (r FootRow) isWholeShort() bool { return r.Short && !r.Open }

// isCount reports whether a cell has a number and what it counts, such as "2 companies".
func isCount(cell string) bool {
	number, counted, found := strings.Cut(cell, " ")
	return found && isNumber(number) && len(strings.Fields(counted)) == 1 && !strings.ContainsFunc(counted, unicode.IsDigit)
}

// isNote reports whether the row says that it is a note: about the source, the date or the use of the list.
func (r FootRow) isNote(columns int) bool {
	text := r.first()
	if filled := FilledCells(r.Cells); filled > 2 || filled == columns || KindOfData(text) != "" {
		return false
	}
	lower := strings.ToLower(text)
	if startsWithAny(lower, "©", "(c) ", "* ", "# ", "copyright (c)", "copyright ©", "copyright 20") || isLine(text) {
		return true
	}
	words := wordsOf(text)
	label, _, hasColon := strings.Cut(text, ":")
	if hasColon && len(words) > 0 && len(strings.Fields(label)) <= 3 && has(noteWords, words[0]) {
		return true
	}
	simple := strings.Join(words, " ") + " "
	for phrase := range strings.Lines(notePhrases) {
		if strings.HasPrefix(simple, strings.TrimSpace(phrase)+" ") {
			return true
		}
	}
	return false
}

// isLine reports whether a text draws a line.
func isLine(text string) bool { return len(text) >= 3 && strings.Trim(text, "-=_*#~—–") == "" }

func startsWithAny(text string, beginnings ...string) bool {
	return slices.ContainsFunc(beginnings, func(begin string) bool { return strings.HasPrefix(text, begin) })
}

// isSentence reports whether a text is longer than the values of most cells.
func isSentence(text string) bool {
	return utf8.RuneCountInString(text) >= minSentence && len(strings.Fields(text)) >= minWords
}

// isLikeName reports whether most words of a text begin with a capital letter or a sign: it may name a company.
func isLikeName(text string) bool {
	names, all := 0, 0
	for word := range strings.FieldsSeq(text) {
		if all++; strings.IndexFunc(word, unicode.IsLower) != 0 {
			names++
		}
	}
	return 2*names > all
}

// isNumber reports whether a cell has a number, perhaps with a currency, a percent sign or brackets. A phone number, or
// another one that begins with a zero, does not count as a number.
func isNumber(cell string) bool {
	cell = strings.TrimSpace(cell)
	if strings.HasPrefix(cell, "+") || len(cell) > 1 && cell[0] == '0' && cell[1] >= '0' && cell[1] <= '9' {
		return false
	}
	digits, letters := 0, 0
	for _, char := range cell {
		switch {
		case unicode.IsDigit(char):
			digits++
		case unicode.IsLetter(char):
			letters++
		case !unicode.In(char, unicode.Sc) && !strings.ContainsRune("+-.,'’%()~ \u00a0\u202f\u2212", char):
			return false
		}
	}
	return digits > 0 && (letters == 0 || letters <= 3 && isCurrency(cell))
}

// isCurrency reports whether the letters of a number are those of a currency.
func isCurrency(cell string) bool {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, cell)
	return has("EUR USD GBP CHF PLN ZŁ SEK NOK DKK KR CZK KČ HUF FT RON BRL R MXN CAD AUD K M T", letters)
}

// has reports whether a list has a word.
func has(list, word string) bool {
	for known := range strings.FieldsSeq(list) {
		if known == word {
			return true
		}
	}
	return false
}

// wordsOf returns the words of a text in small letters, without accents, digits and signs.
func wordsOf(text string) []string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ł' || r == 'Ł':
			return 'l'
		case unicode.IsLetter(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, norm.NFD.String(text))
	return strings.Fields(text)
}

// totalWords are words for totals, counts and averages, in small letters without accents, in the languages of
// headers and some others.
const totalWords = `total totals subtotal subtotals sum sums count average mean rows records entries results hits
	summe gesamt gesamtsumme gesamtergebnis gesamtanzahl gesamtzahl insgesamt zwischensumme endsumme anzahl durchschnitt
	mittelwert zeilen datensatze eintrage ergebnisse treffer totaux somme moyenne lignes enregistrements totales suma
	recuento promedio filas registros totale totali subtotale somma media righe soma linhas totaal eindtotaal subtotaal
	som aantal gemiddelde rijen razem lacznie ogolem srednia wiersze summa totalt delsumma antal rader yhteensa celkem
	soucet osszesen`

// besideTotals are words that stand beside those.
const besideTotals = `grand overall of the all in number general generale geral sous sotto zahl der die aller de des du del
	di van og i alt le la les complessivo complessiva ensemble nombre numero liczba`

// summedWords are what lists have in their rows, and what is summed up most.
const summedWords = `companies company contacts contact customers people persons attendees participants members leads accounts
	items amount revenue sales value firmen unternehmen kontakte kunden personen teilnehmer betrag umsatz wert entreprises
	societes contacts clients personnes participants montant chiffre empresas contactos clientes personas importe aziende
	contatti clienti persone importo pessoas contatos valor bedrijven contacten klanten personen bedrag firm kontaktow
	foretag kontakter personer belopp`

// noteWords begin notes, before a colon.
const noteWords = `source sources note notes nb date as export exported created creator generated printed report filter
	filters filtered legend query user copyright disclaimer confidential license licence updated quelle quellen hinweis
	hinweise anmerkung anmerkungen anm bemerkung stand datum erstellt exportiert legende abfrage benutzer ausgabe
	druckdatum abrufdatum abgerufen lizenz aktualisiert remarque remarques exporte genere fuente fuentes nota notas
	leyenda generado exportado fonte fonti legenda esportato generato fontes gerado bron bronnen opmerking gegenereerd
	geexporteerd zrodlo uwaga wygenerowano kalla kilde lahde zdroj`

// notePhrases begin notes.
const notePhrases = `exported on
exported from
exported by
export from
generated on
generated by
generated from
created on
created by
printed on
report generated
data exported
erstellt am
erstellt von
erstellt mit
exportiert am
exportiert aus
exportiert von
ausgedruckt am
gedruckt am
alle angaben ohne
angaben ohne
all rights reserved
alle rechte vorbehalten
tous droits reserves
todos los derechos reservados
tutti i diritti riservati
confidential information
strictly confidential
streng vertraulich
page of
seite von
page sur
pagina di
pagina de
pagina van
strona z
end of report
end of list
end of file
ende der liste
ende des berichts
fin de la liste
exporte le
genere le
exportado el
generado el
esportato il
generato il
exportado em
gerado em
geexporteerd op
gegenereerd op
wygenerowano dnia
`
