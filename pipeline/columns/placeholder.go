package columns

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"payonce/io/table"
)

// This file has the words of cells without a value. Such a cell is not a value and identifies no subject.

// placeholderWords are the words in the languages of headerNames. They count without their accents as well. Words that
// ask for something, such as "do not call", are not placeholders.
const placeholderWords = `
	n/a; na; nan; null; nil; none; void; blank; empty; missing; unknown; unk; undefined; undisclosed; confidential; pending
	not available; not applicable; not known; not provided; not given; not specified; not set; not disclosed; not found
	no data; no value; no info; no information; no entry; to be confirmed; to be determined; to be announced; to be defined
	to follow; no website; no web; no site
	tbc; tbd; tba; nvt; nb; nd; kein; keine; leer; fehlt; unbekannt; keine angabe; keine angaben; keine daten
	nicht angegeben; nicht bekannt; nicht verfügbar; nicht verfuegbar; nicht vorhanden; nicht zutreffend; entfällt; entfaellt
	ohne angabe; nicht vorh; folgt; wird nachgereicht; keine website; keine webseite; ohne website
	néant; aucun; aucune; inconnu; inconnue; vide; manquant; non disponible; non renseigné; non renseignée
	non connu; non communiqué; non communiquée; non applicable; non précisé; pas de données; sans objet; à confirmer
	à déterminer; ninguno; ninguna; nada; vacío; desconocido; desconocida; sin datos; sin dato; sin información
	sin especificar; no disponible; no aplica; no aplicable; no consta; no informado; no especificado; por confirmar
	por determinar; pendiente; por definir; sin web; sin página web; sin nombre; pas de site; pas de site web; à définir
	à compléter; nessun sito; sem site; sem website; geen website; volgt
	nessuno; nessuna; vuoto; sconosciuto; sconosciuta; ignoto; assente; mancante; non disponibile
	non applicabile; non specificato; non indicato; non noto; nessun dato; dato mancante; da confermare; da definire
	da determinare; nenhum; nenhuma; vazio; desconhecido; desconhecida; não disponível; não aplicável; não informado
	não informada; não especificado; sem dados; sem informação; sem informações; a definir; a confirmar
	geen; leeg; onbekend; ontbreekt; niet beschikbaar; niet bekend; niet van toepassing; niet opgegeven; geen gegevens
	geen data; brak; brak danych; nieznany; nieznana; nieznane; nie dotyczy; puste
	okänd; okänt; saknas; ingen; inga; ej angivet; ej angiven; inte tillgänglig; ej tillgänglig; uppgift saknas; tom
	ukendt; ukjent; mangler; ikke oplyst; ikke oppgitt; ikke tilgængelig; ikke tilgjengelig
	tuntematon; puuttuu; ei tiedossa; ei tietoa; ei saatavilla; tyhjä; ei ole
	neznámý; neznámá; neznámé; neuvedeno; není; žádné; žádný; chybí; nedostupné; prázdné`

// abbreviations are those that have signs between or behind their letters, such as "k.A." and "s/d". Without signs they
// are also other words.
const abbreviations = ` na nd ka sd sn nc nr nb ns so bd nvt tbc tbd tba nn `

// longestAbbreviation is the length of the longest abbreviation with signs, in bytes.
const longestAbbreviation = 10

// nameWords are placeholders that are names of persons or companies as well. With one capital and small letters, such
// as "Null", they are names; "null" and "NULL" are not.
const nameWords = ` na nan null nil nada brak blank leer keine kein ingen inga tom void geen `

// longestPlaceholder is how long a cell with a placeholder can be, in bytes. The longest word is shorter: there may be
// signs around it.
const longestPlaceholder = 48

// placeholderSet are the words, and the lengths that they have.
type placeholderSet struct {
	words   map[string]bool
	lengths [256]uint64 // a bit for each length, by the first byte
}

// placeholders returns the words. They are read once.
var placeholders = sync.OnceValue(func() *placeholderSet {
	set := &placeholderSet{words: map[string]bool{}}
	for word := range strings.FieldsFuncSeq(placeholderWords, func(r rune) bool { return r == ';' || r == '\n' }) {
		if word = strings.TrimSpace(word); word != "" {
			set.add(word)
			set.add(strings.ReplaceAll(withoutAccents(word), "æ", "ae"))
		}
	}
	return set
})

func (s *placeholderSet) add(word string) {
	s.words[word] = true
	s.lengths[word[0]] |= 1 << len(word)
}

