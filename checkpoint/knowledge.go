package checkpoint

import (
	"slices"
	"strings"
	"unicode"

	"payonce/enrich"
)

// Mention is a part of an answer that may be about a person: an object that names somebody or has contact data, or a
// single text.
type Mention struct {
	Path string // in the answer
	In   int    // the mention around it, by its place from 1; 0 for none. It goes with that one.
	// Of an object:
	Name                       string
	CompanyName, CompanyDomain string
	Emails, Phones, Pages      []string
	// Text is the text, "" for an object.
	Text string
	Hash uint32 // of its bytes
}

// relation says whether something is about the person.
type relation uint8

const (
	another relation = iota
	namesake
	thePerson
)

// knowledge is what is known of the person.
type knowledge struct {
	keys                  map[enrich.Key]bool
	names, emails, phones map[string]bool // folded
	words                 []string        // the words of the names, in both orders
	pages                 []string        // the canonical forms of the profiles
	hosts                 map[string]bool // of the profiles
	domains, companies    []string        // folded
	givenEmail            string
	givenPhone            string
	chosen                []string // the records of namesakes who are the person
	all                   bool     // all of them are
	keysOf, ownKeysOf     func(enrich.Identity) []enrich.Key
}

func (k *knowledge) learnIdentity(id enrich.Identity) {
	for _, key := range k.keysOf(id) {
		k.keys[key] = true
	}
	if id.ProfileURL != "" {
		k.hosts[hostOf(id.ProfileURL)] = true
		_, form, _ := strings.Cut(id.Canonical(), "\x1f")
		k.pages = append(k.pages, form)
	}
	if id.Email != "" {
		k.emails[foldEmail(id.Email)] = true
	}
	k.learnName(nameOf(id))
	k.companyOf(id).addTo(k)
}

func (k *knowledge) learnName(name string) {
	form := words(name)
	if form == "" || k.names[foldName(name)] {
		return
	}
	k.names[foldName(name)] = true
	all := strings.Fields(form)
	last := len(all) - 1
	k.words = append(k.words, form, spaced(append([]string{all[last]}, all[:last]...)))
}

// learnEmail learns an email, and the keys of the identity that it is.
func (k *knowledge) learnEmail(email string) {
	k.emails[foldEmail(email)] = true
	if id, reason := (enrich.Contact{Email: email}).Identify(enrich.ByEmail); reason == "" {
		for _, key := range k.keysOf(id) {
			k.keys[key] = true
		}
	}
}

// learn learns what a match says about the person.
func (k *knowledge) learn(m PersonMatch) {
	for _, id := range m.Others {
		k.learnIdentity(id)
	}
	if !m.IsWhole() {
		for place := range m.Mentions {
			x := m.Facts.Mentions[place]
			k.learnName(x.Name)
			for _, email := range x.Emails {
				k.learnEmail(email)
			}
			if x.Name != "" {
				k.companyOfMention(x, m.Identity).addTo(k)
			}
		}
		return
	}
	k.keys[m.Key] = true
	if isPerson(m.Identity) {
		k.learnIdentity(m.Identity)
	}
	k.learnName(m.Facts.Name)
	if phone := digits(m.Facts.Phone); phone != "" {
		k.phones[phone] = true
	}
	for _, email := range []string{m.Facts.Email, m.Identity.Email} {
		if email != "" {
			k.learnEmail(email)
		}
	}
	for _, address := range m.Facts.Pages {
		if id, isPage := pageOf(address); isPage {
			k.learnIdentity(id)
		}
	}
	k.companyOfMatch(m).addTo(k)
}

// isPerson reports whether an identity names a person.
func isPerson(id enrich.Identity) bool {
	return id != (enrich.Identity{}) && id.Search == "" && id.Company == (enrich.Company{})
}

// match says what of an attempt is about the person: the match becomes zero when nothing is. It returns what is of a
// namesake, who was not chosen.
func (k *knowledge) match(m *PersonMatch) (namesakes []PersonMatch) {
	whole := *m
	switch k.choose(k.ofWhole(whole), whole) {
	case thePerson:
		return nil
	case namesake:
		*m = PersonMatch{}
		return []PersonMatch{whole}
	}
	mentions := map[int]bool{}
	covered := map[int]bool{} // by a mention around it
	for place, x := range m.Facts.Mentions {
		if x.In > 0 && covered[x.In-1] {
			covered[place] = true
			continue
		}
		one := whole
		one.Mentions = map[int]bool{place: true}
		switch k.choose(k.ofMention(x, m.Identity), one) {
		case thePerson:
			mentions[place], covered[place] = true, true
			m.Others = append(m.Others, k.identitiesOf(x, m.Identity)...)
		case namesake:
			covered[place] = true
			namesakes = append(namesakes, one)
		}
	}
	if m.Mentions = mentions; len(mentions) == 0 {
		*m = PersonMatch{}
	}
	return namesakes
}

