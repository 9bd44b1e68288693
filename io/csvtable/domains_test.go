package csvtable_test

import (
	"errors"
	"strings"
	"testing"

	"payonce/io/csvtable"
)

// TestAListOfDomainsWithoutAHeaderIsRefused keeps its first row from being lost as a header. The error has a line that
// can be put first.
func TestAListOfDomainsWithoutAHeaderIsRefused(t *testing.T) {
	for list, header := range map[string]string{
		"acme.com\nbeta.de\n":                 "website",
		"www.acme.com\nbeta.co.uk\ncat.fr\n":  "website",
		"acme.com,Acme\nbeta.de,Beta\n":       "website,column_2",
		"acme-1.example\nbeta-2.example\n":    "website",
		"website\nacme.com\n":                 "",
		"node.js\nacme.com\n":                 "",
		"booking.com,visits\n12,3\n":          "",
		"acme.com\n":                          "",
		"Acme Inc.\nacme.com\n":               "",
		"münchen.de;Name\nkoeln.de;Köln\n":    "website;column_2",
		"https://acme.com\nhttps://beta.de\n": "url",
		"\xef\xbb\xbfacme.com\nbeta.de\n":     "website",
	} {
		reader, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{})
		got := ""
		if headerless, is := errors.AsType[*csvtable.HeaderlessError](err); is {
			got = headerless.Header
		} else if err != nil {
			t.Errorf("%q: %v", list, err)
		} else {
			reader.Close()
		}
		if got != header {
			t.Errorf("%q: the header can be %q, want %q (%v)", list, got, header, err)
		}
	}
}
