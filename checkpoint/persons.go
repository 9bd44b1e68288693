// This file finds everything that a journal holds about one person, under all identities.

package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
)

// Person says who is sought, by exactly one of identity, email, phone and name.
type Person struct {
	Identity enrich.Identity
	Email    string // as it was returned
	Phone    string // as it was returned; its digits are compared
	// Name is not an identity: what has the name is a namesake until it is chosen.
	Name string
	// Chosen are the records of namesakes that are the person, as Record names them. AllNamesakes chooses all.
	Chosen       []string
	AllNamesakes bool
}

// PersonFacts are what an answer says about persons. A part may be missing.
type PersonFacts struct {
	// Of the person that the answer is about:
	Name, Email, Phone string
	Pages              []string // addresses of profiles
	CompanyName        string
	// Read returns the parts of the answer that may be about other persons. It is nil when there are none.
	Read func() ([]Mention, error)
	// Mentions are what Read returned, in a match.
	Mentions []Mention
	// Without returns the bytes of the answer without mentions, by their places in the list.
	Without func(mentions map[int]bool) (string, error)
}

// PersonMatch is an attempt that is about the person, or whose answer mentions the person.
type PersonMatch struct {
	ID       attempt.ID
	Account  attempt.Account
	Key      enrich.Key
	Identity enrich.Identity // zero when it was erased
	At       time.Time
	Run      string
	Facts    PersonFacts // of the answer
	// Mentions are the places in Facts.Mentions of what is about the person. It is nil when the whole attempt is.
	Mentions map[int]bool
	// Others are identities of the person that the mentions give.
	Others []enrich.Identity
}

// IsWhole reports whether the whole attempt is about the person.
func (m PersonMatch) IsWhole() bool { return m.Mentions == nil }

// Record names what matches: the attempt, or a mention in its answer, whose name stays the same when others are
// taken out.
func (m PersonMatch) Record() string {
	if m.IsWhole() {
		return strconv.FormatUint(uint64(m.ID), 10)
	}
	for place := range m.Mentions {
		return m.RecordOf(place)
	}
	return ""
}

// RecordOf names a mention, by its place in Facts.Mentions.
func (m PersonMatch) RecordOf(place int) string {
	return fmt.Sprintf("%d-%08x", m.ID, m.Facts.Mentions[place].Hash)
}

// PersonReading says how a journal is read.
type PersonReading struct {
	Store record.Store
	Last  attempt.ID // the last attempt
	// KeysOf returns the keys of an identity in all accounts, with former ones, and OwnKeysOf those without.
	KeysOf, OwnKeysOf func(enrich.Identity) []enrich.Key
	Facts             ReadAnswer
	// Interfaces are those of the accounts. Of several, one may ask by email.
	Interfaces []string
}

// ReadAnswer reads an answer of an interface. That of the account 0 is "".
type ReadAnswer func(of string, answered enrich.Answered) (PersonFacts, error)

// ErrNobody says that no person is named.
var ErrNobody = errors.New("no person is named; name one by profile URL, by name and company, by email or phone, or by name")

// FoundPersons is what Find found.
type FoundPersons struct {
	// Matches are about the person. They are in the order in which they were found: each shares something with the
	// person who was named or with matches before it. An attempt can be there several times, with further mentions.
	Matches []PersonMatch
	// Namesakes have a name of the person, and nothing says whether they are the person. Each has one mention at most.
	Namesakes []PersonMatch
	// Others are further identities that the answers give the person.
	Others []enrich.Identity
	known  *knowledge
}

// Names reports whether a text, such as a row of a list, may name the person: it has an email, a phone or a profile
// of the person, or all words of a name, in any order.
func (f FoundPersons) Names(text string) bool {
	return f.known.namedIn(text)
}

// Find returns what a journal has about a person.
//
// Something is about the person when it has the person's identity, email or profile. Equal emails and phones do not
// count when the names differ, unless the email or phone is what was asked for. A name counts only together with a
// company that is the person's: that of the identity, of the answer, or the domain of the email. It does not count when
// both have a profile at the same host and these differ. What is learned from one match counts for the others.
func (r PersonReading) Find(who Person) (found FoundPersons, err error) {
	known := &knowledge{
		keys: map[enrich.Key]bool{}, names: map[string]bool{}, emails: map[string]bool{}, phones: map[string]bool{},
		hosts: map[string]bool{}, keysOf: r.KeysOf, ownKeysOf: r.OwnKeysOf, all: who.AllNamesakes,
	}
	switch {
	case who.Identity != (enrich.Identity{}):
		known.learnIdentity(who.Identity)
	case who.Email != "":
		known.givenEmail = foldEmail(who.Email)
		known.learnEmail(who.Email)
	case digits(who.Phone) != "":
		known.givenPhone = digits(who.Phone)
		known.phones[known.givenPhone] = true
	case words(who.Name) != "":
		known.learnName(who.Name)
	default:
		return found, ErrNobody
	}
	known.chosen = who.Chosen
	index, err := r.index()
	if err != nil {
		return found, err
	}
	if found, err = r.match(index, known); err != nil {
		return found, err
	}
	found.known = known
	found.Others = known.alternatives(found.Matches, len(r.Interfaces) > 1)
	return found, nil
}

