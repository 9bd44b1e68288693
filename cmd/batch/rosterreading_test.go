package main

import (
	"bytes"
	"os"
	"testing"
)

// TestAKeptRosterIsOfOneWayToReadTheList reads the same bytes in another encoding, in which
// some people have other names.
func TestAKeptRosterIsOfOneWayToReadTheList(t *testing.T) {
	t.Parallel()
	b := newRosterBench(t)
	read := func(encoding string) []byte {
		t.Helper()
		if stdout, stderr, code := b.try("write", "first", "-o", b.path("again.csv"), "--encoding", encoding); code != exitDone {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		output, err := os.ReadFile(b.path("again.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return output
	}
	for _, encoding := range []string{"windows-1252", "utf-8"} {
		got := read(encoding) // with the roster of the other one beside the journal
		b.forgetRosters()
		if want := read(encoding); !bytes.Equal(got, want) {
			t.Errorf("%s: the output with a roster beside the journal\n%s\nand without\n%s", encoding, got, want)
		}
	}
}
