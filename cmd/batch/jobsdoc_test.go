package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"payonce/io/notify"
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

// The alerts in the docs are right beside the job of the docs, and the docs have every kind of alert.
func TestTheAlertsOfTheDocsAreRight(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	var file []byte
	for _, mark := range []string{"jobs.yaml", "alerts of jobs.yaml"} {
		found := regexp.MustCompile("(?s)<!-- " + mark + " -->\n```yaml\n(.*?)```").FindSubmatch(text)
		if found == nil {
			t.Fatalf("docs/nightly.md has no block %q", mark)
		}
		file = append(file, found[1]...)
	}
	vars := map[string]string{"SLACK_URL": "https://chat.example/x", "PING_URL": "https://ping.example/x", "SMTP_PASSWORD": "x"}
	read, err := quietEnvironment(vars).jobs().Reader.Parse("jobs.yaml", file)
	if err != nil || len(read.Jobs[0].Alerts) != 3 {
		t.Errorf("%+v, %v", read, err)
	}
	for _, kind := range notify.Alerts() {
		if row := fmt.Sprintf("\n| `%s` | %s | ", kind, notify.SeverityOf(kind)); !bytes.Contains(text, []byte(row)) {
			t.Errorf("the table of kinds has no row %q", row)
		}
	}
}
