package tidy_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPackageSaysWhatItIs looks for the comment of every package that holds more
// than tests.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	said := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path.Base(file) == "testdata" || strings.HasPrefix(file, ".") && file != "."):
			return fs.SkipDir
		case path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", file), nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		folder := path.Dir(file)
		said[folder] = said[folder] || parsed.Doc != nil
		return nil
	})
	if err != nil || len(said) == 0 {
		t.Fatalf("%d packages, %v", len(said), err)
	}
	for folder, has := range said {
		if !has {
			t.Errorf("no file of %s says what the package is", folder)
		}
	}
}

// TestTheDocsNameFilesThatAreThere looks up every Go file that the docs name.
func TestTheDocsNameFilesThatAreThere(t *testing.T) {
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(docs) == 0 {
		t.Fatalf("no docs, error %v", err)
	}
	named := 0
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile("`([a-z/]+/[a-z_]+\\.go)`").FindAllStringSubmatch(string(text), -1) {
			named++
			if _, err := os.Stat(filepath.Join("../..", name[1])); err != nil {
				t.Errorf("%s: %v", filepath.Base(doc), err)
			}
		}
	}
	if named == 0 {
		t.Error("the docs name no file; is the pattern right?")
	}
}
