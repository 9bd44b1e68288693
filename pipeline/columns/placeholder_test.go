package columns

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// realPlaceholders are cells of lists that hold nothing, in the languages that headers are known in.
func realPlaceholders() []string {
	return []string{
		"n/a", "N/A", "#N/A", "#N/A!", "n.a.", "N. A.", "n.a", "NA", "na", "NaN", "null", "NULL", "<null>", "(null)", "None", "-", "--", "—", "–", "_",
		"?", "???", ".", "...", "/", "*", "0", "00", "000000", "0.0", "0,00", "00-00", "unknown", "Unknown", "UNKNOWN", "(unknown)", "[unknown]",
		"TBC", "tbc", "T.B.C.", "TBD", "TBA", "to be confirmed", "not available", "Not  Applicable", "- n/a -", "'n/a'", "xxx", "XXXX",
		"#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NV", "#WERT!", "#BEZUG!", "#NOMBRE?", "#¡VALOR!", "#NOME?", "#RIF!", "#NB!", "#N/D", "#N/B",
		"k.A.", "k. A.", "k.A", "keine Angabe", "unbekannt", "Unbekannt", "nicht verfügbar", "nicht verfu\u0308gbar", "entfällt",
		"inconnu", "Inconnue", "non renseigné", "Non Disponible", "néant", "NC.", "n.c.", "sans objet",
		"sin datos", "Sin información", "s/d", "S/D", "s/o", "s.o.", "n/d", "N.D.", "desconocido", "no aplica", "no consta", "vacío",
		"sconosciuto", "non disponibile", "n.d.", "nessuno", "da definire",
		"desconhecido", "não disponível", "Não informado", "sem informação",
		"n.v.t.", "nvt", "onbekend", "niet van toepassing", "n.b.",
		"brak", "brak danych", "nieznany", "b/d", "nie dotyczy",
		"okänd", "saknas", "ej angivet", "ukendt", "ukjent", "ikke oplyst", "ikke tilgængelig", "ei tiedossa", "tyhjä", "neznámý", "není", "neuvedeno",
		"no website", "to follow", "folgt", "wird nachgereicht", "nicht vorh.", "keine Website", "pendiente", "sin web", "Pas de site", "geen website", "sem site",
		"[]", "{}", " \t-\n",
	}
}

// realValues are cells that look like placeholders and hold something.
func realValues() []string {
	return []string{
		"1", "007", "10", "0x", "x", "X", "xx", "Ann", "Na Li", "Nada Surf", "Null Island Ltd", "Unknown Pleasures", "None Such GmbH", "N.V. Nederland",
		"ann@n.a", "do not call", "0049", "+49", "3M", "O2", "N26", "Noa", "Nana", "nab", "Kan", "Tomi", "Tomas", "Brakel", "Leerdam", "Blanka", "Müller",
		"Ñandú", "Ødegård", "Иванов", "山田", "unknown.example", "na.example", "S.A.", "AG", "SA", "NO", "NE", "C/A", "AC/DC", "K.P.", "A-Z", "#1", "#", "#hashtag",
	}
}

func TestPlaceholdersOfAllLanguagesCountAsEmpty(t *testing.T) {
	for _, cell := range realPlaceholders() {
		if !IsPlaceholder([]byte(cell)) || !IsEmpty([]byte(cell)) || KindOf([]byte(cell)) != Blank {
			t.Errorf("%q is not taken for a placeholder", cell)
		}
	}
	for _, cell := range realValues() {
		if cell != "#" && (IsPlaceholder([]byte(cell)) || IsEmpty([]byte(cell))) {
			t.Errorf("%q is taken for a placeholder", cell)
		}
	}
}

func TestNoPlaceholderNamesASubject(t *testing.T) {
	for _, role := range Roles() {
		for _, cell := range realPlaceholders() {
			isCountry := role == CompanyCountry && strings.EqualFold(cell, "na")
			if NamesSubject(role, []byte(cell)) != isCountry && !isInitials(cell) {
				t.Errorf("%q names a subject in a column of %s: %t", cell, role, !isCountry)
			}
		}
	}
}

