// Package tidy is the architecture as a test: a few rules about what must never be, each a line in a table.
// It reads a tree of files, so the rules are tried on small trees that break them (testdata).
package tidy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// Violation is one place where a rule is broken.
type Violation struct {
	Rule   string
	File   string // from the root of the module, with slashes
	Line   int
	Reason string // what is wrong and what to do
}

func (v Violation) String() string {
	return fmt.Sprintf("%s:%d: %s (rule %q)", v.File, v.Line, v.Reason, v.Rule)
}

// Rules has the names of all rules.
var Rules = []string{"badger", "ground", "stages", "downwards", "send", "exit", "sleep", "init", "fractions", "flags", "words", "dot"}

var re = regexp.MustCompile

var (
	countsMoney = re(`^cost$|^checkpoint(/|$)`)
	textAndNet  = re(`^golang.org/x/(text|net)/`)
)

// An importRule says what the packages of some folders never import.
type importRule struct {
	rule    string
	in, but *regexp.Regexp // the folders, and those of them for which it does not hold; nil for all and none
	never   *regexp.Regexp // import paths; those of the module without its name
	tests   bool           // it holds for tests too
	reason  string
}

var importRules = []importRule{
	{"badger", nil, re(`^checkpoint/badgerstore$`), re(`^github.com/dgraph-io/badger`), true, "only checkpoint/badgerstore imports Badger"},
	{"ground", re(`^enrich$`), nil, re(`^[^/]*\.|^(cmd|configs|pipeline|checkpoint|io|cost|internal)/|^(cost|checkpoint|configs)$`), false, "enrich stands on the standard library, x/text and x/net alone"},
	{"ground", re(`^cost$`), nil, re(`^cost/|^(cmd|pipeline|checkpoint|io|internal)/|^(checkpoint|configs|pipeline)$`), false, "cost imports nothing of the module but enrich"},
	{"stages", re(`^pipeline/(columns|scan|dispatch|output)$`), nil, re(`^checkpoint$|^io/service`), false, "a stage declares the interface that it needs of the journal and of a service"},
	{"downwards", re(`^(checkpoint|io|configs)(/|$)`), nil, re(`^(cmd|pipeline)(/|$)`), false, "use cases and commands import this package"},
	{"downwards", re(`^pipeline(/|$)`), nil, re(`^cmd/`), false, "commands import use cases"},
}

// A nameRule keeps names of one package out of all folders but some. Tests may use them where it is not for tests.
type nameRule struct {
	rule, pkg  string
	never, but *regexp.Regexp // names; files for which it does not hold
	tests      bool
	reason     string
}

const (
	senders = `^io/service/[^/]+$|^io/notify/|^io/sandbox/v2/` // the embedded service sends notifications
	mains   = `^cmd/(batch|bench)/main\.go$`
)

var nameRules = []nameRule{
	{"send", "net/http", re(`^(Client|DefaultClient|Get|Post|Head|PostForm|NewRequest.*|Transport|DefaultTransport)$`), re(senders), false, "only io/service, io/notify and the sandbox send HTTP"},
	{"send", "net", re(`^Dial`), re(senders + `|^checkpoint/remote/socket\.go$|^io/iotest/`), false, "only io/service opens connections, and checkpoint/remote to the journal's socket"},
	{"send", "crypto/tls", re(`^Dial`), re(`^io/service/[^/]+$`), false, "only io/service opens connections"},
	{"exit", "os", re(`^Exit$`), re(mains), false, "return an error; only main ends the process"},
	{"exit", "log", re(`^Fatal`), re(mains), false, "return an error; only main ends the process"},
	{"sleep", "time", re(`^Sleep$`), nil, true, "wait for a context, a channel or a timer"},
}

// A textRule says what no text of some folders names, tests aside.
type textRule struct {
	rule           string
	in, but, never *regexp.Regexp
	reason         string
}

