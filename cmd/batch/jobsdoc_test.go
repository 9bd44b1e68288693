package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The jobs file in the docs is right, and the docs have its keys.
func TestTheJobsFileOfTheDocsIsRight(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)<!-- jobs.yaml -->\n```yaml\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatal("there is no jobs file in docs/nightly.md")
	}
	path := filepath.Join(t.TempDir(), "jobs.yaml")
	if err := os.WriteFile(path, found[1], 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := quietEnvironment(nil).jobs().Reader.Read(path)
	if err != nil || len(file.Jobs) != 1 || file.Jobs[0].Name != "nightly" || file.Jobs[0].Keep != 14 {
		t.Errorf("%+v, %v", file, err)
	}
}
