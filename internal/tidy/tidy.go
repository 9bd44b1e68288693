package tidy

import (
	"fmt"
	"io/fs"
)

// Rule names one rule of the architecture.
type Rule string

// The rules.
const (
	RuleLayers    Rule = "layers"
	RuleGround    Rule = "ground"
	RuleLength    Rule = "length"
	RuleSize      Rule = "size"
	RuleHTTP      Rule = "http"
	RuleDial      Rule = "dial"
	RuleBadger    Rule = "badger"
	RuleIO        Rule = "io"
	RuleExit      Rule = "exit"
	RuleSleep     Rule = "sleep"
	RuleFractions Rule = "fractions"
	RuleInit      Rule = "init"
	RuleDot       Rule = "dot"
	RuleFlags     Rule = "flags"
	RuleWords     Rule = "words"
)

// Violation is one place where a rule is broken.
type Violation struct {
	Rule   Rule
	File   string // from the root of the module, with slashes
	Line   int
	Reason string // what is wrong and what to do
}

func (v Violation) String() string {
	return fmt.Sprintf("%s:%d: %s (rule %q)", v.File, v.Line, v.Reason, v.Rule)
}

// Check returns every place in the module at the root of tree where a rule is
// broken, in the order of the files, and then the packages that are too large. A file
// that does not parse is an error.
func Check(tree fs.FS) ([]Violation, error) {
	sources, err := parseTree(tree)
	if err != nil {
		return nil, err
	}
	checks := []func(*source) []Violation{
		checkLayers, checkImports, checkPlace, checkFunctions, checkUses, checkFractions, checkTexts,
	}
	var violations []Violation
	for _, s := range sources {
		for _, check := range checks {
			violations = append(violations, check(s)...)
		}
	}
	return append(violations, checkSizes(sources)...), nil
}
