package attempt

import (
	"slices"

	"payonce/enrich"
)

// Alias says that an answer named an identity which it was not asked by.
type Alias struct {
	// Subject is the key of the identity that was asked by, and Company that of the service's own id for the company of
	// the answer; it is Subject where the answer has none.
	Subject enrich.Key `json:"subject"`
	Company enrich.Key `json:"company"`
	Attempt ID         `json:"attempt"` // that was answered
}

// MostAliases is the most aliases of an identity that are kept. Those of the first answers are kept.
const MostAliases = 16

// AsAliases returns the aliases that an answer makes: for each key of an identity that it names, in the order of
// enrich.Answered.Names, the same alias. The keys do not include that of the subject.
func AsAliases(subject enrich.Key, id ID, names []enrich.Identity, keyOf func(enrich.Identity) enrich.Key) (alias Alias, keys []enrich.Key) {
	alias = Alias{Subject: subject, Company: subject, Attempt: id}
	for i, name := range names {
		key := keyOf(name)
		if i == 0 && name.Pattern() == enrich.ByID {
			alias.Company = key
		}
		if key != subject && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return alias, keys
}

// With returns the aliases of an identity with another one, and reports whether it was added.
func With(all []Alias, alias Alias) ([]Alias, bool) {
	isSame := func(a Alias) bool { return a.Subject == alias.Subject && a.Company == alias.Company }
	if len(all) >= MostAliases || slices.ContainsFunc(all, isSame) {
		return all, false
	}
	return append(all, alias), true
}

// OneCompany reports whether all aliases of an identity name the same company. A number may be that of several, as the
// VAT number of a group is: then it does not say which one is meant.
func OneCompany(all []Alias) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(a Alias) bool { return a.Company != all[0].Company })
}

// SameSubjects returns the other keys under which the subject of an identity may have been asked, by the aliases of the
// identity: none of an identity that does not name one company alone.
func SameSubjects(id enrich.Identity, own enrich.Key, all []Alias) (keys []enrich.Key) {
	if !id.IsExact() || !OneCompany(all) {
		return nil
	}
	for _, a := range all {
		for _, key := range []enrich.Key{a.Subject, a.Company} {
			if key != own && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