// choose makes a namesake who was chosen the person.
func (k *knowledge) choose(v relation, m PersonMatch) relation {
	if v == namesake && (k.all || slices.Contains(k.chosen, m.Record())) {
		return thePerson
	}
	return v
}

// ofWhole says whether an attempt is about the person.
func (k *knowledge) ofWhole(m PersonMatch) relation {
	email, phone := foldEmail(m.Facts.Email), digits(m.Facts.Phone)
	if k.keys[m.Key] && k.isKeyed(m.Identity) || email != "" && email == k.givenEmail || phone != "" && phone == k.givenPhone {
		return thePerson
	}
	if id := m.Identity; id.Search != "" || id.Company != (enrich.Company{}) {
		return k.ofQuestion(id)
	}
	pages := m.Facts.Pages
	if m.Identity.ProfileURL != "" {
		pages = append(slices.Clone(pages), m.Identity.ProfileURL)
	}
	if k.hasPage(pages) {
		return thePerson
	}
	names := namesOf(m)
	same := slices.ContainsFunc(names, k.isName)
	if (k.emails[email] || k.phones[phone]) && (same || len(names) == 0 || len(k.names) == 0) {
		return thePerson
	}
	return k.ofName(same, pages, k.companyOfMatch(m))
}

// isKeyed reports whether an attempt under a key of the person is about the person. Others may have had the same former
// key. An attempt that is erased may be about anybody who had the key.
func (k *knowledge) isKeyed(id enrich.Identity) bool {
	return id.ProfileURL+id.Company.ProfileURL == "" || k.hasOwnKey(id)
}

func (k *knowledge) hasOwnKey(id enrich.Identity) bool {
	return slices.ContainsFunc(k.ownKeysOf(id), func(key enrich.Key) bool { return k.keys[key] })
}

// ofName says whether somebody with the person's name, or with another one, is the person.
func (k *knowledge) ofName(same bool, pages []string, at company) relation {
	switch {
	case !same:
		return another
	case !k.otherPage(pages) && at.isOneOf(k):
		return thePerson
	}
	return namesake
}

// ofQuestion says whether what is asked about a company or searched for names the person. Then the whole attempt goes,
// because the question is what makes it one.
func (k *knowledge) ofQuestion(id enrich.Identity) relation {
	texts := []string{id.Search, id.Company.Name, id.Company.ProfileURL}
	for _, text := range texts {
		if k.hasPageIn(text) || k.hasEmail(text) || k.givenPhone != "" && strings.Contains(digits(text), k.givenPhone) {
			return thePerson
		}
	}
	if slices.ContainsFunc(texts[:2], func(text string) bool { return k.isName(words(text)) || k.hasName(words(text)) }) {
		return namesake
	}
	return another
}

// ofMention says whether a part of an answer is about the person.
func (k *knowledge) ofMention(x Mention, about enrich.Identity) relation {
	if x.Text != "" {
		return k.ofText(x, about)
	}
	same := k.isName(words(x.Name))
	unnamed := x.Name == "" || len(k.names) == 0
	for _, email := range x.Emails {
		if k.emails[foldEmail(email)] && (same || unnamed) {
			return thePerson
		}
	}
	for _, phone := range x.Phones {
		if number := digits(phone); number != "" && (number == k.givenPhone || same && k.phones[number]) {
			return thePerson
		}
	}
	if (same || unnamed) && k.hasPage(x.Pages) {
		return thePerson
	}
	return k.ofName(same, x.Pages, k.companyOfMention(x, about))
}

