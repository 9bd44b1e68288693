package fit

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"payonce/enrich"
)

// nameLevel says how the names of two persons compare.
type nameLevel uint8

const (
	noName nameLevel = iota
	sameName
	alikeName  // a short form, an initial, a further name, or another spelling
	otherLast  // the first name agrees alone, as after a marriage
	otherFirst // the last name agrees alone, as of a brother
	otherName
)

// person compares two descriptions of a person.
//
// An id, a page or an email names one person, whose last name or company may have changed, but not both. A name with a
// company may be that of several: then the answer has to have both names, and a company that shares a word with that of
// the row.
func (c *comparison) person() {
	name := c.comparePersons()
	company := c.compareEmployers()
	profile := compareIdentifiers(enrich.ByProfile, c.row[enrich.PartProfile], c.answer[enrich.PartProfile])
	named := c.asked == enrich.ByName
	switch compareIdentifiers(enrich.ByContactID, c.row[enrich.PartContactID], c.answer[enrich.PartContactID]) {
	case same:
		c.agree(2)
	case differs:
		c.differ(Contradicts, "id", c.row[enrich.PartContactID], c.answer[enrich.PartContactID])
	}
	switch name {
	case sameName, alikeName:
		c.agree(1)
	case otherLast, otherFirst:
		verdict := Contradicts
		sameFirm := company == missing || company == contains || company.agrees()
		if !named && profile != differs && sameFirm && !c.otherFirstName() {
			verdict = Unclear
		}
		c.differ(verdict, "name", fullName(c.row), fullName(c.answer))
	case otherName:
		c.differ(Contradicts, "name", fullName(c.row), fullName(c.answer))
	}
	switch {
	case profile == same:
		c.agree(2)
	case profile == differs:
		verdict := Unclear // a person can change the address of the page
		if c.asked != enrich.ByProfile && !(name == sameName && company.agrees()) {
			verdict = Contradicts
		}
		c.differ(verdict, "profile", c.row[enrich.PartProfile], c.answer[enrich.PartProfile])
	}
	c.employer(company, named)
}

// otherFirstName reports whether the first names have no relation, in either order of the names. People can change
// their last name, so only first names tell them apart.
func (c *comparison) otherFirstName() bool {
	row, answer := splitLast(nameOf(c.row)), splitLast(nameOf(c.answer))
	row.first, answer.first = withoutSalutations(row.first), withoutSalutations(answer.first)
	return !haveRelated(row.first, answer.first) &&
		!(agreeing(row.first, answer.last, isSameLast) && haveRelated(row.last, answer.first)) &&
		!(agreeing(row.last, answer.first, isSameLast) && haveRelated(row.first, answer.last))
}

// withoutSalutations returns first names without salutations. A list can have one in place of a first name.
func withoutSalutations(first []string) []string {
	return slices.DeleteFunc(slices.Clone(first), func(word string) bool { return salutations[word] })
}

// haveRelated reports whether two lists of first names can be those of one person: the first of one list is related to
// one of the other, or a list is empty. Later ones alone do not count, because they can be family names.
func haveRelated(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 || isSameFirst(strings.Join(a, ""), strings.Join(b, "")) {
		return true
	}
	return slices.ContainsFunc(a, func(one string) bool { return isRelated(b[0], one) }) ||
		slices.ContainsFunc(b, func(one string) bool { return isRelated(a[0], one) })
}

// isRelated reports whether two first names can be those of one person.
func isRelated(a, b string) bool {
	shorter, longer := a, b
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	before, isEnd := strings.CutSuffix(longer, shorter)
	return isSameFirst(a, b) || isInitials(shorter, longer) || isInitialOfFull(shorter, longer) ||
		isEnd && isFirstName(before) && isFirstName(shorter) // Peter for Hanspeter
}

// isFirstName reports whether a word is a usual first name or a form of one.
func isFirstName(word string) bool { return IsGivenName(word) || len(groupsOf().of[word]) > 0 }

// isInitialOfFull reports whether a letter is the initial of the full form of a name: R. for Bobby.
func isInitialOfFull(letter, name string) bool {
	return len(letter) == 1 && strings.Contains(groupsOf().initials[name], letter)
}

