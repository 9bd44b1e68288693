package app

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
)

// v2In returns work with both interfaces of its own sandbox.
func v2In(dir string) *Work {
	w := workIn(dir)
	rate := checkpoint.Rate{Slots: 10_000, Window: time.Second}
	w.Workspace.V2.Rate, w.Workspace.V2.Kept, w.Workspace.V2.Timeout = rate, rate, time.Minute
	return w
}

// written returns the rows of a CSV file by the names of its columns.
func written2(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestContactsAndTheirCompanies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, out := filepath.Join(dir, "list.csv"), filepath.Join(dir, "out.csv")
	var text strings.Builder
	text.WriteString("First Name,Last Name,Company\n")
	for i := range 20 {
		fmt.Fprintf(&text, "Ann%d,Lee,Acme %d\n", i, i%4)
	}
	if err := os.WriteFile(list, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, err := v2In(dir).Run(t.Context(), RunOptions{
		List:   List{Names: []string{list}, Fields: []string{"contact", "company"}, Prefer: enrich.ByProfile, Memory: 1 << 20},
		Budget: Budget{MaxSpend: new(3 * cost.Dollar), Units: map[string]int64{"contacts": 100, "companies": 100, "email_count": 100, "phone_count": 100}},
		Pace: Pace{Concurrency: 4}, Output: Output{Path: out}, Yes: true,
	}, silent{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%+v\n", ended.Summary)
	b, _ := os.ReadFile(out)
	fmt.Println(string(b)[:3000])
}