// match goes through the attempts until nothing more is learned. Those that may mention persons come last, because it
// takes long to read them.
func (r PersonReading) match(index *index, known *knowledge) (FoundPersons, error) {
	m := matching{PersonReading: r, known: known, whole: map[attempt.ID]bool{}, mentions: map[attempt.ID]map[int]bool{}}
	for {
		m.namesakes = m.namesakes[:0]
		sharing := index.candidates(known)
		learned, err := m.compare(sharing)
		if err != nil {
			return FoundPersons{}, err
		}
		if learned {
			continue
		}
		isSharing := func(id attempt.ID) bool {
			_, is := slices.BinarySearch(sharing, id)
			return is
		}
		learned, err = m.compare(slices.DeleteFunc(slices.Clone(index.lists), isSharing))
		if err != nil {
			return FoundPersons{}, err
		}
		if !learned {
			slices.SortStableFunc(m.namesakes, func(a, b PersonMatch) int { return cmp.Compare(a.ID, b.ID) })
			return FoundPersons{Matches: m.matches, Namesakes: m.namesakes}, nil
		}
	}
}

// matching is one run of match.
type matching struct {
	PersonReading
	known     *knowledge
	matches   []PersonMatch
	whole     map[attempt.ID]bool         // the attempts that matched whole
	mentions  map[attempt.ID]map[int]bool // that matched, of the others
	namesakes []PersonMatch
}

// compare compares attempts with what is known, and reports whether it learned something.
func (m *matching) compare(ids []attempt.ID) (learned bool, err error) {
	err = m.each(ids, func(a *attemptRecord) error {
		if m.whole[a.ID] {
			return nil
		}
		found, err := m.matchOf(a)
		if err != nil {
			return err
		}
		m.namesakes = append(m.namesakes, m.known.match(&found)...)
		switch {
		case found.ID == 0:
			return nil
		case found.IsWhole():
			m.whole[a.ID] = true
		default:
			maps.DeleteFunc(found.Mentions, func(place int, _ bool) bool { return m.mentions[a.ID][place] })
			if len(found.Mentions) == 0 {
				return nil
			}
			if m.mentions[a.ID] == nil {
				m.mentions[a.ID] = map[int]bool{}
			}
			maps.Copy(m.mentions[a.ID], found.Mentions)
		}
		m.matches = append(m.matches, found)
		m.known.learn(found)
		learned = true
		return nil
	})
	return learned, err
}

// gap is how many attempts are read on the way to one that is wanted, before it is looked for.
const gap = 8

// each visits attempts, whose numbers ascend. Those that are near each other are read together.
func (r PersonReading) each(ids []attempt.ID, visit func(*attemptRecord) error) error {
	for len(ids) > 0 {
		end := 1
		for end < len(ids) && end < AttemptsTogether && ids[end]-ids[end-1] <= gap {
			end++
		}
		wanted := ids[:end]
		ids = ids[end:]
		err := eachAttempt(r.Store, wanted[0], wanted[len(wanted)-1], func(a *attemptRecord) error {
			if a.ID != wanted[0] {
				return nil
			}
			wanted = wanted[1:]
			return visit(a)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r PersonReading) matchOf(a *attemptRecord) (m PersonMatch, err error) {
	m = PersonMatch{ID: a.ID, Account: a.Intent.Account, Key: a.Intent.Key, Identity: a.Intent.Identity, At: a.Intent.At, Run: a.Intent.Run}
	m.Facts, err = r.factsOf(m.Account, a.Ended)
	if err == nil && m.Facts.Read != nil {
		m.Facts.Mentions, err = m.Facts.Read()
	}
	return m, err
}

// factsOf reads the answer of an attempt of an account. Without an answer there are no facts.
func (r PersonReading) factsOf(account attempt.Account, ended attempt.Resolution) (facts PersonFacts, err error) {
	if ended.Data == "" {
		return facts, nil
	}
	of, err := record.InterfaceOf(account, r.Interfaces)
	if err != nil {
		return facts, err
	}
	return r.Facts(of, ended.Answer())
}

// alternatives returns the identities that the answers give the person: the name, parted at each space, at the
// domain of the email, and the email where an account may be asked by it.
func (k *knowledge) alternatives(matches []PersonMatch, byEmail bool) (others []enrich.Identity) {
	for _, m := range matches {
		others = append(others, m.Others...)
		if !m.IsWhole() {
			continue
		}
		if id, reason := (enrich.Contact{Email: m.Facts.Email}).Identify(enrich.ByEmail); reason == "" && byEmail {
			others = append(others, id)
		}
		if _, domain, _ := strings.Cut(m.Facts.Email, "@"); domain != "" {
			others = append(others, atCompany(m.Facts.Name, enrich.Contact{CompanyDomain: domain})...)
		}
	}
	return others
}

// atCompany returns the identities of a full name at a company: the name is parted at each space.
func atCompany(name string, at enrich.Contact) (ids []enrich.Identity) {
	for place, letter := range name {
		if letter != ' ' {
			continue
		}
		contact := at
		contact.FirstName, contact.LastName = name[:place], name[place:]
		if id, reason := contact.Identify(enrich.ByName); reason == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func namesOf(m PersonMatch) (names []string) {
	for _, name := range []string{nameOf(m.Identity), m.Facts.Name} {
		if name != "" {
			names = append(names, words(name))
		}
	}
	return names
}

func nameOf(id enrich.Identity) string {
	if id.FirstName == "" {
		return ""
	}
	return id.FirstName + " " + id.LastName
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
