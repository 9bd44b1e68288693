package records

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is a member of an answer that could not be read.
type Problem struct {
	Path string // such as "technologies[2].name"
	Want string // what it should be
}

func (p Problem) String() string { return fmt.Sprintf("%s is not %s", p.Path, p.Want) }

// Problems are the members of an answer that could not be read.
type Problems struct {
	First []Problem // at most maxProblems of them
	Count int
}

// maxProblems is how many problems of one answer are described.
const maxProblems = 100

// Add adds a problem.
func (p *Problems) Add(path, want string) {
	p.Count++
	if len(p.First) < maxProblems {
		p.First = append(p.First, Problem{path, want})
	}
}

// Text lists the problems on one line, "" when there are none.
func (p Problems) Text() string {
	texts := make([]string, len(p.First))
	for i, problem := range p.First {
		texts[i] = problem.String()
	}
	if more := p.Count - len(p.First); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}

// maxPathName is how much of a name that the service chose stands in a path, in bytes.
const maxPathName = 60

// pathName returns a name of the service as it stands in a path.
func pathName(name string) string {
	quoted := strconv.QuoteToASCII(name)
	plain := quoted[1 : len(quoted)-1]
	if plain == name && len(name) <= maxPathName {
		return name
	}
	if len(plain) > maxPathName {
		return strconv.Quote(plain[:maxPathName] + "…")
	}
	return quoted
}
