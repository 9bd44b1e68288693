package enrich_test

import (
	"testing"

	"payonce/enrich"
)

func TestACatalogueNamesSetsOfFields(t *testing.T) {
	c := enrich.Named("name", "register", "figures", "owners", "visits")
	c.Fields[2].Word = "figure"
	c.Operations = map[enrich.Fields]string{c.All(): "everything"}
	for fields, want := range map[enrich.Fields]struct{ names, words, operation string }{
		0:       {"", "", ""},
		1:       {"name", "name", "name"},
		0b10100: {"figures,visits", "figure,visits", "figures,visits"},
		0b11111: {"name,register,figures,owners,visits", "name,register,figure,owners,visits", "everything"},
	} {
		if c.Names(fields) != want.names || c.Words(fields) != want.words || c.Operation(fields) != want.operation {
			t.Errorf("%b: %q, %q and %q, want %q", fields, c.Names(fields), c.Words(fields), c.Operation(fields), want)
		}
	}
	for name, want := range map[string]enrich.Field{"name": 0, "figures": 2, "figure": 2, "visits": 4} {
		if got, known := c.Lookup(name); !known || got != want {
			t.Errorf("%q is field %d, known %t", name, got, known)
		}
	}
	if f, known := c.Lookup("email"); known {
		t.Errorf("an unknown name is field %d", f)
	}
	if got := c.Name(7) + ", " + c.Word(7); got != "field_7, field 7" {
		t.Errorf("a field that is not in the catalogue is called %s", got)
	}
}
