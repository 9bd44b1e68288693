package fit

import (
	"strings"

	"payonce/enrich"
)

// compareIdentifiers compares two values of one pattern: two ids, or two pages. They differ only where they certainly
// name different subjects. Pages of different hosts or kinds cannot be compared, nor can a page with an opaque
// identifier and one with a name.
func compareIdentifiers(pattern enrich.Pattern, a, b string) level {
	formA, formB := formOfValue(pattern, a), formOfValue(pattern, b)
	switch {
	case formA == "" || formB == "":
		return missing
	case formA == formB:
		return same
	case pattern != enrich.ByProfile && pattern != enrich.ByCompanyProfile:
		return differs
	}
	placeA, nameA := cutName(formA)
	placeB, nameB := cutName(formB)
	if placeA == placeB && isOpaque(nameA) == isOpaque(nameB) {
		return differs
	}
	return missing
}

// formOfValue returns the canonical form of the subject that a value names by a pattern of one value; "" for none.
func formOfValue(pattern enrich.Pattern, value string) string {
	var id enrich.Identity
	var reason enrich.Unidentifiable
	switch pattern {
	case enrich.ByContactID:
		id, reason = enrich.Contact{ContactID: value}.Identify(pattern)
	case enrich.ByProfile:
		id, reason = enrich.Contact{ProfileURL: value}.Identify(pattern)
	case enrich.ByID:
		id, reason = enrich.Company{ID: value}.Identify(pattern)
	case enrich.ByCompanyProfile:
		id, reason = enrich.Company{ProfileURL: value}.Identify(pattern)
	default:
		return ""
	}
	if reason != "" {
		return ""
	}
	return id.Canonical()
}

// cutName cuts the canonical form of a page before the name of its subject.
func cutName(form string) (place, name string) {
	at := strings.LastIndexAny(form, "/=") + 1
	return form[:at], form[at:]
}

// isOpaque reports whether the name of a subject in the address of its page is an identifier that a network made, not
// one that a person chose. A page can have both.
func isOpaque(name string) bool {
	return strings.HasPrefix(name, "aco") && len(name) > 20 || strings.HasPrefix(name, "ACo") || strings.Trim(name, "0123456789") == ""
}
