package enrich

import "strings"

// Differ reports whether two values of one pattern certainly name different subjects: two ids, or two pages of one
// network. It reports false where that is not certain: when one of them is blank or not whole, when the pages are of
// different hosts or kinds, and when one of them has an opaque identifier and the other one a name.
func Differ(pattern Pattern, a, b string) bool {
	formA, formB := formOfValue(pattern, a), formOfValue(pattern, b)
	if formA == "" || formB == "" || formA == formB {
		return false
	}
	if pattern != ByProfile && pattern != ByCompanyProfile {
		return true
	}
	placeA, nameA := cutName(formA)
	placeB, nameB := cutName(formB)
	return placeA == placeB && isOpaque(nameA) == isOpaque(nameB)
}

// formOfValue returns the canonical form of the subject that a value names by a pattern of one value; "" for none.
func formOfValue(pattern Pattern, value string) string {
	var id Identity
	var reason Unidentifiable
	switch pattern {
	case ByContactID:
		id, reason = Contact{ContactID: value}.Identify(pattern)
	case ByProfile:
		id, reason = Contact{ProfileURL: value}.Identify(pattern)
	case ByID:
		id, reason = Company{ID: value}.Identify(pattern)
	case ByCompanyProfile:
		id, reason = Company{ProfileURL: value}.Identify(pattern)
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

// isOpaque reports whether the name of a subject in the address of its page is an identifier that a network made, not one
// that somebody chose. A page can have both.
func isOpaque(name string) bool {
	return strings.HasPrefix(name, "aco") && len(name) > 20 || strings.HasPrefix(name, "ACo") || strings.Trim(name, "0123456789") == ""
}
