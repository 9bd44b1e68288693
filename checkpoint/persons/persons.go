// Package persons finds everything that a journal holds about one person, under whatever
// identity it was bought.
package persons

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"payonce/attempt"
	"payonce/checkpoint/outcomes"
	"payonce/checkpoint/record"
	"payonce/checkpoint/store"
	"payonce/enrich"
)

// Person says who is sought, by exactly one of the three.
type Person struct {
	Identity enrich.Identity
	Email    string // as it was returned
	Phone    string // as it was returned; its digits are compared
}

// Facts are what an answer says about who the person is. A part may be missing.
type Facts struct {
	Name, Email, Phone string
	// Listed are the persons in an answer that lists persons, such as a page of a search.
	Listed []Listed
}

// Match is an attempt that is about the person.
type Match struct {
	ID       attempt.ID
	Account  attempt.Account
	Key      enrich.Key
	Identity enrich.Identity // zero when it was erased
	Facts    Facts           // of the answer
	// Listed are identities of the person, from an answer that lists persons.
	Listed []enrich.Identity
}

// Reading says how a journal is read.
type Reading struct {
	Store store.Store
	Last  attempt.ID // the last attempt
	// KeysOf returns the keys of an identity in all accounts.
	KeysOf func(enrich.Identity) []enrich.Key
	Facts  Read
	// Interfaces are those of the accounts. Of several, one may ask by email.
	Interfaces []string
}

// Read reads an answer of an interface. That of the account 0 is "".
type Read func(of string, answered enrich.Answered) (Facts, error)

// ErrNobody says that no person is named.
var ErrNobody = errors.New("no person is named; name one by profile URL, by name and company, or by email or phone")

// Find returns the attempts about a person, and the other identities that the answers give the
// person. The attempts are in the order in which they were found: each shares something with the
// person who was named or with attempts before it.
//
// An attempt is about the person when its identity is the person's, or its answer has the
// person's email, phone or name, or lists the person among others. What is learned from one attempt
// counts for the others. Equal emails and phones do not count when the names differ, unless the email or
// phone is what was asked for. Equal names do not count when both have a company, which is that of the identity or the
// domain of the email, and share none.
func (r Reading) Find(who Person) ([]Match, []enrich.Identity, error) {
	known := &knowledge{keys: map[enrich.Key]bool{}, names: map[string]bool{}, emails: map[string]bool{}, phones: map[string]bool{}}
	switch {
	case who.Identity != (enrich.Identity{}):
		known.learnIdentity(r.KeysOf(who.Identity), who.Identity)
		known.byName = who.Identity.FirstName != ""
		if who.Identity.Email != "" {
			known.emails[foldEmail(who.Identity.Email)] = true
		}
	case who.Email != "":
		known.givenEmail = foldEmail(who.Email)
		known.learnEmail(who.Email, r.KeysOf)
	case digits(who.Phone) != "":
		known.givenPhone = digits(who.Phone)
		known.phones[known.givenPhone] = true
	default:
		return nil, nil, ErrNobody
	}
	index, err := r.index()
	if err != nil {
		return nil, nil, err
	}
	matches, err := r.match(index, known)
	return matches, known.alternatives(matches, len(r.Interfaces) > 1), err
}

// match goes through the attempts until nothing more is learned.
func (r Reading) match(index *index, known *knowledge) (matches []Match, err error) {
	found := map[attempt.ID]bool{}
	for learned := true; learned; {
		learned = false
		for _, id := range index.candidates(known) {
			if found[id] {
				continue
			}
			var m Match
			err := outcomes.EachAttempt(r.Store, id, id, func(a *outcomes.Attempt) (err error) {
				m, err = r.matchOf(a)
				return err
			})
			if err != nil {
				return nil, err
			}
			if m.ID == 0 {
				continue
			}
			switch {
			case len(m.Facts.Listed) > 0:
				if m.Listed = known.among(m.Facts.Listed, r.KeysOf); len(m.Listed) == 0 {
					continue
				}
			case !known.isOf(m):
				continue
			default:
				known.learn(m, r.KeysOf)
			}
			found[id], learned = true, true
			matches = append(matches, m)
		}
	}
	return matches, nil
}

func (r Reading) matchOf(a *outcomes.Attempt) (m Match, err error) {
	m = Match{ID: a.ID, Account: a.Intent.Account, Key: a.Intent.Key, Identity: a.Intent.Identity}
	m.Facts, err = r.factsOf(m.Account, a.Ended)
	return m, err
}

// factsOf reads the answer of an attempt of an account. Without an answer there are no facts.
func (r Reading) factsOf(account attempt.Account, ended attempt.Resolution) (facts Facts, err error) {
	if ended.Data == "" {
		return facts, nil
	}
	of, err := record.InterfaceOf(account, r.Interfaces)
	if err != nil {
		return facts, err
	}
	return r.Facts(of, ended.Answer())
}

// knowledge is what is known of the person.
type knowledge struct {
	keys                  map[enrich.Key]bool
	names, emails, phones map[string]bool // folded
	domains, companies    []string        // folded
	givenEmail            string
	givenPhone            string
	byName                bool // the person was named by a name
}