var textRules = []textRule{
	{"flags", nil, re(`^cmd/`), re(`--[a-z]|\b(SERVICE|BATCH)_[A-Z]`), "return an error that cmd/batch recognises, and let it word the hint"},
	{"words", re(`^(cost|checkpoint)(/|$)|^pipeline/(columns|scan|dispatch|output)$`), nil, re(`work_email|business_phone|find-work-email|find-phone`), "take the name from the enrich.Catalogue"},
	{
		"words", nil, re(`^(io/service/v2|io/sandbox|io/conformance|cmd|configs|internal/tidy|pipeline/(provider|inspect|report|workspace|search))(/|$)|^pipeline$`),
		re(`digital[-_]insights|\b(email|phone)_count\b|reveal_(email|phone)|\b(error|message)_guard\b|limits\.daily|\benrichment/|` +
			`\bwatch/(start|stop|fields|events)\b|company_legal_form|function_original_name|patronime_name|Employee-Numbers|group_structure`),
		"only v2 has it; take the name from io/service/v2",
	},
}

// Check returns every place in the module at the root of tree where a rule is broken, in the order of the
// files. A file that does not parse is an error.
func Check(tree fs.FS) (violations []Violation, err error) {
	mod, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil, err
	}
	module := modfile.ModulePath(mod)
	if module == "" {
		return nil, fmt.Errorf("go.mod names no module")
	}
	err = fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isSkipped(tree, file):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(file) != ".go":
			return nil
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		tokens := token.NewFileSet()
		syntax, err := parser.ParseFile(tokens, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		c := &checked{file: file, dir: path.Dir(file), test: strings.HasSuffix(file, "_test.go"), tokens: tokens, names: map[string]string{}}
		c.imports(syntax, module)
		ast.Inspect(syntax, c.node)
		violations = append(violations, c.violations...)
		return nil
	})
	return violations, err
}

// isSkipped reports whether a folder is outside of the module.
func isSkipped(tree fs.FS, dir string) bool {
	name := path.Base(dir)
	if dir == "." {
		return false
	}
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil || slices.Contains([]string{"testdata", "vendor"}, name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// checked is one file.
type checked struct {
	file, dir  string
	test       bool
	tokens     *token.FileSet
	names      map[string]string // the paths of the imports by the names that the file gives them
	violations []Violation
}

func (c *checked) broken(rule string, at ast.Node, format string, args ...any) {
	c.violations = append(c.violations, Violation{rule, c.file, c.tokens.Position(at.Pos()).Line, fmt.Sprintf(format, args...)})
}

// covers reports whether a rule for some folders, but for others of them, holds for a place.
func covers(in, but *regexp.Regexp, place string) bool {
	return (in == nil || in.MatchString(place)) && (but == nil || !but.MatchString(place))
}

func (c *checked) imports(syntax *ast.File, module string) {
	for _, spec := range syntax.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		c.names[name] = imported
		if name == "." {
			c.broken("dot", spec, "dots the import of %s; name it", imported)
		}
		place, _ := strings.CutPrefix(imported, module+"/")
		for _, r := range importRules {
			allowed := r.rule == "ground" && textAndNet.MatchString(place)
			if (r.tests || !c.test) && covers(r.in, r.but, c.dir) && r.never.MatchString(place) && !allowed {
				c.broken(r.rule, spec, "imports %s; %s", imported, r.reason)
			}
		}
	}
}

// node looks at one node of the file's syntax.
func (c *checked) node(node ast.Node) bool {
	money := !c.test && countsMoney.MatchString(c.dir)
	switch n := node.(type) {
	case *ast.FuncDecl:
		if !c.test && n.Recv == nil && n.Name.Name == "init" {
			c.broken("init", n, "is an init function; let main call it")
		}
	case *ast.SelectorExpr:
		if pkg, ok := n.X.(*ast.Ident); ok {
			for _, r := range nameRules {
				if (r.tests || !c.test) && c.names[pkg.Name] == r.pkg && covers(nil, r.but, c.file) && r.never.MatchString(n.Sel.Name) {
					c.broken(r.rule, n, "uses %s.%s; %s", r.pkg, n.Sel.Name, r.reason)
				}
			}
		}
	case *ast.Ident:
		if money && strings.Contains(strings.ToLower(n.Name), "float") {
			c.broken("fractions", n, "uses %s; money is counted in whole units", n.Name)
		}
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		if money && n.Kind == token.FLOAT {
			c.broken("fractions", n, "uses the fraction %s; money is counted in whole units", n.Value)
		}
		for _, r := range textRules {
			if found := r.never.FindString(text); n.Kind == token.STRING && err == nil && !c.test && covers(r.in, r.but, c.dir) && found != "" {
				c.broken(r.rule, n, "a text names %s; %s", found, r.reason)
			}
		}
	}
	return true
}