// isInitials reports whether a word of two letters can be the initials of first names, the first of which is given: TJ
// for Terrance.
func isInitials(word, first string) bool {
	return len(word) == 2 && first != "" && word[0] == first[0] && strings.IndexByte("aeiouynr", word[1]) < 0 &&
		!isFirstName(word)
}

// employer judges how the companies of the person compare.
func (c *comparison) employer(company level, named bool) {
	verdict := Unclear
	switch {
	case company == missing:
		return
	case company == same, company == alike:
		c.agree(1)
		return
	case company == differs && named:
		verdict = Contradicts
	}
	row, answer := c.row[enrich.PartCompanyName], c.answer[enrich.PartCompanyName]
	if row == "" {
		row = c.row[enrich.PartWebsite]
	}
	if row == "" || answer == "" {
		row, answer = c.row[enrich.PartCompanyID], c.answer[enrich.PartCompanyID]
	}
	c.differ(verdict, "company", row, answer)
}

// compareEmployers compares the companies of the person: by their ids, by their names, and by the domain in the row
// with the name or the email in the answer.
func (c *comparison) compareEmployers() level {
	row, answer := c.row, c.answer
	if answer[enrich.PartCompanyID]+answer[enrich.PartCompanyName]+answer[enrich.PartEmail] == "" {
		return missing // as of v1
	}
	id := compareIdentifiers(enrich.ByID, row[enrich.PartCompanyID], answer[enrich.PartCompanyID])
	if id == same {
		return same
	}
	name := compareCompanyNames(row[enrich.PartCompanyName], answer[enrich.PartCompanyName])
	if name.agrees() {
		return name
	}
	host := hostOf(row[enrich.PartWebsite])
	if host != "" {
		_, at, found := strings.Cut(answer[enrich.PartEmail], "@")
		switch {
		case found && compareWebsites(host, at).agrees():
			return alike
		case isOwnWebsite(answer[enrich.PartCompanyName], host), beginsWith(answer[enrich.PartCompanyName], host):
			return alike
		}
	}
	switch {
	case id == differs:
		return differs
	case name == missing && host != "" && answer[enrich.PartCompanyName] != "":
		return contains // a domain says little of the name
	}
	return name
}

// beginsWith reports whether the name of a company begins with the label of a host.
func beginsWith(name, host string) bool {
	words, _ := splitForm(name)
	label := labelOf(registered(host))
	joined := strings.Join(words, "")
	return len(label) > 3 && strings.HasPrefix(joined, label) && !splitsNumber(joined, len(label))
}

// fullName returns the name of a person as it is shown.
func fullName(d *enrich.Described) string {
	if d[enrich.PartFirstName] != "" && d[enrich.PartLastName] != "" || d[enrich.PartFullName] == "" {
		return strings.TrimSpace(d[enrich.PartFirstName] + " " + d[enrich.PartLastName])
	}
	return d[enrich.PartFullName]
}

// comparePersons compares the names of two persons.
func (c *comparison) comparePersons() nameLevel {
	first, last := c.row[enrich.PartFirstName], c.row[enrich.PartLastName]
	answer := c.answer[enrich.PartFullName]
	if len(answer) == len(first)+1+len(last) && strings.HasPrefix(answer, first) && answer[len(first)] == ' ' && strings.HasSuffix(answer, last) {
		return sameName // most names are
	}
	row, other := nameOf(c.row), nameOf(c.answer)
	if len(row.all()) == 0 || len(other.all()) == 0 {
		return noName
	}
	found := comparePersonNames(row, other)
	if found > alikeName && scriptOf(fullName(c.row)) != scriptOf(fullName(c.answer)) {
		return noName // signs can be read in several ways
	}
	return found
}

// personName are the words of a name. One that is not split has first words alone.
type personName struct {
	first, last []string
	isSplit     bool
}

func (n personName) all() []string { return append(slices.Clone(n.first), n.last...) }

// nameOf returns the words of a person's name.
func nameOf(d *enrich.Described) personName {
	if d[enrich.PartFirstName] != "" && d[enrich.PartLastName] != "" {
		n := personName{wordsOfName(d[enrich.PartFirstName]), wordsOfName(d[enrich.PartLastName]), true}
		if len(n.first) > 0 && len(n.last) > 0 {
			return n
		}
	}
	text := d[enrich.PartFullName]
	if text == "" {
		text = fullName(d)
	}
	return personName{first: wordsOfName(text)}
}

