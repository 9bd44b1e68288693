package listfile_test

import (
	"os"
	"testing"

	"payonce/io/listfile"
)

func fingerprint(t *testing.T, options listfile.Options, names ...string) string {
	t.Helper()
	text, err := open(t, options, names...).Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestListsThatAreReadDifferentlyHaveDifferentFingerprints compares lists that differ in one thing each.
func TestListsThatAreReadDifferentlyHaveDifferentFingerprints(t *testing.T) {
	options := listfile.Options{}
	one, two := write(t, "one.csv", "name\nAnn\n"), write(t, "two.csv", "name\nBob\n")
	seen := map[string]string{}
	for name, list := range map[string]func() string{
		"one file":          func() string { return fingerprint(t, options, one) },
		"two files":         func() string { return fingerprint(t, options, one, two) },
		"in another order":  func() string { return fingerprint(t, options, two, one) },
		"another ending":    func() string { return fingerprint(t, options, write(t, "one.jsonl", "name\nAnn\n")) },
		"other bytes":       func() string { return fingerprint(t, options, write(t, "one.csv", "name\nAnd\n")) },
		"another encoding":  func() string { return fingerprint(t, listfile.Options{Encoding: "Windows-1252"}, one) },
		"another delimiter": func() string { return fingerprint(t, listfile.Options{Delimiter: "semicolon"}, one) },
		"another header":    func() string { return fingerprint(t, listfile.Options{HeaderRow: 2}, one) },
		"a sheet":           func() string { return fingerprint(t, listfile.Options{Sheet: "people"}, write(t, "one.xlsx", "")) },
		"another sheet":     func() string { return fingerprint(t, listfile.Options{Sheet: "firms"}, write(t, "one.xlsx", "")) },
		"bytes that belong to another file": func() string {
			return fingerprint(t, options, write(t, "one.csv", "name\n"), write(t, "two.csv", "Ann\nname\nBob\n"))
		},
		"standard input": func() string {
			return fingerprint(t, listfile.Options{Stdin: stdin("name\nAnn\n")}, listfile.Standard)
		},
	} {
		text := list()
		if earlier, found := seen[text]; found {
			t.Errorf("%s and %s have the same fingerprint", name, earlier)
		}
		seen[text] = name
	}
	elsewhere := listfile.Options{TempDir: t.TempDir(), Stdin: stdin("")}
	if same := fingerprint(t, elsewhere, write(t, "one.csv", "name\nAnn\n")); seen[same] != "one file" {
		t.Error("a copy of the list has another fingerprint")
	}
}

// TestAFingerprintNoticesAnEditThatKeepsSizeAndTime has a list that another process opens later.
func TestAFingerprintNoticesAnEditThatKeepsSizeAndTime(t *testing.T) {
	path := write(t, "list.csv", "name\nAnn\n")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, listfile.Options{}, path)
	if err := os.WriteFile(path, []byte("name\nAnd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if fingerprint(t, listfile.Options{}, path) == before {
		t.Error("the fingerprint is the same")
	}
}

// TestAListThatChangedHasNoFingerprint: its bytes are not those of the rows that were read.
func TestAListThatChangedHasNoFingerprint(t *testing.T) {
	path := write(t, "list.csv", "name\nAnn\n")
	list := open(t, listfile.Options{}, path)
	if err := os.WriteFile(path, []byte("name\nAnna\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := list.Fingerprint(); err == nil {
		t.Error("a list that changed has a fingerprint")
	}
}