func (k *knowledge) learnIdentity(keys []enrich.Key, id enrich.Identity) {
	for _, key := range keys {
		k.keys[key] = true
	}
	if name := nameOf(id); name != "" {
		k.names[name] = true
	}
	k.domains, k.companies = companiesOf(k.domains, k.companies, id)
}

func (k *knowledge) learn(m Match, keysOf func(enrich.Identity) []enrich.Key) {
	keys := []enrich.Key{m.Key}
	if m.Identity != (enrich.Identity{}) {
		keys = append(keys, keysOf(m.Identity)...)
	}
	k.learnIdentity(keys, m.Identity)
	for _, fact := range []struct {
		known map[string]bool
		text  string
	}{{k.names, foldName(m.Facts.Name)}, {k.emails, foldEmail(m.Facts.Email)}, {k.phones, digits(m.Facts.Phone)}} {
		if fact.text != "" {
			fact.known[fact.text] = true
		}
	}
	for _, email := range []string{m.Facts.Email, m.Identity.Email} {
		if email != "" {
			k.learnEmail(email, keysOf)
		}
	}
	k.domains = appendDomain(k.domains, m.Facts.Email)
}

// learnEmail learns an email, and the keys of the identity that it is.
func (k *knowledge) learnEmail(email string, keysOf func(enrich.Identity) []enrich.Key) {
	k.emails[foldEmail(email)] = true
	if id, reason := (enrich.Contact{Email: email}).Identify(enrich.ByEmail); reason == "" {
		for _, key := range keysOf(id) {
			k.keys[key] = true
		}
	}
}

// isOf reports whether an attempt is about the person.
func (k *knowledge) isOf(m Match) bool {
	email, phone := foldEmail(m.Facts.Email), digits(m.Facts.Phone)
	if k.keys[m.Key] || email != "" && email == k.givenEmail || phone != "" && phone == k.givenPhone {
		return true
	}
	names := namesOf(m)
	same := slices.ContainsFunc(names, func(name string) bool { return k.names[name] })
	if (k.emails[email] || k.phones[phone]) && (same || len(names) == 0 || len(k.names) == 0) {
		return true
	}
	return same && !k.worksElsewhere(m)
}

// worksElsewhere reports whether an attempt is about somebody of another company than the person's.
// A person who is named by name and company matches an answer to a profile URL by the name alone:
// its email may have another domain than the company's.
func (k *knowledge) worksElsewhere(m Match) bool {
	if k.byName && m.Identity.ProfileURL != "" {
		return false
	}
	domains, companies := companiesOf(nil, nil, m.Identity)
	domains = appendDomain(domains, m.Facts.Email)
	share := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(text string) bool { return slices.Contains(b, text) })
	}
	told := len(domains)+len(companies) > 0 && len(k.domains)+len(k.companies) > 0
	return told && !share(domains, k.domains) && !share(companies, k.companies)
}

// alternatives returns the identities that the answers give the person: the name, parted at each space, at the
// domain of the email, and the email where an account may be asked by it.
func (k *knowledge) alternatives(matches []Match, byEmail bool) (others []enrich.Identity) {
	for _, m := range matches {
		others = append(others, m.Listed...)
		if id, reason := (enrich.Contact{Email: m.Facts.Email}).Identify(enrich.ByEmail); reason == "" && byEmail {
			others = append(others, id)
		}
		_, domain, _ := strings.Cut(m.Facts.Email, "@")
		for at, letter := range m.Facts.Name {
			if letter != ' ' || domain == "" {
				continue
			}
			contact := enrich.Contact{FirstName: m.Facts.Name[:at], LastName: m.Facts.Name[at:], CompanyDomain: domain}
			if id, reason := contact.Identify(enrich.ByName); reason == "" {
				others = append(others, id)
			}
		}
	}
	return others
}

func namesOf(m Match) (names []string) {
	for _, name := range []string{nameOf(m.Identity), foldName(m.Facts.Name)} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

func nameOf(id enrich.Identity) string {
	if id.FirstName == "" {
		return ""
	}
	return foldName(id.FirstName + " " + id.LastName)
}

func companiesOf(domains, companies []string, id enrich.Identity) (_, _ []string) {
	if id.CompanyDomain != "" {
		domains = append(domains, strings.ToLower(id.CompanyDomain))
	}
	if id.CompanyName != "" {
		companies = append(companies, foldName(id.CompanyName))
	}
	return domains, companies
}

func appendDomain(domains []string, email string) []string {
	if _, domain, ok := strings.Cut(foldEmail(email), "@"); ok {
		domains = append(domains, domain)
	}
	return domains
}

func foldName(name string) string { return string(enrich.AppendName(nil, name)) }

func foldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// appendEmail appends what foldEmail returns.
func appendEmail(form []byte, email string) []byte {
	start := len(form)
	form = append(form, strings.TrimSpace(email)...)
	for i, b := range form[start:] {
		switch {
		case b >= utf8.RuneSelf:
			return append(form[:start], foldEmail(email)...)
		case 'A' <= b && b <= 'Z':
			form[start+i] = b + 'a' - 'A'
		}
	}
	return form
}

func digits(phone string) string { return string(appendDigits(nil, phone)) }

func appendDigits(form []byte, phone string) []byte {
	for _, r := range []byte(phone) {
		if '0' <= r && r <= '9' {
			form = append(form, r)
		}
	}
	return form
}
