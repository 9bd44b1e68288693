package world

import (
	"math/big"
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
	firstNamed     = 10_000_000 // the identifiers of all other companies follow from their domains
	maxDomain      = 64
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

// domainLetters are the letters of a domain as digits, beginning with the digit 1.
const domainLetters = "abcdefghijklmnopqrstuvwxyz0123456789-."

const sandboxTop = ".example"

// namedID returns the identifier of the company with a domain. The domain can be read from it again, so that
// nothing has to be remembered.
func namedID(domain string) (string, bool) {
	label, isExample := strings.CutSuffix(domain, sandboxTop)
	if label == "" || len(domain) > maxDomain {
		return "", false
	}
	value, base := new(big.Int), big.NewInt(int64(len(domainLetters)+1))
	for _, letter := range []byte(label) {
		digit := strings.IndexByte(domainLetters, letter) + 1
		if digit == 0 {
			return "", false
		}
		value.Add(value.Mul(value, base), big.NewInt(int64(digit)))
	}
	value.Lsh(value, 1)
	if isExample {
		value.SetBit(value, 0, 1)
	}
	return value.Add(value, big.NewInt(firstNamed)).String(), true
}

// domainOf returns the domain that an identifier of namedID holds.
func domainOf(id string) (string, bool) {
	value, isNumber := new(big.Int).SetString(id, 10)
	if !isNumber || len(id) > 2*maxDomain || value.Cmp(big.NewInt(firstNamed)) < 0 {
		return "", false
	}
	value.Sub(value, big.NewInt(firstNamed))
	top := ""
	if value.Bit(0) == 1 {
		top = sandboxTop
	}
	value.Rsh(value, 1)
	var letters []byte
	for base, digit := big.NewInt(int64(len(domainLetters)+1)), new(big.Int); value.Sign() > 0; {
		value.QuoRem(value, base, digit)
		if digit.Sign() == 0 {
			return "", false
		}
		letters = append([]byte{domainLetters[digit.Int64()-1]}, letters...)
	}
	domain := string(letters) + top
	again, valid := namedID(domain)
	return domain, valid && again == id
}

// textNumber returns a text as a decimal number, and textOf the text again.
func textNumber(text string) string { return new(big.Int).SetBytes([]byte("\x01" + text)).String() }

func textOf(number string) (string, bool) {
	value, isNumber := new(big.Int).SetString(number, 10)
	if !isNumber || value.Sign() <= 0 {
		return "", false
	}
	text, marked := strings.CutPrefix(string(value.Bytes()), "\x01")
	return text, marked
}
