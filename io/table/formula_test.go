package table_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/io/table"
)

func TestFormulasAreEscaped(t *testing.T) {
	for value, want := range map[string]string{
		"=1+1": "'=1+1", "=": "'=", "@SUM(A1)": "'@SUM(A1)", "+A1": "'+A1", "-A1": "'-A1", "-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
		"+1*2": "'+1*2", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "--A1": "'--A1", "+49 171 5550100;=1": "'+49 171 5550100;=1",
		"-1e": "'-1e", "-e5": "'-e5", "-1e5e5": "'-1e5e5", "+1.5E+A1": "'+1.5E+A1",
		// Values that begin as an escaped one does.
		"'=1+1": "''=1+1", "''@x": "'''@x",
		// These do nothing.
		"": "", "'": "'", "''": "''", "Ann": "Ann", "'t Hooft": "'t Hooft", "a=b": "a=b", " =1": " =1", "-": "-", "+": "+",
		"-123.4": "-123.4", "-1,234.5": "-1,234.5", "-1.5e-7": "-1.5e-7", "-2E+10": "-2E+10", "'-5": "'-5",
		"+49 171 5550100": "+49 171 5550100", "+49 (0) 30-12.34": "+49 (0) 30-12.34", "'+1 (555) 010-0100": "'+1 (555) 010-0100",
	} {
		if got := table.EscapeFormula(value); got != want {
			t.Errorf("%q became %q, want %q", value, got, want)
		}
		if got := table.UnescapeFormula([]byte(want)); string(got) != value {
			t.Errorf("%q was read as %q, want %q", want, got, value)
		}
	}
}

// TestAnEscapedValueIsReadAsItWas draws values, most of which begin like formulas. The cell of no value begins like a
// formula that does something, and each cell is read as its value. So no two values have one cell.
func TestAnEscapedValueIsReadAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOfN(rapid.RuneFrom([]rune("'=+-@\t\r\n 0(e.,A|")), 0, 8, -1).Draw(t, "value")
		cell := table.EscapeFormula(value)
		if cell != value && cell != "'"+value {
			t.Fatalf("%q became %q", value, cell)
		}
		if got := table.UnescapeFormula([]byte(cell)); string(got) != value {
			t.Fatalf("%q became %q and was read as %q", value, cell, got)
		}
		switch {
		case cell == "":
		case strings.ContainsRune("=@\t\r\n", rune(cell[0])):
			t.Fatalf("%q is the cell %q", value, cell)
		case strings.ContainsRune("+-", rune(cell[0])) && strings.ContainsAny(cell, "=@A|'\t\r\n"):
			t.Fatalf("%q is the cell %q", value, cell)
		}
	})
}

// TestPhonesWithSlashesStayUsable: "+49 30/123" is how phones are often written.
func TestPhonesWithSlashesStayUsable(t *testing.T) {
	for _, value := range []string{"+49 30/1234567", "+49 (0) 30 / 12 34-56", "-1/2"} {
		if got := table.EscapeFormula(value); got != value {
			t.Errorf("%q became %q", value, got)
		}
	}
}
