package world

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// listPages is what the addresses of the people of lists begin with.
const listPages = "https://www.linkedin.example/in/"

// pageCode returns the number in the address of a person's profile. The factor is odd and so maps 32 bits one to one:
// the code looks drawn, and the number follows from it.
func pageCode(number int) uint32 { return uint32(number) * scatter }

// numberOfPage returns the number of the person whose address ends with a code.
func numberOfPage(code uint32) int {
	inverse := uint32(scatter)
	for range 4 { // each step doubles the bits that are right, of which there are three at first
		inverse *= 2 - scatter*inverse
	}
	return int(code * inverse)
}

// listWords are the words that the names of the people of lists are made of: those in ASCII, and the others.
var listWords = [...]struct{ firsts, lasts []name }{{plainFirsts[:], plainLasts[:]}, {unicodeFirsts[:], unicodeLasts[:]}}

// listPeople returns the people who are named in lists, whatever their seeds, as employees of a company.
func (c Company) listPeople() (people []person) {
	if c.listed.generation > 0 {
		return nil
	}
	for number := c.listed.name / blockCompanies * blockSize; len(people) < listPlaces; number++ {
		if number/blockSize != c.listed.name/blockCompanies {
			break
		}
		for _, words := range listWords {
			p := person{number: number}
			if p.place(words.firsts, words.lasts); p.company == c.listed.name {
				people = append(people, p)
			}
		}
	}
	return people
}

// listPage is the canonical form of the addresses of people of lists.
var listPage = regexp.MustCompile(`^https://linkedin\.example/in/([a-z]+)-([a-z]+)-([0-9a-z]{1,7})$`)

// ofListPage returns the person of lists whose profile has an address.
func (w World) ofListPage(address string) (Employee, bool) {
	match := listPage.FindStringSubmatch(strings.ToLower(address))
	if match == nil {
		return Employee{}, false
	}
	code, err := strconv.ParseUint(match[3], 36, 32)
	number := numberOfPage(uint32(code))
	if company := number/blockSize*blockCompanies + blockCompanies; err != nil || company > listedNames {
		return Employee{}, false
	}
	for _, words := range listWords {
		p := person{number: number}
		if p.place(words.firsts, words.lasts); p.first.ascii == match[1] && p.last.ascii == match[2] {
			c := w.listedCompany(listed{name: p.company})
			for i, other := range c.listPeople() {
				if other == p {
					return w.listEmployee(c, firstListPlace+i, p), true
				}
			}
		}
	}
	return Employee{}, false
}

// page returns the address of the person's profile.
func (p person) page() string {
	return listPages + p.first.ascii + "-" + p.last.ascii + "-" + strconv.FormatUint(uint64(pageCode(p.number)), 36)
}

// spelling is a word of a name as it is compared: in ASCII without accents, and in one case.
type spelling struct{ plain, folded string }

func spellingOf(text string) spelling {
	return spelling{asciiWord(text), cases.Fold().String(norm.NFKC.String(text))}
}

// isSpelled reports whether a text is a spelling of the word: as in lists or in addresses, in any case, with accents or
// without.
func (n name) isSpelled(as spelling) bool {
	if as.plain != "" && as.plain == n.ascii {
		return true
	}
	if strings.EqualFold(n.text, n.ascii) {
		return false
	}
	own := spellingOf(n.text)
	return as.plain != "" && as.plain == own.plain || as.folded == own.folded
}
