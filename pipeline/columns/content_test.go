package columns

import (
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	for kind, cells := range map[Kind][]string{
		Blank: {"", " \t", "-", "n/a", "N/A", "#N/A", "None", " unknown ", "NULL", "#NV"},
		EmailAddress: {
			"ann@acme.example", "Ann Lee <ann@acme.example>", "a@x.example ::: b@y.example", "mailto:ann@acme.example",
			"a@x.example; b@y.example",
		},
		PersonPage: {
			"https://www.linkedin.com/in/ann-lee", "linkedin.com/in/ann", "https://network.example/in/ann", "de.linkedin.com/pub/ann/1/2",
			"https://www.xing.com/profile/Ann_Lee",
		},
		SalesPage:   {"https://www.linkedin.com/sales/lead/ACwAAA,NAME_SEARCH,x", "https://www.linkedin.com/sales/people/ACwAAA"},
		CompanyPage: {"https://www.linkedin.com/company/acme", "https://www.linkedin.com/sales/company/1", "https://www.xing.com/companies/acme"},
		SharedPage:  {"https://twitter.com/acme", "crunchbase.com/organization/acme", "gmail.com", "https://linkedin.com"},
		WebPage:     {"https://acme.example/team", "acme.com/de"},
		Website:     {"acme.com", "www.acme.example", "https://acme.example/", "sub.acme.co.uk", "http://bücher.example"},
		PhoneNumber: {"+49 30 1234567", "(202) 555-0100", "+12025550100", "030/123456-78", "+1 202 555 0100 ext. 12", "'+4930123456"},
		Digits:      {"4930123456", "1234567"},
		Number:      {"12", "3.5", "1,000", "$5", "12 %", "1e6", "123456"},
		Date:        {"2024-01-31", "31.01.2024", "2024-01-31 12:00:05", "2024-01-31T12:00:05Z", "05 Mar 2024", "1/31/2024"},
		Text:        {"Ann", "Acme Inc.", "Node.js", "Dr. No", "e.V.", "3M", "a@b", "ann@", "@ann", "Lee, Ann", "http://", "x/y", "1.2.3.4"},
	} {
		for _, cell := range cells {
			if got := KindOf([]byte(cell)); got != kind {
				t.Errorf("%q is of kind %d (%s), want %d (%s)", cell, got, got.describe(), kind, kind.describe())
			}
		}
	}
	if got := KindOf([]byte(strings.Repeat("1", maxCell+1))); got != Text {
		t.Errorf("a very long cell is of kind %d", got)
	}
}

func TestHoldsFollowsTheKindsOfValuesThatCount(t *testing.T) {
	email, phone := Email, Phone
	for _, test := range []struct {
		field Role
		cell  string
		held  Held
		want  bool
	}{
		{email, "ann@acme.example", HeldAll, true},
		{email, "ann@gmail.com", HeldAll, true},
		{email, "ann@gmail.com", HeldWork, false},
		{email, "ann@gmail.com, ann@acme.example", HeldWork, true},
		{email, "ask her", HeldAll, false},
		{email, "n/a", HeldAll, false},
		{phone, "+49 30 1234567", HeldAll, true},
		{phone, "call first", HeldAll, false},
		{phone, "-", HeldAll, false},
	} {
		if got := Holds(test.field, []byte(test.cell), test.held); got != test.want {
			t.Errorf("%q holds a value: %v, want %v (%s, %s)", test.cell, got, test.want, test.field, test.held)
		}
	}
}

// FuzzKindOf looks at any cell: the answer is the same twice, and a blank cell holds nothing.
func FuzzKindOf(f *testing.F) {
	for _, cell := range []string{"", "ann@acme.example", "https://x.y/in/z", "\xff.com", "١٢٣٤٥٦٧", "0x1234567", "1.1.2024"} {
		f.Add([]byte(cell))
	}
	f.Fuzz(func(t *testing.T, cell []byte) {
		kind := KindOf(cell)
		if again := KindOf(cell); again != kind || kind >= numKinds {
			t.Fatalf("%q is of kind %d, then of kind %d", cell, kind, again)
		}
		if kind == Blank && (Holds(Email, cell, HeldAll) || Holds(Phone, cell, HeldAll)) {
			t.Fatalf("%q is blank and holds a value", cell)
		}
		if len(cell) <= maxCell && (kind == EmailAddress) != (Holds(Email, cell, HeldAll) && kind != Blank) {
			t.Fatalf("%q is of kind %d and is held as an email: %v", cell, kind, kind != EmailAddress)
		}
	})
}
