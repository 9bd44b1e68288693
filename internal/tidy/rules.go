package tidy

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxLines is the longest that a function outside tests may be, from its func to
// its closing brace.
const maxLines = 70

// The most files that a package may have, and the most lines in them, tests aside.
const (
	maxPackageFiles = 25
	maxPackageLines = 3000
)

const badger = "github.com/dgraph-io/badger"

// checkImports looks at imports from outside the module.
func checkImports(s *source) []Violation {
	var violations []Violation
	for _, imported := range s.imports {
		if s.dir == "enrich" && !s.test && !onTheGround(s, imported.path) {
			violations = append(violations, s.violation(RuleGround, imported.spec,
				"enrich imports %s; it stands on the standard library, x/text and x/net alone", imported.path))
		}
		if strings.HasPrefix(imported.path, badger) && s.dir != "checkpoint/badgerstore" {
			violations = append(violations, s.violation(RuleBadger, imported.spec, "imports Badger; go through checkpoint/badgerstore"))
		}
		if imported.name == "." {
			violations = append(violations, s.violation(RuleDot, imported.spec, "dots the import of %s; name it", imported.path))
		}
	}
	return violations
}

// onTheGround reports whether enrich may import a package: one of the standard
// library, whose path has no dot in its first element, or of the two modules.
// checkLayers decides about the module's own packages.
func onTheGround(s *source, importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	_, inside := s.inModule(importPath)
	return inside || !strings.Contains(first, ".") ||
		strings.HasPrefix(importPath, "golang.org/x/text/") || strings.HasPrefix(importPath, "golang.org/x/net/")
}

// checkPlace looks at where a file lies.
func checkPlace(s *source) []Violation {
	if s.dir != "io" {
		return nil
	}
	return []Violation{s.violation(RuleIO, s.syntax.Name, "lies directly in io/, whose name would shadow the library's; give it a folder below")}
}

// checkFunctions looks at the functions outside tests.
func checkFunctions(s *source) []Violation {
	if s.test {
		return nil
	}
	var violations []Violation
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		switch function := node.(type) {
		case *ast.FuncDecl:
			if function.Recv == nil && function.Name.Name == "init" {
				violations = append(violations, s.violation(RuleInit, function, "is an init function; let main call it"))
			}
		case *ast.FuncLit:
		default:
			return true
		}
		if lines := s.line(node.End()) - s.line(node.Pos()) + 1; lines > maxLines {
			violations = append(violations, s.violation(RuleLength, node, "the function has %d lines; more than %d are too many", lines, maxLines))
		}
		return true
	})
	return violations
}

// checkSizes looks at whole packages outside tests: one that grew beyond one job is split.
func checkSizes(sources []*source) []Violation {
	files := map[string][]*source{}
	for _, s := range sources {
		if !s.test {
			files[s.dir] = append(files[s.dir], s)
		}
	}
	var violations []Violation
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		lines := 0
		for _, s := range files[dir] {
			lines += s.lines
		}
		first := files[dir][0]
		if n := len(files[dir]); n > maxPackageFiles {
			violations = append(violations, first.violation(RuleSize, first.syntax.Name,
				"package %s has %d files; split it when it has more than %d", dir, n, maxPackageFiles))
		}
		if lines > maxPackageLines {
			violations = append(violations, first.violation(RuleSize, first.syntax.Name,
				"package %s has %d lines; split it when it has more than %d", dir, lines, maxPackageLines))
		}
	}
	return violations
}

// ban keeps names of one package to one place.
type ban struct {
	rule  Rule
	pkg   string
	names []string // patterns as in path.Match
	// exempt says which files may use the names all the same.
	exempt func(*source) bool
	advice string
}

func bans() []ban {
	testOrSender := func(s *source) bool { return s.test || s.dir == "service/paidhttp" }
	// The embedded service sends notifications, which are no calls of a service.
	// Nor are alerts.
	testOrService := func(s *source) bool { return testOrSender(s) || s.dir == "sandbox/webhook" || s.dir == "notify" }
	testOrLocal := func(s *source) bool { return testOrService(s) || s.file == "checkpoint/remote/socket.go" }
	testOrMain := func(s *source) bool { return s.test || s.file == "cmd/batch/main.go" || s.file == "bench/main.go" }
	nobody := func(*source) bool { return false }
	return []ban{
		{RuleHTTP, "net/http", []string{
			"Client", "DefaultClient", "Get", "Post", "Head", "PostForm", "NewRequest*", "Transport", "DefaultTransport",
		}, testOrService, "only service/paidhttp sends HTTP"},
		{RuleDial, "net", []string{"Dial*"}, testOrLocal, "only service/paidhttp opens connections, and checkpoint/remote to the journal's socket"},
		{RuleDial, "crypto/tls", []string{"Dial*"}, testOrSender, "only service/paidhttp opens connections"},
		{RuleExit, "os", []string{"Exit"}, testOrMain, "return an error; only main ends the process"},
		{RuleExit, "log", []string{"Fatal*"}, testOrMain, "return an error; only main ends the process"},
		{RuleSleep, "time", []string{"Sleep"}, nobody, "wait for a context, a channel or a timer"},
	}
}

func (b ban) covers(pkg, name string) bool {
	return pkg == b.pkg && slices.ContainsFunc(b.names, func(pattern string) bool {
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	})
}

// checkUses looks at the names that a file takes from other packages.
func checkUses(s *source) []Violation {
	var violations []Violation
	banned := slices.DeleteFunc(bans(), func(b ban) bool { return b.exempt(s) })
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg := s.selected(selector)
		for _, b := range banned {
			if b.covers(pkg, selector.Sel.Name) {
				violations = append(violations, s.violation(b.rule, selector, "uses %s.%s; %s", pkg, selector.Sel.Name, b.advice))
			}
		}
		return true
	})
	return violations
}

// checkFractions looks for floating-point numbers where money is counted: types,
// functions such as strconv.ParseFloat, and constants.
func checkFractions(s *source) []Violation {
	if s.test || s.dir != "cost" && !strings.HasPrefix(s.dir, "checkpoint") {
		return nil
	}
	var violations []Violation
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.Ident:
			if strings.Contains(strings.ToLower(n.Name), "float") {
				violations = append(violations, s.violation(RuleFractions, n, "uses %s; money is counted in whole units", n.Name))
			}
		case *ast.BasicLit:
			if n.Kind == token.FLOAT {
				violations = append(violations, s.violation(RuleFractions, n, "uses the fraction %s; money is counted in whole units", n.Value))
			}
		}
		return true
	})
	return violations
}
