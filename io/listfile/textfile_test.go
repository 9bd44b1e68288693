package listfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"payonce/io/listfile"
)

// compressed returns text as NewWriter compresses it for a file of that name.
func compressed(t *testing.T, name, text string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := listfile.NewTextWriter(&out, name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// read writes a file and reads it as a user's.
func read(t *testing.T, name, content string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := listfile.TextAt(path).Open()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(file)
	return string(text), errors.Join(err, file.Close())
}

func longText() string {
	var text strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&text, "%d,%x\n", i, i*i)
	}
	return text.String()
}

func TestRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for _, text := range []string{"", "a", "a,b\n1,2\n", longText()} {
		for _, name := range []string{"list.csv", "list.csv.gz", "list.tsv.zst", "LIST.CSV.GZ"} {
			packed := compressed(t, name, text)
			got, err := read(t, name, packed)
			if err != nil || got != text {
				t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(text), err)
			}
			if plain := name == "list.csv"; len(text) > 1000 && plain != (packed == text) {
				t.Errorf("%s: %d bytes of text are %d in the file", name, len(text), len(packed))
			}
		}
	}
}

func TestCompressionFollowsFromTheContent(t *testing.T) {
	for _, name := range []string{"x.gz", "x.zst"} {
		if got, err := read(t, "list.csv", compressed(t, name, "a,b\n")); err != nil || got != "a,b\n" {
			t.Errorf("%s as list.csv: %q, %v", name, got, err)
		}
	}
	if got, err := read(t, "list.csv.gz", compressed(t, "x.zst", "a,b\n")); err != nil || got != "a,b\n" {
		t.Errorf("zstd as gz: %q, %v", got, err)
	}
}

