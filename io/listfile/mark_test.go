package listfile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/io/listfile"
)

// TestAMarkIsThatOfTheBytes changes files of several chunks at all places that matter.
func TestAMarkIsThatOfTheBytes(t *testing.T) {
	const chunk = 256 << 10
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 3*chunk+100)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	dir := t.TempDir()
	markOf := func(files ...[]byte) string {
		t.Helper()
		var names []string
		for i, file := range files {
			names = append(names, filepath.Join(dir, fmt.Sprintf("%d.csv", i)))
			if err := os.WriteFile(names[i], file, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		list, err := listfile.New(listfile.Options{}, names...)
		if err != nil {
			t.Fatal(err)
		}
		mark, err := list.Mark()
		if err != nil || len(mark) != 16 {
			t.Fatalf("mark %x, error %v", mark, err)
		}
		return string(mark)
	}
	seen := map[string]string{}
	once := func(what string, files ...[]byte) {
		t.Helper()
		mark := markOf(files...)
		if other, found := seen[mark]; found {
			t.Errorf("%s has the mark of %s", what, other)
		}
		seen[mark] = what
	}
	once("the list", data)
	if first, again := markOf(data), markOf(bytes.Clone(data)); first != again {
		t.Errorf("one list has the marks %x and %x", first, again)
	}
	for _, at := range []int{0, chunk - 1, chunk, 2*chunk + 7, len(data) - 1} {
		changed := bytes.Clone(data)
		changed[at] ^= 1
		once(fmt.Sprintf("byte %d", at), changed)
	}
	for _, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk, len(data) - 1} {
		once(fmt.Sprintf("the first %d bytes", size), data[:size])
	}
	once("two chunks that changed places", append(append(bytes.Clone(data[chunk:2*chunk]), data[:chunk]...), data[2*chunk:]...))
	once("two files", data[:chunk], data[chunk:])
	once("two files in another order", data[chunk:], data[:chunk])
	once("two files, cut elsewhere", data[:chunk+1], data[chunk+1:])
}

func TestTheMarkOfStandardInput(t *testing.T) {
	list, err := listfile.New(listfile.Options{Stdin: strings.NewReader("email\na\n"), TempDir: t.TempDir()}, listfile.Standard)
	if err != nil {
		t.Fatal(err)
	}
	first, err := list.Mark()
	again, errAgain := list.Mark()
	if err != nil || errAgain != nil || !bytes.Equal(first, again) {
		t.Errorf("marks %x and %x, errors %v and %v", first, again, err, errAgain)
	}
	if err := list.Close(); err != nil {
		t.Error(err)
	}
}
