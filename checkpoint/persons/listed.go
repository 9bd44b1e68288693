package persons

import "payonce/enrich"

// Listed is one person of an answer that lists persons. A part may be missing.
type Listed struct {
	Name, ProfileURL           string
	CompanyName, CompanyDomain string
}

// identity returns the identity by the profile URL; zero without one.
func (l Listed) identity() enrich.Identity {
	id, reason := enrich.Contact{ProfileURL: l.ProfileURL}.Identify(enrich.ByProfile)
	if reason != "" {
		return enrich.Identity{}
	}
	return id
}

// company returns the company of the person as identities have it, without the name.
func (l Listed) company() enrich.Identity {
	anybody := enrich.Contact{FirstName: "a", LastName: "b", CompanyDomain: l.CompanyDomain}
	at, _ := anybody.Identify(enrich.ByName) // zero without a domain
	return enrich.Identity{CompanyName: l.CompanyName, CompanyDomain: at.CompanyDomain}
}

// among returns the identities of the person among those that an answer lists. It learns the profile URL of one
// that has the person's name and no other company. It is empty when none is the person.
func (k *knowledge) among(listed []Listed, keysOf func(enrich.Identity) []enrich.Key) (own []enrich.Identity) {
	for _, l := range listed {
		id := l.identity()
		var keys []enrich.Key
		if id != (enrich.Identity{}) {
			keys = keysOf(id)
		}
		named := k.names[foldName(l.Name)] && l.Name != "" && !k.worksElsewhere(Match{Identity: l.company()})
		for _, key := range keys {
			named = named || k.keys[key]
		}
		if !named {
			continue
		}
		k.learnIdentity(keys, id)
		if name := foldName(l.Name); name != "" {
			k.names[name] = true
		}
		own = append(own, id)
	}
	return own
}
