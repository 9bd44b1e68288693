package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// source is one Go file of the tree.
type source struct {
	file    string // its path from the root, with slashes
	dir     string // the path of its folder
	test    bool
	lines   int
	module  string
	tokens  *token.FileSet
	syntax  *ast.File
	imports []imported
}

// imported is one import of a file.
type imported struct {
	path string
	name string // how the file calls the package
	spec *ast.ImportSpec
}

// parseTree parses every Go file that belongs to the module at the root of tree,
// with the folders left out that the go command leaves out too.
func parseTree(tree fs.FS) ([]*source, error) {
	mod, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil, err
	}
	module := modfile.ModulePath(mod)
	if module == "" {
		return nil, fmt.Errorf("go.mod names no module")
	}
	var sources []*source
	err = fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isSkipped(tree, file):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(file) != ".go":
			return nil
		}
		s, err := parse(tree, file, module)
		sources = append(sources, s)
		return err
	})
	return sources, err
}

// isSkipped reports whether a folder is outside of the module.
func isSkipped(tree fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	name := path.Base(dir)
	if name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil
}

func parse(tree fs.FS, file, module string) (*source, error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	s := &source{
		file:   file,
		dir:    path.Dir(file),
		test:   strings.HasSuffix(file, "_test.go"),
		lines:  bytes.Count(text, []byte("\n")),
		module: module,
		tokens: token.NewFileSet(),
	}
	s.syntax, err = parser.ParseFile(s.tokens, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, spec := range s.syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", file, spec.Path.Value, err)
		}
		name := path.Base(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		s.imports = append(s.imports, imported{path: importPath, name: name, spec: spec})
	}
	return s, nil
}

// inModule returns the folder of an imported package, and whether it is one of the
// module's own.
func (s *source) inModule(importPath string) (dir string, inside bool) {
	return strings.CutPrefix(importPath, s.module+"/")
}

// selected returns the path of the package that a selector such as http.Get takes
// its name from, and "" when it is no package's.
func (s *source) selected(selector *ast.SelectorExpr) string {
	name, ok := selector.X.(*ast.Ident)
	if !ok {
		return ""
	}
	for _, imported := range s.imports {
		if imported.name == name.Name {
			return imported.path
		}
	}
	return ""
}

func (s *source) line(pos token.Pos) int { return s.tokens.Position(pos).Line }

func (s *source) violation(rule Rule, at ast.Node, format string, args ...any) Violation {
	return Violation{Rule: rule, File: s.file, Line: s.line(at.Pos()), Reason: fmt.Sprintf(format, args...)}
}
