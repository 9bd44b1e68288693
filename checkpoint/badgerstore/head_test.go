package badgerstore

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAHeadOfAnEarlierVersionIsReadAndReplaced has a store as an earlier version left it after a crash. The first commit
// writes the form that earlier versions refuse, and in the same length.
func TestAHeadOfAnEarlierVersionIsReadAndReplaced(t *testing.T) {
	dir := t.TempDir()
	s := openFull(t, dir)
	commitValues(t, s, map[string]string{"a": "value"})
	killed := copyOf(t, dir)
	closeStore(t, s)
	path := filepath.Join(killed, headName)
	if err := os.WriteFile(path, []byte(earlierHeadText(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openFull(t, killed)
	checkValues(t, s, map[string]string{"a": "value"})
	commitValues(t, s, map[string]string{"b": "value"})
	text, err := os.ReadFile(path)
	if err != nil || string(text) != headText(2) || string(text) == earlierHeadText(2) {
		t.Errorf("the head is %q, error %v", text, err)
	}
	if len(headText(2)) != len(earlierHeadText(2)) {
		t.Errorf("%q and %q have different lengths", headText(2), earlierHeadText(2))
	}
	closeStore(t, s)
}
