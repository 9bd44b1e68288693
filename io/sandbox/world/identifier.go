package world

import (
	"strconv"
	"strings"
)

// The identifiers of listed companies. A listed company has a number that follows from its name. Companies
// with the same name differ by their generation.
const (
	numbersPerName = 4000
	listedNames    = len(nameStarts) * len(nameEnds) * numbersPerName
	generationSize = 1_000_000
	generations    = 4

	sandboxTop   = ".example" // of the websites
	companyPages = "https://pro-network.example/company/"
)

// listed identifies a company that the world lists.
type listed struct {
	name       int // which word pair and number, from 0 to listedNames-1
	generation int // 0 for the first company of the name
}

func (l listed) id() int { return l.generation*generationSize + l.name + 1 }

// listedOf returns the listed company with an identifier, if the world has it.
func (w World) listedOf(id int) (listed, bool) {
	l := listed{name: id%generationSize - 1, generation: id / generationSize}
	return l, l.name >= 0 && l.name < listedNames && w.exists(l)
}

// words returns what the name is made of.
func (l listed) words() (start, end string, number int) {
	pair := l.name % (len(nameStarts) * len(nameEnds))
	return nameStarts[pair%len(nameStarts)], nameEnds[pair/len(nameStarts)], l.name/(len(nameStarts)*len(nameEnds)) + 1
}

// label returns the first part of the domain.
func (l listed) label() string {
	start, end, number := l.words()
	label := strings.ToLower(start) + "-" + strings.ToLower(end) + "-" + strconv.Itoa(number)
	if l.generation > 0 {
		label += "-" + string(rune('a'+l.generation))
	}
	return label
}

// parseListed reads the label of a domain, or a name without spaces and signs, such as alder-logistics-7 or
// alderlogistics7. It reports whether it has the form of a listed name; the number can be one that no
// company has.
func parseListed(label string) (l listed, ofForm bool) {
	plain := strings.ReplaceAll(label, "-", "")
	if n := len(plain); n > 1 && plain[n-1] > 'a' && plain[n-1] < 'a'+generations && plain[n-2] >= '0' && plain[n-2] <= '9' {
		l.generation, plain = int(plain[n-1]-'a'), plain[:n-1]
	}
	words := strings.TrimRight(plain, "0123456789")
	number, err := strconv.Atoi(plain[len(words):])
	if err != nil || plain[len(words)] == '0' {
		return l, false
	}
	for i, start := range nameStarts {
		rest, found := strings.CutPrefix(words, strings.ToLower(start))
		for j, end := range nameEnds {
			if found && rest == strings.ToLower(end) {
				l.name = -1 // no company has the number
				if number <= numbersPerName {
					l.name = (number-1)*len(nameStarts)*len(nameEnds) + j*len(nameStarts) + i
				}
				return l, true
			}
		}
	}
	return l, false
}