// TestNamesThatArePlaceholdersTooNameSubjects keeps the people who are called so.
func TestNamesThatArePlaceholdersTooNameSubjects(t *testing.T) {
	for _, test := range []struct {
		role Role
		cell string
		want bool
	}{
		{LastName, "Null", true},
		{LastName, "NULL", false},
		{LastName, "null", false},
		{FirstName, "Nan", true},
		{FirstName, "NaN", false},
		{FirstName, "N.A.", true}, // initials
		{FirstName, "n.a.", false},
		{FirstName, "N/A", false},
		{LastName, "Unknown", false},
		{FullName, "Blank", true},
		{CompanyName, "Blank", true},
		{CompanyName, "N.A.", false},
		{CompanyName, "None", false},
		{RegistrationNumber, "Null", false},
		{CompanyCountry, "NA", true}, // Namibia
		{CompanyCountry, "N/A", false},
		{CompanyState, "ND", true}, // North Dakota
		{CompanyState, "NA", false},
		{FirstName, "Ann", true},
		{FirstName, "  ", false},
	} {
		if got := NamesSubject(test.role, []byte(test.cell)); got != test.want {
			t.Errorf("%q names a subject in a column of %s: %t", test.cell, test.role, got)
		}
	}
}

// TestSignsAndCaseDoNotMakeAPlaceholderAValue writes placeholders with other signs and letters.
func TestSignsAndCaseDoNotMakeAPlaceholderAValue(t *testing.T) {
	words := realPlaceholders()
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.SampledFrom(words).Draw(t, "word")
		if rapid.Bool().Draw(t, "upper") {
			cell = strings.ToUpper(cell)
		}
		around := rapid.SampledFrom([][2]string{{"", ""}, {" ", "  "}, {"(", ")"}, {"[", "]"}, {"<", ">"}, {"- ", " -"}, {"\t", "\r\n"}}).Draw(t, "around")
		if cell = strings.TrimSpace(cell); strings.HasPrefix(cell, "#") { // an error of a spreadsheet has no signs around it
			around = [2]string{" ", " "}
		}
		cell = around[0] + cell + around[1]
		if !IsPlaceholder([]byte(cell)) {
			t.Fatalf("%q is not taken for a placeholder", cell)
		}
	})
}

// FuzzIsPlaceholder looks at any cell. Blanks around a cell and capitals change nothing, and what is left of a
// placeholder without its signs is a word of the list, zeros or crosses.
func FuzzIsPlaceholder(f *testing.F) {
	for _, cell := range append(realPlaceholders(), realValues()...) {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		is := IsPlaceholder([]byte(cell))
		if is != IsPlaceholder([]byte(" "+cell+"\t")) && len(trim([]byte(cell))) > 0 {
			t.Fatalf("blanks around %q change whether it is a placeholder: %t", cell, is)
		}
		if is && strings.ContainsAny(cell, "123456789@") || is && len(trim([]byte(cell))) == 0 {
			t.Fatalf("%q is taken for a placeholder", cell)
		}
		for _, role := range Roles() {
			if NamesSubject(role, []byte(cell)) && len(trim([]byte(cell))) == 0 {
				t.Fatalf("the blank %q names a subject as %s", cell, role)
			}
			if !is && len(trim([]byte(cell))) > 0 && !NamesSubject(role, []byte(cell)) {
				t.Fatalf("%q names no subject as %s", cell, role)
			}
		}
	})
}

func BenchmarkIsPlaceholder(b *testing.B) {
	for _, cell := range []string{"Anna", "Nina", "Acme, Inc.", "ann.lee@acme.example", "+49 30 1234567", "Müller", "unknown"} {
		b.Run(cell, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				IsPlaceholder([]byte(cell))
			}
		})
	}
}
