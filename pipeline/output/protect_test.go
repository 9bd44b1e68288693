package output

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/io/table"
)

// editedInPlace changes one byte of a file and restores its time, and returns the new bytes.
func editedInPlace(t *testing.T, path string) []byte {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("Ann"), []byte("Eve"), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAnEditThatKeepsSizeAndTimeIsKept replaces a list, its rejects and a table. A file whose record has no hash is
// known by its size and its time alone.
func TestAnEditThatKeepsSizeAndTimeIsKept(t *testing.T) {
	for _, hashed := range []bool{true, false} {
		dir, j := t.TempDir(), files{}
		list, rejects := filepath.Join(dir, "out.csv"), filepath.Join(dir, "rejects.csv")
		table := filepath.Join(dir, "tables", "owners.csv")
		write := func(name string) (kept []KeptVersion) {
			from := listOf(t, "list.csv", "first_name\n"+name+"\n")
			create := func(path string) *listfile.Output {
				out, err := listfile.Create(from, listfile.Request{Path: path})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			f := &Files{list: from, out: create(list), rejects: create(rejects)}
			defer f.Discard()
			for _, out := range []*listfile.Output{f.out, f.rejects} {
				fmt.Fprintln(out.File(), name)
			}
			kept, err := f.Commit(t.Context(), Protection{Journal: j, Now: time.Now(), Most: 3})
			if err != nil {
				t.Fatal(err)
			}
			return append(kept, writeTables(t, j, tablesOf(filepath.Dir(table), "csv", tableAnswers{1: name}), attempt.ID(1))...)
		}
		if kept := write("Ann"); len(kept) > 0 {
			t.Fatalf("kept %v", kept)
		}
		if !hashed {
			for path, file := range j {
				j[path] = record.File{Path: path, Size: file.Size, Changed: file.Changed}
			}
		}
		edits := map[string][]byte{}
		for _, path := range []string{list, rejects, table} {
			edits[path] = editedInPlace(t, path)
		}
		kept := write("Bob")
		if !hashed {
			if len(kept) > 0 {
				t.Errorf("without a hash: kept %v", kept)
			}
			continue
		}
		if len(kept) != len(edits) {
			t.Errorf("kept %v, want the list, the rejects and the table", kept)
		}
		for _, one := range kept {
			if one.Reason != "it was changed after it was written" {
				t.Errorf("%s is kept because %s", one.File, one.Reason)
			}
		}
		for path, edit := range edits {
			if text, err := os.ReadFile(atomicfile.VersionName(path, 1)); err != nil || !bytes.Equal(text, edit) {
				t.Errorf("%s is kept as %q, %v, want %q", path, text, err, edit)
			}
		}
	}
}

// BenchmarkCompareOutput finds out that an output of 256 MB is as it was written.
func BenchmarkCompareOutput(b *testing.B) {
	path := filepath.Join(b.TempDir(), "out.csv")
	text := strings.Repeat("Ann,Lee,Example Inc,example.com,ann.lee@example.com\n", 256<<20/52)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		made, err := listfile.CreateNew(table.Schema{Columns: []string{"name"}}, listfile.Request{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		j := files{path: record.File{Size: info.Size(), Changed: info.ModTime(), Hash: "another"}}
		r := replacement{Protection: Protection{Journal: j}, file: made.File()}
		if reason, err := r.reason(b.Context(), info); err != nil || reason != "it was changed after it was written" {
			b.Fatal(reason, err)
		}
		made.Discard()
	}
}