func TestCompressedFilesOfSeveralMembersAreRead(t *testing.T) {
	for _, name := range []string{"list.csv.gz", "list.csv.zst"} {
		packed := compressed(t, name, "a,b\n") + compressed(t, name, "") + compressed(t, name, "1,2\n")
		if got, err := read(t, name, packed); err != nil || got != "a,b\n1,2\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Parallel compressors begin with a frame that is skipped, and put one before each other.
func TestFramesThatAreSkipped(t *testing.T) {
	skipped := "\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
	packed := skipped + compressed(t, "x.zst", "a,b\n") + skipped + compressed(t, "x.zst", "1,2\n") + "\x5f" + skipped[1:]
	for _, name := range []string{"list.csv.zst", "list.csv"} {
		if got, err := read(t, name, packed); err != nil || got != "a,b\n1,2\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, other := range []string{"P*M", "P*M\x19\n", "`*M\x18\n"} {
		if got, err := read(t, "list.csv", other); err != nil || got != other {
			t.Errorf("%q: %q, %v", other, got, err)
		}
	}
}

func TestZstdWithADictionary(t *testing.T) {
	const frame = zstdFrame + "\x21" + "\x07" + "\x01" + "\x09\x00\x00" + "x" // one block of one byte, by dictionary 7
	if _, err := read(t, "list.csv.zst", frame); err == nil || !strings.Contains(err.Error(), "needs a dictionary; compress it again without one") {
		t.Errorf("err = %v, want the dictionary named", err)
	}
}

// zstdFrame is what a frame of zstd begins with.
const zstdFrame = "\x28\xb5\x2f\xfd"

func TestBadCompressedFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	text := longText()
	if _, err := read(t, "list.csv.gz", compressed(t, "x.gz", text)+"x"); err == nil || !strings.Contains(err.Error(), "follows") {
		t.Errorf("a byte behind gzip: %v", err)
	}
	for _, name := range []string{"list.csv.gz", "list.csv.zst"} {
		packed := compressed(t, name, text)
		damaged := []byte(packed)
		damaged[len(damaged)/2] ^= 0xff
		for _, test := range []struct{ name, content, want string }{
			{"cut in the middle", packed[:len(packed)/2], "cut short"},
			{"cut at the end", packed[:len(packed)-1], "cut short"},
			{"cut in the header", packed[:5], "cut short"},
			{"garbage behind", packed + "some garbage", "follows the compressed text"},
			{"not compressed", text, "rename it, or compress it"},
			{"damaged", string(damaged), "damaged"},
		} {
			got, err := read(t, name, test.content)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, %s: err = %v, want %q in it", name, test.name, err, test.want)
			}
			if !strings.HasPrefix(text, got) && test.name != "damaged" {
				t.Errorf("%s, %s: what was read is not the text", name, test.name)
			}
		}
	}
}

// What a small file may unpack to is not held in memory, and a decoder that would hold
// much is refused.
func TestAZstdWindowOverTheLimitIsRefused(t *testing.T) {
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithWindowSize(64<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 80 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, "list.csv.zst", out.String()); err == nil || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("err = %v, want the limit of 32 MiB", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := listfile.TextAt(filepath.Join(dir, "list.csv")).Open(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := listfile.TextAt(dir).Open(); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
}

func TestExpandPatternsListsMatchingFilesInOrder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.csv", "a.csv", "c.tsv", "d[1].csv", "d1.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		patterns, want []string
		fails          string
	}{
		{[]string{"b.csv", "a.csv"}, []string{"b.csv", "a.csv"}, ""},
		{[]string{"[abc].*"}, []string{"a.csv", "b.csv", "c.tsv"}, ""},
		{[]string{"c.tsv", "[ab].csv"}, []string{"c.tsv", "a.csv", "b.csv"}, ""},
		{[]string{"d[1].csv"}, []string{"d[1].csv"}, ""},
		{[]string{"b.csv", "[ab].csv"}, nil, "named twice"},
		{[]string{"a.csv", "./a.csv"}, nil, "named twice"},
		{[]string{"x*.csv"}, nil, "there is no file"},
		{[]string{"x[.csv"}, nil, "syntax error in pattern"},
	} {
		var patterns []string
		for _, pattern := range test.patterns {
			patterns = append(patterns, dir+"/"+pattern)
		}
		inputs, err := listfile.ExpandPatterns(patterns...)
		var got []string
		for _, input := range inputs {
			if input.Name() != input.Path() {
				t.Errorf("%s is named %s", input.Path(), input.Name())
			}
			got = append(got, filepath.Base(input.Path()))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.patterns, diff)
		}
		if (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%v: %v, want %q in it", test.patterns, err, test.fails)
		}
	}
}

func TestTrimCompression(t *testing.T) {
	for name, want := range map[string]string{
		"a.csv": "a.csv", "a.csv.gz": "a.csv", "d.x/a.tsv.ZST": "d.x/a.tsv", "gz": "gz", "a.bz2": "a.bz2", "a.gz.d/b": "a.gz.d/b",
	} {
		if got := listfile.TrimCompression(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestASpoolHoldsItsTextInAnUnnamedFile(t *testing.T) {
	dir := t.TempDir()
	text := longText()
	for _, name := range []string{"plain", "x.gz"} {
		spool, err := listfile.NewSpool(strings.NewReader(compressed(t, name, text)), dir, "standard input")
		if err != nil {
			t.Fatal(err)
		}
		// A process that is killed here leaves nothing.
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || spool.Path() != "" {
			t.Errorf("the spool file has a name: %v, %v", left, err)
		}
		if info, err := spool.Stat(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the spool file: %v, %v", info, err)
		}
		for range 2 {
			file, err := spool.Open()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(file)
			if err := errors.Join(err, file.Close()); err != nil || string(got) != text {
				t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(text), err)
			}
		}
		if spool.Name() != "standard input" {
			t.Errorf("the spool is named %s", spool.Name())
		}
		if err := spool.Remove(); err != nil {
			t.Error(err)
		}
	}
	_, err := listfile.NewSpool(iotest.ErrReader(io.ErrClosedPipe), dir, "standard input")
	if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), "standard input") {
		t.Errorf("err = %v, want that of the stream with its name", err)
	}
	if _, err := listfile.NewSpool(strings.NewReader(""), filepath.Join(dir, "missing"), "standard input"); err == nil {
		t.Error("a missing directory took a file")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
