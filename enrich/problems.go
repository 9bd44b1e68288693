package enrich

import (
	"fmt"
	"strings"
)

// CellProblem is a member of an answer that could not be read.
type CellProblem struct {
	Path string // such as "technologies[2].name"
	Want string // what it should be
}

func (p CellProblem) String() string { return fmt.Sprintf("%s is not %s", p.Path, p.Want) }

// CellProblems are the members of an answer that could not be read.
type CellProblems struct {
	First []CellProblem // at most MaxCellProblems of them
	Count int
	// All says that nothing could be read: neither a member of the record nor a result of the page.
	All bool
}

// MaxCellProblems is how many problems of one answer are described.
const MaxCellProblems = 100

// Add adds a problem.
func (p *CellProblems) Add(path, want string) {
	p.Count++
	if len(p.First) < MaxCellProblems {
		p.First = append(p.First, CellProblem{path, want})
	}
}

// Text lists the problems on one line, "" when there are none.
func (p CellProblems) Text() string {
	texts := make([]string, len(p.First))
	for i, problem := range p.First {
		texts[i] = problem.String()
	}
	if more := p.Count - len(p.First); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}
