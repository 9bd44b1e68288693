package output

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/io/listfile"
)

func listOf(t *testing.T, name, text string) *listfile.List {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := listfile.New(listfile.Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestLostValuesAreCounted(t *testing.T) {
	var many, fewer strings.Builder
	many.WriteString("id,email,phone\n")
	fewer.WriteString("phone,id,Email\n") // other places of the columns
	for i := range 20000 {
		fmt.Fprintf(&many, "%d,person%d@x.example,+1555%07d\n", i, i, i)
		email := fmt.Sprintf("person%d@x.example", i)
		if i%100 == 7 {
			email = ""
		}
		fmt.Fprintf(&fewer, "+1555%07d,%d,%s\n", i, i, email)
	}
	const small = "id,email\n1,a@x.example\n2,\n3,b@x.example\n"
	for _, c := range []struct {
		old, made string
		want      int64
	}{
		{small, small, 0},
		{small, "id,email\n3,b@x.example\n1,a@x.example\n4,c@x.example\n", 0},
		{small, "id,email\n1,a@x.example\n2,c@x.example\n3,\n", 1},
		{small, "id,note\n1,a@x.example\n2,\n3,b@x.example\n", 2},
		{"id,note\n1,x\n", small, 0},
		{"email\n=1\n'=2\n-A\n", "email\n'=1\n''=2\n'-A\n", 0}, // written raw, and as text
		{"email\n'=1\n", "email\n'=2\n", 1},
		{many.String(), fewer.String(), 200},
		{fewer.String(), many.String(), 0},
	} {
		for _, parts := range []uint64{1, 7} {
			comparison := newComparison([]string{"email", "phone"}, 1)
			comparison.parts = parts
			lost, err := comparison.lost(t.Context(), listOf(t, "old.csv", c.old), listOf(t, "new.csv", c.made))
			if lost != c.want || err != nil {
				t.Errorf("in %d parts %d values are lost, %v; want %d", parts, lost, err, c.want)
			}
		}
	}
}

func TestComparisonPartsGrowWithTheNumberOfRows(t *testing.T) {
	for rows, want := range map[int64]uint64{0: 1, 1 << 20: 1, 10_000_000: 2, 100_000_000: 12} {
		if c := newComparison([]string{"email", "phone"}, rows); c.parts != want {
			t.Errorf("%d rows are compared in %d parts, want %d", rows, c.parts, want)
		}
	}
}
