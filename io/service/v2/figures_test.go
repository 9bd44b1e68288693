package v2

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"payonce/enrich"
)

// TestFiguresAreThoseOfTheSpecification compares the figures with a list that was made from the
// specification separately.
func TestFiguresAreThoseOfTheSpecification(t *testing.T) {
	file, err := os.Open("testdata/figures.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kinds := map[string]enrich.CellKind{"date": enrich.DateCell, "string": enrich.TextCell, "integer": enrich.IntegerCell, "double": enrich.NumberCell}
	want := map[string]enrich.CellKind{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		kind, name, _ := strings.Cut(lines.Text(), " ")
		if _, known := kinds[kind]; !known {
			t.Fatalf("%q has no known type", lines.Text())
		}
		want[name] = kinds[kind]
	}
	if len(want) != 266 {
		t.Errorf("the specification has %d figures, want 266", len(want))
	}
	folded := map[string]string{}
	for _, figure := range Figures() {
		kind, named := want[figure.Name]
		if !named || kind != figure.Kind {
			t.Errorf("%s is %s, but %s by the specification (named: %t)", figure.Name, figure.Kind, kind, named)
		}
		delete(want, figure.Name)
		// Some readers of tables take names that differ in case alone for one.
		if other, twice := folded[strings.ToLower(figure.Name)]; twice {
			t.Errorf("%s and %s differ in case alone", other, figure.Name)
		}
		folded[strings.ToLower(figure.Name)] = figure.Name
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}
