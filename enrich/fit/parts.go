package fit

import (
	"strings"

	"payonce/enrich"
)

// Agreement says how one part of two descriptions compares.
type Agreement uint8

// The agreements.
const (
	NotCompared Agreement = iota // one of them is missing, or they cannot be compared
	Equal                        // but for case, accents, titles and the order of words
	Similar                      // they are probably the same, as with a short form of a name
	Different
)

// CompareNames compares the names of two persons.
func CompareNames(row, answer *enrich.Described) Agreement {
	c := comparison{row: row, answer: answer}
	switch c.comparePersons() {
	case noName:
		return NotCompared
	case sameName:
		return Equal
	case alikeName:
		return Similar
	}
	return Different
}

// CompareDomain compares the registered domains of an email and of a company's website. A website at a host that many
// companies share does not count as the company's own.
func CompareDomain(website, email string) Agreement {
	_, domain, found := strings.Cut(email, "@")
	if !found {
		return NotCompared
	}
	switch compareWebsites(website, domain) {
	case missing:
		return NotCompared
	case same:
		return Equal
	case alike, contains:
		return Similar
	}
	return Different
}

// NameOf returns the name of a person as it is shown.
func NameOf(described *enrich.Described) string { return fullName(described) }
