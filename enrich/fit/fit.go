// Package fit decides whether an answer is about the subject of a row. It compares what the row says of the subject
// with what the answer says, and knows no service, no list and no clock: the same texts give the same result.
//
// Differences in spelling do not count: case, accents, signs, word order, scripts, legal forms, initials, short
// forms of first names, and the ways to write a number, a country or a website. An answer contradicts a row only when
// that is certain enough. What may be a difference is unclear, and is named.
package fit

import (
	"strings"
	"unicode/utf8"

	"payonce/enrich"
)

// Verdict says whether an answer is about the subject of a row.
type Verdict uint8

// The verdicts.
const (
	Unknown     Verdict = iota // nothing could be compared
	Fits                       // something agrees, and nothing differs
	Unclear                    // something differs, and it may still be the subject
	Contradicts                // it is about another subject
)

// Result is the result of a comparison.
type Result struct {
	Verdict Verdict
	// Agreed is how many parts agree, of which an identifier counts as two.
	Agreed int
	// Against is how many parts contradict, of which a name and a country count as two: an identifier in a list is more
	// often that of another subject. It orders several answers that contradict a row.
	Against int
	// Differences name what differs, with both values. What differs in the spelling alone is not among them.
	Differences string
}

// Confidence says how much speaks for the answer: "high", "medium", "low", or "none" for one that contradicts.
func (r Result) Confidence() string {
	switch {
	case r.Verdict == Contradicts:
		return "none"
	case r.Verdict == Fits && r.Agreed > 1:
		return "high"
	case r.Verdict == Fits, r.Verdict == Unclear && r.Agreed > 1:
		return "medium"
	default:
		return "low"
	}
}

// Compare compares what a row says of its subject with what an answer says. Asked is the pattern of the identity that
// the service was asked by.
func Compare(asked enrich.Pattern, row, answer *enrich.Described) Result {
	c := comparison{asked: asked, row: row, answer: answer}
	if asked.Subject() == enrich.Persons {
		c.person()
	} else {
		c.company()
	}
	return Result{Verdict: c.verdict, Agreed: c.agreed, Against: c.against, Differences: c.differences.String()}
}

// level says how two values compare.
type level uint8

const (
	missing  level = iota // one of them is missing, or they cannot be compared
	same                  // equal but for the spelling
	alike                 // the same in another spelling
	near                  // the same but for a typing error, a short form, or words such as "Group"
	contains              // one has words that the other lacks
	related               // they share words, and each has words of its own
	differs
)

// agrees reports whether two values are taken for the same.
func (l level) agrees() bool { return l == same || l == alike || l == near }

// comparison is a comparison under way.
type comparison struct {
	asked       enrich.Pattern
	row, answer *enrich.Described
	verdict     Verdict
	agreed      int
	against     int
	differences strings.Builder
}

// both reports whether the row and the answer have a part.
func (c *comparison) both(p enrich.Part) bool { return c.row[p] != "" && c.answer[p] != "" }

// agree notes that a part agrees.
func (c *comparison) agree(weight int) {
	c.agreed += weight
	c.atLeast(Fits)
}

// atLeast raises the verdict.
func (c *comparison) atLeast(v Verdict) { c.verdict = max(c.verdict, v) }

// differ notes that a part differs, and what that makes of the answer.
func (c *comparison) differ(v Verdict, part, row, answer string) {
	c.atLeast(v)
	switch {
	case v == Contradicts && (part == "name" || part == "country"):
		c.against += 2
	case v == Contradicts:
		c.against++
	}
	if c.differences.Len() > 0 {
		c.differences.WriteString("; ")
	}
	c.differences.WriteString(part + " " + short(row) + " in the list, " + short(answer) + " in the answer")
}

// longest is the longest value that a difference shows, in characters.
const longest = 60

// short returns a value on one line, as far as a difference shows it.
func short(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if utf8.RuneCountInString(value) <= longest {
		return value
	}
	return string([]rune(value)[:longest-1]) + "…"
}
