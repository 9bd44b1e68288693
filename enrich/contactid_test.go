package enrich_test

import (
	"testing"

	"payonce/enrich"
)

// TestAnIDNamesAPersonAfterAProfileAndBeforeAName builds identities of rows that have several.
func TestAnIDNamesAPersonAfterAProfileAndBeforeAName(t *testing.T) {
	row := enrich.Contact{ContactID: " 0042 ", ProfileURL: "https://www.linkedin.com/in/ann", FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}
	own := enrich.Identity{ContactID: "0042"}
	paged := enrich.Identity{ProfileURL: "https://linkedin.com/in/ann"}
	named := enrich.Identity{FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}
	for _, test := range []struct {
		change func(*enrich.Contact)
		prefer enrich.Pattern
		want   enrich.Identity
		reason enrich.Unidentifiable
	}{
		{func(*enrich.Contact) {}, enrich.ByProfile, paged, ""},
		{func(c *enrich.Contact) { c.ProfileURL = "" }, enrich.ByProfile, own, ""},
		{func(*enrich.Contact) {}, enrich.ByName, named, ""},
		{func(c *enrich.Contact) { c.FirstName = "" }, enrich.ByName, paged, ""},
		{func(c *enrich.Contact) { c.FirstName, c.ProfileURL = "", "" }, enrich.ByName, own, ""},
		{func(c *enrich.Contact) { c.ContactID, c.ProfileURL = "1.2345E+12", "" }, enrich.ByProfile, named, ""},
		{func(c *enrich.Contact) { *c = enrich.Contact{ContactID: "1.2345E+12"} }, enrich.ByProfile, enrich.Identity{}, enrich.BadContactID},
		{func(c *enrich.Contact) { *c = enrich.Contact{ContactID: "7"} }, enrich.ByProfile, enrich.Identity{ContactID: "7"}, ""},
	} {
		contact := row
		test.change(&contact)
		id, reason := contact.Identify(test.prefer)
		if id != test.want || reason != test.reason {
			t.Errorf("%+v: %+v, %q", contact, id, reason)
			continue
		}
		cells := enrich.Cells{
			ProfileURL: []byte(contact.ProfileURL), FirstName: []byte(contact.FirstName), LastName: []byte(contact.LastName),
			CompanyName: []byte(contact.CompanyName), ContactID: []byte(contact.ContactID),
		}
		form, pattern, reason := cells.AppendCanonical(nil, test.prefer)
		if reason != test.reason || reason == "" && (string(form) != id.Canonical() || pattern != id.Pattern() || string(id.AppendCanonical(nil)) != id.Canonical()) {
			t.Errorf("%+v: the form %q by %s, %q", contact, form, pattern, reason)
		}
	}
	if own.Canonical() == (enrich.Identity{Company: enrich.Company{ID: "0042"}}).Canonical() || own.Canonical() == (enrich.Identity{ContactID: "42"}).Canonical() {
		t.Error("two subjects have one form")
	}
}