// salutations stand before names.
var salutations = wordSet(` mr mrs ms miss mx dr drs prof professor sir madam herr frau mme mlle sr sra srta mevr dhr `)

// titles are further words that stand before or behind names.
var titles = wordSet(` don dona ing dipl mag jr ii iii iv phd md mba msc bsc ma ba esq cpa cfa pmp dott dottssa sig sigra rev hon `)

// particles are words of last names that are left out in some spellings.
var particles = wordSet(` van von de de del der den della dello degli di da dos das do du des la le los las zu zum zur vom af av bin ibn
	al el ter te ten st saint san santa y e und `)

// wordsOfName returns the words of a name in small Latin letters, without titles and particles, unless nothing else is
// left.
func wordsOfName(text string) []string {
	text = strings.ToLower(latin(text))
	if open := strings.IndexByte(text, '('); open > 0 { // a name by which the person is called
		text = strings.NewReplacer("(", " ", ")", " ").Replace(text)
	}
	all := strings.FieldsFunc(strings.NewReplacer("'", "", "`", "", "’", "").Replace(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	var words, kept []string
	for _, word := range all {
		if !salutations[word] && !titles[word] {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		words = all
	}
	for _, word := range words {
		if !particles[word] {
			kept = append(kept, word)
		}
	}
	if len(kept) == 0 {
		kept = words
	}
	return kept[:min(len(kept), mostWords)]
}

// mostWords is how many words of a name are compared, of a person or a company. A text with more is not a name.
const mostWords = 20

// comparePersonNames compares two names. The order of first and last names does not count, because lists mix them up.
func comparePersonNames(a, b personName) nameLevel {
	wordsA, wordsB := a.all(), b.all()
	if sameWords(wordsA, wordsB) || strings.Join(wordsA, "") == strings.Join(wordsB, "") {
		return sameName
	}
	if !a.isSplit && !b.isSplit {
		a, b = splitLast(a), splitLast(b)
	}
	var found nameLevel
	switch {
	case a.isSplit && b.isSplit:
		found = min(a.compare(b), b.compare(a), a.compare(personName{b.last, b.first, true}))
	case a.isSplit:
		found = a.among(wordsB)
	default:
		found = b.among(wordsA)
	}
	isSame := func(a, b string) bool { return isSameFirst(a, b) || isSameLast(a, b) }
	if found == alikeName && !agreeing(wordsA, wordsB, isSame) {
		return otherFirst // both have further names, for example Mary Ann and Mary Jane
	}
	return found
}

// splitLast takes the last word of a name that is not split for the last name.
func splitLast(n personName) personName {
	if n.isSplit || len(n.first) < 2 {
		return n
	}
	end := len(n.first) - 1
	return personName{n.first[:end], n.first[end:], true}
}

// compare compares two names that are split.
func (n personName) compare(other personName) nameLevel {
	first, last := agreeing(n.first, other.first, isSameFirst), agreeing(n.last, other.last, isSameLast)
	switch {
	case first && last:
		return alikeName
	case first:
		return otherLast
	case last:
		return otherFirst
	default:
		return otherName
	}
}

// among compares a name that is split with the words of one that is not.
func (n personName) among(words []string) nameLevel {
	best := otherName
	for end := 1; end <= len(words); end++ {
		for start := range end {
			rest := slices.Concat(words[:start], words[end:])
			isLast, isFirst := agreeing(n.last, words[start:end], isSameLast), agreeing(n.first, rest, isSameFirst)
			switch {
			case isLast && (isFirst || len(rest) == 0 && len(words) == 1): // the answer has one name
				return alikeName
			case isLast:
				best = min(best, otherFirst)
			case isFirst:
				best = min(best, otherLast)
			}
		}
	}
	if len(words) == 1 && len(words[0]) > 1 && agreeing(n.first, words, isSameFirst) {
		return alikeName
	}
	return best
}

// agreeing reports whether two lists of names can be those of one person: they share a word, and at most one of them
// has further words. So Jean-Luc agrees with Jean, but not with Jean-Marc.
func agreeing(a, b []string, same func(a, b string) bool) bool {
	left, pairs, own := slices.Clone(b), 0, 0
	for _, word := range a {
		i := slices.Index(left, word)
		if i < 0 {
			i = slices.IndexFunc(left, func(other string) bool { return same(word, other) })
		}
		if i < 0 {
			own++
			continue
		}
		pairs, left = pairs+1, slices.Delete(left, i, i+1)
	}
	joinedA, joinedB := strings.Join(a, ""), strings.Join(b, "")
	return pairs > 0 && (own == 0 || len(left) == 0) || joinedA != "" && joinedA == joinedB
}

// isSameLast reports whether two last names are the same but for the spelling.
func isSameLast(a, b string) bool {
	if a == b || isTypo(a, b) || len(a) > 2 && skeleton(a) == skeleton(b) {
		return true
	}
	if len(a) == 1 || len(b) == 1 { // an initial
		return a != "" && b != "" && a[0] == b[0]
	}
	// Women's forms in Slavic languages.
	return min(len(a), len(b)) > 4 && (stem(a) == stem(b))
}

// stem returns a last name without the ending that says whether it is that of a woman.
func stem(name string) string {
	for _, ending := range []string{"ovna", "ova", "eva", "ina", "aya", "aia", "ska", "cka", "a"} {
		if rest, found := strings.CutSuffix(name, ending); found {
			switch ending {
			case "ova", "eva", "ina":
				return rest + ending[:2]
			case "ska", "cka":
				return rest + ending[:2] + "i"
			case "aya", "aia":
				return rest
			}
		}
	}
	for _, ending := range []string{"sky", "skiy", "skij", "cky"} {
		if rest, found := strings.CutSuffix(name, ending); found {
			return rest + ending[:2] + "i"
		}
	}
	return name
}

// isSameFirst reports whether two first names are those of one person: spelled differently, an initial, or a short
// form.
func isSameFirst(a, b string) bool {
	switch {
	case a == b:
		return true
	case a == "" || b == "":
		return false
	case len(a) == 1 || len(b) == 1:
		return a[0] == b[0]
	}
	shorter, longer := a, b
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	switch {
	case isOtherSex(shorter, longer):
		return shareShortForm(a, b)
	case skeleton(a) == skeleton(b):
		return true
	case isTypo(a, b):
		return !IsGivenName(a) || !IsGivenName(b) || shareShortForm(a, b) // Christian and Christina are two names
	}
	return len(shorter) > 2 && strings.HasPrefix(longer, shorter) && !wholeNames[shorter] || shareShortForm(a, b)
}

// otherSex are the endings that make the name of a woman of that of a man.
var otherSex = wordSet("a e le ie ia ina ine iane ette ella ana ane elle")

// isOtherSex reports whether two first names differ in their endings as those of a man and a woman do.
func isOtherSex(shorter, longer string) bool {
	if ending, found := strings.CutPrefix(longer, shorter); found {
		return otherSex[ending]
	}
	stem, hasEnding := strings.CutSuffix(shorter, "o")
	other, hasOther := strings.CutSuffix(longer, "a")
	if hasEnding && hasOther && stem == other {
		return true
	}
	stem, hasEnding = strings.CutSuffix(shorter, "a")
	return hasEnding && (longer == stem+"o" || longer == stem+"us" || longer == stem+"os" || longer == stem+"as")
}

// wholeNames are beginnings of other names, but not short forms of them.
var wholeNames = wordSet(` mari jean jan joan marin paul hans roman juli victor ali amin carl karl robin `)

//go:embed nicknames.txt
var nicknames string

// nameGroups are groups of first names that are forms of one another.
type nameGroups struct {
	of       map[string][]int  // the groups of each name
	initials map[string]string // the initials of the full forms, which are the first names of these groups
}

var groupsOf = sync.OnceValue(func() nameGroups {
	groups := nameGroups{map[string][]int{}, map[string]string{}}
	number := 0
	for line := range strings.Lines(nicknames) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.FieldsSeq(line) {
			groups.of[name] = append(groups.of[name], number)
			groups.initials[name] += line[:1]
		}
		number++
	}
	return groups
})

// shareShortForm reports whether two first names are in one group.
func shareShortForm(a, b string) bool {
	other := groupsOf().of[b]
	return slices.ContainsFunc(groupsOf().of[a], func(group int) bool { return slices.Contains(other, group) })
}
