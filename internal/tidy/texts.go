package tidy

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ofCommandLine matches names that only a command line knows: its flags and the environment
// variables that it reads.
var ofCommandLine = regexp.MustCompile(`--[a-z]|\b(SERVICE|BATCH)_[A-Z]`)

// ofOneInterface matches names of fields and operations that only the package of an interface knows.
var ofOneInterface = regexp.MustCompile(`work_email|business_phone|find-work-email|find-phone`)

// ofSecondInterface matches names of the wire of v2 that nothing else has.
var ofSecondInterface = regexp.MustCompile(`digital[-_]insights|\b(email|phone)_count\b|reveal_(email|phone)|` +
	`\b(error|message)_guard\b|limits\.daily|\benrichment/|\bwatch/(start|stop|fields|events)\b|` +
	`company_legal_form|function_original_name|patronime_name|Employee-Numbers|group_structure`)

// knowsSecondInterface reports whether a package may name what only v2 has: its own packages, the
// sandbox, and those that wire them to commands.
func knowsSecondInterface(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return strings.HasPrefix(dir+"/", "service/v2/") ||
		slices.Contains([]string{"sandbox", "cmd", "internal", "conformance", "bench"}, top)
}

// isGeneral reports whether a package works with any interface.
func isGeneral(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return slices.Contains([]string{"cost", "attempt", "forecast", "checkpoint", "pipeline"}, top)
}

// checkTexts looks at the texts of libraries. What a user can do next depends on who calls a
// library, so a command words it.
func checkTexts(s *source) []Violation {
	if s.test || strings.HasPrefix(s.dir, "cmd/") || s.dir == "bench" {
		return nil
	}
	var violations []Violation
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if found := ofCommandLine.FindString(text); err == nil && found != "" {
			violations = append(violations, s.violation(RuleFlags, literal,
				"a text of a library names a flag or a variable (%s…); return an error that cmd/batch recognises, and let it word the hint", found))
		}
		if found := ofOneInterface.FindString(text); isGeneral(s.dir) && found != "" {
			violations = append(violations, s.violation(RuleWords, literal,
				"a text of a package that works with any interface says %s; take the name from the enrich.Catalogue", found))
		}
		if found := ofSecondInterface.FindString(text); !knowsSecondInterface(s.dir) && found != "" {
			violations = append(violations, s.violation(RuleWords, literal,
				"a text says %s, which only v2 has; take the name from service/v2, or let the wiring give it", found))
		}
		return true
	})
	return violations
}
