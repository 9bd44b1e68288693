package columns

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/io/table"
)

func schemaOf(headers ...string) table.Schema { return table.Schema{Columns: headers} }

// TestReadReturnsWhatWasWritten reads files with headers of all kinds.
func TestReadReturnsWhatWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		headers := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", "#x", "a, b", "Email", "email", "E-Mail", "null", "1.0", "yes", "# x", "- x", "a: b", "~", "'", `"`,
		})), 1, 8).Draw(t, "headers")
		schema, mapping := schemaOf(headers...), Mapping{}
		for _, role := range Roles() {
			if column := rapid.IntRange(-1, len(headers)-1).Draw(t, string(role)); column >= 0 {
				mapping[role] = []int{column}
			}
		}
		text, err := render("list.csv", schema, mapping)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parse("list.csv.map.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if !file.Fits(schema) {
			t.Fatalf("the headers differ: %q", headers)
		}
		overrides, err := file.Overrides(schema)
		if err != nil {
			t.Fatal(err)
		}
		reading, err := Recognise(schema, nil, Options{Saved: overrides})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(mapping, reading.Mapping); diff != "" {
			t.Fatalf("mapping (-saved +read):\n%s", diff)
		}
	})
}

// TestErrorsNameTheLine shows the error of each mistake in a file.
func TestErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	schema := schemaOf("Name", "Mail", "Mail 2")
	const head = "version: 1\nheaders: [Name, Mail, Mail 2]\nmap:\n"
	for _, test := range []struct{ name, text, want string }{
		{"not YAML", "version: 1\nmap: [", ":3: "},
		{"unknown key", "version: 1\nmaps: {}\n", `:2: `},
		{"unknown field", head + "  mail: [Mail]\n", `:4: unknown field "mail"; write one of profile_url, `},
		{"a field twice", head + "  email: [Mail]\n  email: []\n", ":5: "},
		{"unknown column", head + "  email: [Post]\n", `:4: email: the list has no column "Post"`},
		{"two columns to write to", head + "  email: [Mail, Mail 2]\n", ":4: values of email are written to one column"},
		{"a mapping for a column", head + "  email: {a: b}\n", ":4: give a column, or a list of columns"},
		{"another version", "version: 2\n", "not a mapping file of version 1"},
		{"another file", "a,b\n1,2\n", "list.csv.map.yaml:1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "list.csv.map.yaml")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := readMappingFile(path)
			if err == nil {
				_, err = file.Overrides(schema)
			}
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, without %q", err, test.want)
			}
		})
	}
}

// TestOfFindsFilesForTheSameColumns shows which file in a directory is used for a list.
func TestOfFindsFilesForTheSameColumns(t *testing.T) {
	t.Parallel()
	schema := schemaOf("Name", "Mail", "Post")
	mail, post := Mapping{Email: {1}}, Mapping{Email: {2}}
	save := func(dir, name string, schema table.Schema, mapping Mapping) {
		if err := WriteMappingFile(filepath.Join(dir, name), "x", schema, mapping, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, want, note string
		files            func(dir string)
	}{
		{"none", "", "", func(string) {}},
		{"its own", "list.csv.map.yaml", "", func(dir string) {
			save(dir, "list.csv.map.yaml", schema, mail)
			save(dir, "a.csv.map.yaml", schema, post)
		}},
		{"its own is for other columns", "", `for other columns: column #2 is "E-Mail" in it and "Mail" in the list`, func(dir string) {
			save(dir, "list.csv.map.yaml", schemaOf("Name", "E-Mail"), mail)
		}},
		{"its own has fewer columns", "", `column #3 "Post" is not in it`, func(dir string) {
			save(dir, "list.csv.map.yaml", schemaOf("Name", "Mail"), mail)
		}},
		{"another one", "may.csv.map.yaml", "", func(dir string) {
			save(dir, "may.csv.map.yaml", schema, mail)
			save(dir, "other.csv.map.yaml", schemaOf("A"), Mapping{})
		}},
		{"two equal ones", "april.csv.map.yaml", "", func(dir string) {
			save(dir, "may.csv.map.yaml", schema, mail)
			save(dir, "april.csv.map.yaml", schema, mail)
		}},
		{"two that differ", "", "april.csv.map.yaml and ", func(dir string) {
			save(dir, "may.csv.map.yaml", schema, mail)
			save(dir, "april.csv.map.yaml", schema, post)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			test.files(dir)
			found, notes, err := MappingFileFor("", []string{filepath.Join(dir, "list.csv")}, schema)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if found != nil {
				got = filepath.Base(found.Path)
			}
			if text := strings.Join(notes, "\n"); got != test.want || !strings.Contains(text, test.note) || test.note == "" && text != "" {
				t.Errorf("%q, not %q; notes %q", got, test.want, notes)
			}
		})
	}
}

// TestWriteReplacesMappingFilesOnly keeps other files of somebody.
func TestWriteReplacesMappingFilesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "prices.yaml")
	if err := os.WriteFile(path, []byte("options: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := WriteMappingFile(path, "list.csv", schemaOf("a"), Mapping{}, 0)
	if err == nil || !strings.Contains(err.Error(), "is not a mapping file; choose another name") {
		t.Errorf("%v", err)
	}
	if err := WriteMappingFile(filepath.Join(dir, "list.csv"), "list.csv", schemaOf("a"), Mapping{}, 0); err == nil {
		t.Error("a mapping was written over a list")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "options: []\n" {
		t.Errorf("%q, %v", text, err)
	}
}
