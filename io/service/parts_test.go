package service

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPartsListEveryMemberThatMayNameAPerson lists the parts of documents with every kind of member.
func TestPartsListEveryMemberThatMayNameAPerson(t *testing.T) {
	for name, test := range map[string]struct {
		document string
		form     Form
		want     []Part
	}{
		"shareholders": {
			`{"shareholders":[{"id":1,"name":"Ann Smith","quantity":3}],"data":["Bob Ray"],"group_structure":[{"id":7,"director":{"full_name":"Cy Lee"}}]}`,
			Form{},
			[]Part{
				{Path: "shareholders[0]", Name: "Ann Smith"},
				{Path: "shareholders[0].name", In: 1, Text: "Ann Smith"},
				{Path: "data[0]", Text: "Bob Ray"},
				{Path: "group_structure[0].director", Name: "Cy Lee"},
				{Path: "group_structure[0].director.full_name", In: 4, Text: "Cy Lee"},
			},
		},
		"a person of a search": {
			`{"data":[{"first_name":"Ann","last_name":"Smith","email":"a@x.example","mobile":4915,"pro_network":"https://p.example/in/ann","company":{"name":"Acme","website":"x.example"}}]}`,
			Form{},
			[]Part{
				{
					Path: "data[0]", Name: "Ann Smith", CompanyName: "Acme", CompanyDomain: "x.example",
					Emails: []string{"a@x.example"}, Phones: []string{"4915"}, Pages: []string{"https://p.example/in/ann"},
				},
				{Path: "data[0].first_name", In: 1, Text: "Ann"},
				{Path: "data[0].last_name", In: 1, Text: "Smith"},
				{Path: "data[0].email", In: 1, Text: "a@x.example"},
				{Path: "data[0].pro_network", In: 1, Text: "https://p.example/in/ann"},
				{Path: "data[0].company", In: 1, Name: "Acme"},
				{Path: "data[0].company.name", In: 6, Text: "Acme"},
				{Path: "data[0].company.website", In: 6, Text: "x.example"},
			},
		},
		"a company": {
			`{"name":"Acme","company_email":["a@x.example",null,""],"size":"3","Ann Smith":true,"note":"\u0041nn"}`,
			Form{},
			[]Part{
				{Path: "name", Text: "Acme"},
				{Path: "company_email[0]", Text: "a@x.example"},
				{Path: "size", Text: "3"},
				{Path: "Ann Smith", Text: "Ann Smith"},
				{Path: "note", Text: "Ann"},
			},
		},
		"the contact of a website": {
			`{"domain":"x.example","contact_name":"Ann Smith","contact_email":"a@x.example","contact_organization":"Acme"}`,
			Form{Together: "contact_"},
			[]Part{
				{Path: "contact_…", Name: "Ann Smith", CompanyName: "Acme", Emails: []string{"a@x.example"}},
				{Path: "domain", Text: "x.example"},
				{Path: "contact_name", In: 1, Text: "Ann Smith"},
				{Path: "contact_email", In: 1, Text: "a@x.example"},
				{Path: "contact_organization", In: 1, Text: "Acme"},
			},
		},
		"a person": {
			`{"full_name":"Ann Smith","email":"a@x.example","company_name":"Acme","function_original_name":"aide of Bob Ray"}`,
			Form{Own: true},
			[]Part{{Path: "function_original_name", Text: "aide of Bob Ray"}},
		},
		"a list":                {`[{"id":1,"name":"Acme"}]`, Form{}, []Part{{Path: "[0]", Name: "Acme"}, {Path: "[0].name", In: 1, Text: "Acme"}}},
		"two members of a name": {`{"a":"x","a":"y"}`, Form{}, []Part{{Path: "a", Text: "x"}, {Path: "a", Text: "y"}}},
		"a number":              {`5`, Form{}, nil},
		"nothing":               {``, Form{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Parts([]byte(test.document), test.form)
			for i := range got {
				if got[i].Hash == 0 {
					t.Errorf("%s has no hash", got[i].Path)
				}
				got[i].Hash = 0
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWithoutPartsKeepsTheRestByteForByte takes parts out of documents, byte for byte.
func TestWithoutPartsKeepsTheRestByteForByte(t *testing.T) {
	const owners = `{"id":1.50,"shareholders":[{"name":"Ann Smith","quantity":1e2},{"name":"Bob Ray","x":{"later":[1]}}],"data":[],"z":"Ann"}`
	for name, test := range map[string]struct {
		document string
		form     Form
		drop     string // the paths of what is dropped
		want     string
	}{
		"nothing":           {owners, Form{}, "", owners},
		"an element":        {owners, Form{}, "shareholders[0]", `{"id":1.50,"shareholders":[{"name":"Bob Ray","x":{"later":[1]}}],"data":[],"z":"Ann"}`},
		"all elements":      {owners, Form{}, "shareholders[0] shareholders[1]", `{"id":1.50,"shareholders":[],"data":[],"z":"Ann"}`},
		"a member":          {owners, Form{}, "z shareholders[1].name", `{"id":1.50,"shareholders":[{"name":"Ann Smith","quantity":1e2},{"name":null,"x":{"later":[1]}}],"data":[],"z":null}`},
		"a text of a list":  {`{"e":["a@x.example","b@x.example"]}`, Form{}, "e[0]", `{"e":["b@x.example"]}`},
		"an object":         {`{"a":{"name":"Ann"},"b":1}`, Form{}, "a", `{"a":null,"b":1}`},
		"the name of one":   {`{"A B":1,"b":2}`, Form{}, "A_B", `{"b":2}`},
		"members together":  {`{"contact_name":"Ann","contact_state":"x","domain":"d.example"}`, Form{Together: "contact_"}, "contact_…", `{"contact_name":null,"contact_state":null,"domain":"d.example"}`},
		"what lies deep":    {strings.Repeat(`{"a":`, 60) + `"Ann"` + strings.Repeat(`}`, 60), Form{}, strings.TrimSuffix(strings.Repeat("a.", deepest), "."), strings.Repeat(`{"a":`, deepest) + `null` + strings.Repeat(`}`, deepest)},
		"what is no object": {`"Ann"`, Form{}, "", `"Ann"`},
	} {
		t.Run(name, func(t *testing.T) {
			drop := map[int]bool{}
			for i, part := range Parts([]byte(test.document), test.form) {
				for path := range strings.FieldsSeq(test.drop) {
					if strings.ReplaceAll(part.Path, " ", "_") == path {
						drop[i] = true
					}
				}
			}
			if len(drop) != len(strings.Fields(test.drop)) {
				t.Fatalf("%d parts are dropped, not %q", len(drop), test.drop)
			}
			if got := string(WithoutParts([]byte(test.document), test.form, drop)); got != test.want {
				t.Errorf("the document is\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// FuzzWithoutParts: without anything dropped a document stays as it is. When everything is dropped, it stays JSON, and
// no text is left of it.
func FuzzWithoutParts(f *testing.F) {
	for _, document := range []string{
		`{"a":[{"name":"x","b":["y",{"z":null}]}],"c d":1}`, `[]`, `"x"`, `{"contact_name":"n","contact_x":[1]}`, `{"a":"\ud800","a":1e400}`, `{"full_name":"x","y":{"email":["a"]}}`,
	} {
		f.Add([]byte(document), false, "")
		f.Add([]byte(document), true, "contact_")
	}
	f.Fuzz(func(t *testing.T, document []byte, own bool, together string) {
		if !json.Valid(document) {
			return
		}
		var compact bytes.Buffer
		if json.Compact(&compact, document) != nil {
			return
		}
		form := Form{Own: own, Together: together}
		parts := Parts(compact.Bytes(), form)
		if same := WithoutParts(compact.Bytes(), form, nil); !bytes.Equal(same, compact.Bytes()) {
			t.Fatalf("%s became %s", compact.Bytes(), same)
		}
		drop := map[int]bool{}
		for i, part := range parts {
			if drop[i] = true; part.In > i {
				t.Errorf("part %d lies in part %d", i+1, part.In)
			}
		}
		rest := WithoutParts(compact.Bytes(), form, drop)
		if compact.Bytes()[0] != '"' && !json.Valid(rest) {
			t.Fatalf("%s became %q", compact.Bytes(), rest)
		}
		if left := Parts(rest, form); len(left) > 0 {
			t.Errorf("%s became %s, with %+v", compact.Bytes(), rest, left)
		}
	})
}