// ofText says whether a text is about the person. A text that has more than the name may be about somebody else.
func (k *knowledge) ofText(x Mention, about enrich.Identity) relation {
	form := words(x.Text)
	number := digits(x.Text)
	switch {
	case k.hasEmail(x.Text) || k.hasPageIn(x.Text):
		return thePerson
	case k.givenPhone != "" && number == k.givenPhone && strings.Trim(x.Text, "+-()/. 0123456789") == "":
		return thePerson
	case k.isName(form):
		return k.ofName(true, nil, k.companyOfMention(x, about))
	case !k.hasName(form):
		return another
	}
	if local, domain, isEmail := strings.Cut(strings.TrimSpace(x.Text), "@"); isEmail && k.isName(words(local)) {
		return k.ofName(true, nil, company{domains: domainsOf(domain)})
	}
	return namesake
}

func (k *knowledge) isName(form string) bool { return form != "" && slices.Contains(k.words, form) }

// hasName reports whether words hold a name of more than one word.
func (k *knowledge) hasName(form string) bool {
	return slices.ContainsFunc(k.words, func(name string) bool {
		return strings.Count(name, " ") > 2 && strings.Contains(form, name)
	})
}

// namedIn reports whether a text has an email, a phone or a profile of the person, or all words of a name.
func (k *knowledge) namedIn(text string) bool {
	if k.hasPageIn(text) || k.hasEmail(text) || k.givenEmail != "" && containsWhole(strings.ToLower(text), k.givenEmail) {
		return true
	}
	const shortest = 7 // of a phone: fewer digits are in many numbers
	numbers := digits(text)
	for phone := range k.phones {
		if len(phone) >= shortest && strings.Contains(numbers, phone) {
			return true
		}
	}
	form := words(text)
	return slices.ContainsFunc(k.words, func(name string) bool {
		return !slices.ContainsFunc(strings.Fields(name), func(word string) bool { return !strings.Contains(form, " "+word+" ") })
	})
}

func (k *knowledge) hasEmail(text string) bool {
	if !strings.Contains(text, "@") {
		return false
	}
	folded := foldEmail(text)
	for email := range k.emails {
		if containsWhole(folded, email) {
			return true
		}
	}
	return false
}

func (k *knowledge) hasPage(pages []string) bool {
	for _, address := range pages {
		if id, isPage := pageOf(address); isPage && k.hasOwnKey(id) {
			return true
		}
	}
	return false
}

// unescapeJSON writes the characters of addresses that JSON may escape as themselves.
var unescapeJSON = strings.NewReplacer(`\/`, "/", `\u0026`, "&", `\u003d`, "=", `\u003D`, "=")

// hasPageIn reports whether a text has the address of a profile of the person, in any spelling.
func (k *knowledge) hasPageIn(text string) bool {
	if !strings.Contains(text, "/") {
		return false
	}
	folded := strings.ToLower(text)
	if slices.ContainsFunc(k.pages, func(form string) bool { return containsWhole(folded, form) }) {
		return true
	}
	isBetween := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`<>|,;{}[]()\\", r) }
	for part := range strings.FieldsFuncSeq(unescapeJSON.Replace(text), isBetween) {
		if scheme := strings.Index(part, "://"); scheme >= 0 { // it may stand behind "profile=" or "url:"
			start := strings.LastIndexFunc(part[:scheme], func(r rune) bool { return !unicode.IsLetter(r) }) + 1
			part = part[start:]
		}
		if k.hasPage([]string{part, strings.TrimRight(part, ".:!?*")}) {
			return true
		}
	}
	return false
}

// otherPage reports whether there is a profile at a host where the person has one. It is not that one.
func (k *knowledge) otherPage(pages []string) bool {
	return slices.ContainsFunc(pages, func(address string) bool {
		id, isPage := pageOf(address)
		return isPage && k.hosts[hostOf(id.ProfileURL)]
	})
}

// identitiesOf returns the identities that a mention of the person gives.
func (k *knowledge) identitiesOf(x Mention, about enrich.Identity) (ids []enrich.Identity) {
	for _, address := range x.Pages {
		if id, isPage := pageOf(address); isPage {
			ids = append(ids, id)
		}
	}
	name := x.Name
	if k.isName(words(x.Text)) {
		name = x.Text
	}
	at := k.companyOfMention(x, about)
	for _, domain := range at.domains {
		ids = append(ids, atCompany(name, enrich.Contact{CompanyDomain: domain})...)
	}
	for _, companyName := range at.names {
		ids = append(ids, atCompany(name, enrich.Contact{CompanyName: companyName})...)
	}
	return ids
}
