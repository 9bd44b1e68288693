package world

import "strconv"

// kind says how a person can be identified.
type kind uint8

const (
	byProfile kind = iota
	byWebsite
	byCompany
	noLastName
	noCompany
)

// person is what the rows that name one person have in common.
type person struct {
	number  int
	kind    kind
	first   name
	last    name
	company int
}

// person returns the person with a number. No two share a name and a company.
func (s ListSpec) person(number int) person {
	draw := newRandom(s.Seed, personStream, number)
	firsts, lasts := plainFirsts[:], plainLasts[:]
	p := person{number: number, kind: s.kindOf(draw.share(), draw.next())}
	if draw.happens(s.UnicodeShare) {
		firsts, lasts = unicodeFirsts[:], unicodeLasts[:]
	}
	p.place(firsts, lasts)
	return p
}

// place gives the person with a number a name and a company, which follow from the number and the words. People of one
// name have numbers that differ by a multiple of the number of names. In one block they differ by so few names that their
// companies are neighbours, and no two blocks share a company.
func (p *person) place(firsts, lasts []name) {
	names := len(firsts) * len(lasts)
	scattered := p.number % names * scatter % names
	p.first, p.last = firsts[scattered%len(firsts)], lasts[scattered/len(firsts)]
	p.company = p.number/blockSize*blockCompanies + (p.number/names+scattered)%blockCompanies
}

const (
	// scatter is a prime that parts no number of names, so that neighbours in the list
	// are no neighbours in the words, and yet every name comes up once a round.
	scatter = 2654435761

	// The people whose numbers are in one block work for blockCompanies companies.
	blockSize      = 512
	blockCompanies = 64
)

// kindOf picks the kind for a share from 0 to 1.
func (s ListSpec) kindOf(share float64, coin uint64) kind {
	switch {
	case share < s.ProfileShare:
		return byProfile
	case share < s.ProfileShare+s.WebsiteShare:
		return byWebsite
	case share < s.ProfileShare+s.WebsiteShare+s.UnidentifiableShare:
		return noLastName + kind(coin%2)
	default:
		return byCompany
	}
}

// personOf returns the number of the person that a row names: its own, or for a
// duplicate that of an earlier row.
func (s ListSpec) personOf(row int) (number int, duplicate bool) {
	for {
		draw := newRandom(s.Seed, duplicateStream, row)
		if row == 0 || !draw.happens(s.DuplicateShare) {
			return row, duplicate
		}
		row, duplicate = draw.below(row), true
	}
}

// stem returns what the name of the person's company begins with, and its number.
func (p person) stem() (name, int64) {
	return companyStems[p.company%len(companyStems)], int64(p.company/len(companyStems) + 1)
}

// appendCompany appends the company's name, in every sixteenth with a comma in it.
func (p person) appendCompany(buffer []byte) []byte {
	stem, number := p.stem()
	if p.company%16 == 0 {
		buffer = append(append(buffer, '"'), stem.text...)
		buffer = strconv.AppendInt(append(buffer, ' '), number, 10)
		return append(buffer, `, Inc."`...)
	}
	buffer = append(append(buffer, stem.text...), ' ')
	return strconv.AppendInt(buffer, number, 10)
}

// appendDomain appends the domain of the company.
func (p person) appendDomain(buffer []byte) []byte {
	stem, number := p.stem()
	buffer = append(append(buffer, stem.ascii...), '-')
	buffer = strconv.AppendInt(buffer, number, 10)
	return append(buffer, ".example"...)
}
