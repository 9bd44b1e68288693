package jobs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASealIsInvalidAfterAnyChangeOfTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "page.html")
	sealed := func() bool {
		t.Helper()
		is, err := isSealed(path)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if _, err := isSealed(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	page := "<p>one</p>\n" + sealOf([]byte("an older text")) // a page may quote a seal
	if err := writeSealed(path, []byte(page), 0o644); err != nil || !sealed() {
		t.Fatalf("a file that was written is not sealed: %v", err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(written)
	for name, changed := range map[string]string{
		"empty": "", "another text": strings.Replace(text, "one", "two", 1), "cut short": text[:len(text)-1], "longer": text + "\n",
		"without a seal": page, "another seal": text[:len(text)-8] + "aaaa" + text[len(text)-4:],
	} {
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if sealed() {
			t.Errorf("%s: it is sealed", name)
		}
	}
	other := filepath.Join(filepath.Dir(path), "other.html")
	if err := errors.Join(os.WriteFile(other, written, 0o600), os.Remove(path), os.Symlink(other, path)); err != nil {
		t.Fatal(err)
	}
	if sealed() {
		t.Error("a symbolic link is sealed: what it leads to would be replaced")
	}
}
