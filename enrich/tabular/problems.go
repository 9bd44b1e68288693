package tabular

import (
	"fmt"
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
	First []Problem // at most MaxProblems of them
	Count int
	// All says that nothing could be read: neither a member of the record nor a result of the page.
	All bool
}

// MaxProblems is how many problems of one answer are described.
const MaxProblems = 100

// Add adds a problem.
func (p *Problems) Add(path, want string) {
	p.Count++
	if len(p.First) < MaxProblems {
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