// withoutAccents returns a text without the accents of its letters.
func withoutAccents(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// IsPlaceholder reports whether a cell holds a placeholder: a word such as "n/a" or "unbekannt", an error of a
// spreadsheet, signs alone, or zeros alone.
func IsPlaceholder(cell []byte) bool {
	cell = trim(cell)
	if len(cell) == 0 || len(cell) > longestPlaceholder {
		return false
	}
	plain := true // letters alone
	for _, b := range cell {
		if '1' <= b && b <= '9' || b == '@' {
			return false // most cells that are not words
		}
		plain = plain && 'a' <= b|0x20 && b|0x20 <= 'z'
	}
	if plain && placeholders().lengths[cell[0]|0x20]&(1<<len(cell)) == 0 && cell[0]|0x20 != 'x' {
		return false // most words
	}
	word := bytes.Trim(cell, signsAround)
	switch {
	case len(word) == 0:
		return true
	case placeholders().has(word):
		return true
	case word[0]|0x20 == 'x' || word[0] == '0' || cell[0] == '#' || word[0] >= utf8.RuneSelf:
		return isWithout(word) || isSheetError(string(cell))
	}
	return isAbbreviation(cell)
}

// signsAround are signs that stand around a word.
const signsAround = " \"'`()[]{}<>*-_=~.:;,!?#|/\\+"

// has reports whether a text is a word, ignoring case and spaces.
func (s *placeholderSet) has(text []byte) bool {
	if s.lengths[lowerLetter(text[0])]>>(len(text)/2) == 0 {
		return false // an accent can make it twice as long
	}
	var room [2 * longestPlaceholder]byte
	lower := room[:0]
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		switch {
		case r >= utf8.RuneSelf && unicode.Is(unicode.Mn, r): // a letter that is parted from its accent
			return s.words[strings.ToLower(norm.NFC.String(string(text)))]
		case r != ' ' && !unicode.IsSpace(r):
			lower = utf8.AppendRune(lower, unicode.ToLower(r))
		case lower[len(lower)-1] != ' ':
			lower = append(lower, ' ')
		}
		at += size
	}
	return s.words[string(lower)]
}

func lowerLetter(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// isWithout reports whether a text has nothing but signs and zeros, or crosses such as "xxx".
func isWithout(text []byte) bool {
	crosses := 0
	for _, r := range string(text) {
		switch {
		case r == 'x' || r == 'X':
			crosses++
		case r != '0' && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || r == utf8.RuneError):
			return false
		}
	}
	return crosses == 0 || crosses > 2 && crosses == len(text)
}

// isSheetError reports whether a text is an error of a spreadsheet, such as "#N/A", "#REF!" and "#NOMBRE?".
func isSheetError(text string) bool {
	name, isError := strings.CutPrefix(text, "#")
	if !isError || name != strings.ToUpper(name) {
		return false
	}
	switch name {
	case "N/A", "NV", "N/B", "N/D", "GETTING_DATA":
		return true
	}
	return strings.HasSuffix(name, "!") || strings.HasSuffix(name, "?")
}

// isAbbreviation reports whether a cell is an abbreviation with signs between or behind its letters, such as "k. A.".
func isAbbreviation(cell []byte) bool {
	if len(cell) > longestAbbreviation {
		return false
	}
	text := string(cell)
	letters := strings.Map(func(r rune) rune {
		if strings.ContainsRune("./\\ -()[]<>", r) {
			return -1
		}
		return r
	}, text)
	return letters != text && letters != "" && strings.Contains(abbreviations, " "+strings.ToLower(letters)+" ")
}

// Naming returns the value by which a cell in a column of a role names a subject; nil when it names none, because it is
// blank or holds a placeholder. Every identity of a row is made of such values alone. A cell of an earlier output may
// have an apostrophe that is not part of its value: with it, the row would name another subject.
func Naming(role Role, cell []byte) []byte {
	if cell = table.UnescapeFormula(cell); !NamesSubject(role, cell) {
		return nil
	}
	return cell
}

// NamesSubject reports whether a cell in a column of a role can name a subject: it is not blank and holds no
// placeholder.
//
// Words that are names as well, such as "Null" and "N.A.", are names in a column of names when they are written as
// names. "NA" is a country, and "ND" is a state.
func NamesSubject(role Role, cell []byte) bool {
	switch {
	case !IsEmpty(cell):
		return true
	case !IsPlaceholder(cell):
		return false
	}
	text := string(trim(cell))
	switch role {
	case FirstName, LastName, FullName:
		return isWordOfName(text) || isInitials(text)
	case CompanyName:
		return isWordOfName(text)
	case CompanyCountry:
		return strings.EqualFold(text, "na")
	case CompanyState:
		return strings.EqualFold(text, "nd")
	}
	return false
}

// isWordOfName reports whether a placeholder is a name as well, and written as one.
func isWordOfName(text string) bool {
	return len(text) > 1 && 'A' <= text[0] && text[0] <= 'Z' && text[1:] == strings.ToLower(text[1:]) &&
		strings.Contains(nameWords, " "+strings.ToLower(text)+" ")
}

// isInitials reports whether a text consists of capitals with a dot behind each, such as "N.A." in "N.A. Sharma".
func isInitials(text string) bool {
	letters := strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), " ", "")
	return strings.Count(text, ".") == len(letters) && letters != "" && strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
