package world

import (
	"strconv"
	"strings"
)

// appendRow appends a row of the list, counted from 0.
func (s ListSpec) appendRow(buffer []byte, row int) []byte {
	number, duplicate := s.personOf(row)
	p := s.person(number)
	draw := newRandom(s.Seed, cellStream, row)
	comma := byte(',')

	buffer = append(strconv.AppendInt(buffer, int64(row+1), 10), comma)
	buffer = append(append(buffer, p.first.text...), comma)
	buffer = append(p.appendLastName(buffer, duplicate), comma)
	buffer = append(p.appendProfile(buffer, duplicate), comma)
	if p.kind != noCompany {
		buffer = p.appendCompany(buffer)
	}
	buffer = append(buffer, comma)
	buffer = append(p.appendWebsite(buffer, duplicate), comma)
	if draw.happens(s.FilledEmailShare) {
		buffer = p.appendEmail(buffer)
	}
	buffer = append(buffer, comma)
	if draw.happens(s.FilledPhoneShare) {
		buffer = appendPhone(buffer, draw.next())
	}
	buffer = append(buffer, comma)
	if draw.happens(s.QuotedNewlineShare) {
		buffer = append(buffer, longNotes[draw.below(len(longNotes))]...)
	} else {
		buffer = append(buffer, plainNotes[draw.below(len(plainNotes))]...)
	}
	return append(buffer, '\n')
}

func (p person) appendLastName(buffer []byte, duplicate bool) []byte {
	switch {
	case p.kind == noLastName:
		return buffer
	case duplicate:
		return append(buffer, strings.ToUpper(p.last.text)...)
	default:
		return append(buffer, p.last.text...)
	}
}

func (p person) appendProfile(buffer []byte, duplicate bool) []byte {
	if p.kind != byProfile {
		return buffer
	}
	buffer = append(buffer, listPages...)
	buffer = append(append(buffer, p.first.ascii...), '-')
	buffer = append(append(buffer, p.last.ascii...), '-')
	buffer = strconv.AppendUint(buffer, uint64(pageCode(p.number)), 36)
	if duplicate {
		buffer = append(buffer, "/?trk=list"...)
	}
	return buffer
}

// appendWebsite appends the company's website where it makes the kind of the person,
// and for every other person with a profile.
func (p person) appendWebsite(buffer []byte, duplicate bool) []byte {
	if p.kind != byWebsite && !(p.kind == byProfile && p.number%2 == 0) {
		return buffer
	}
	if duplicate {
		return p.appendDomain(buffer)
	}
	return p.appendDomain(append(buffer, "https://www."...))
}

func (p person) appendEmail(buffer []byte) []byte {
	buffer = append(append(buffer, p.first.ascii...), '.')
	buffer = append(append(buffer, p.last.ascii...), '@')
	return p.appendDomain(buffer)
}

// appendPhone appends a number of the range 555-0100 to 555-0199.
func appendPhone(buffer []byte, random uint64) []byte {
	buffer = strconv.AppendUint(append(buffer, "+1 "...), 201+random%780, 10)
	return strconv.AppendUint(append(buffer, " 555 0"...), 100+random>>32%100, 10)
}
