package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestALimitWithAPriorityKeepsTheSameRowsAtEveryStart limits a list in which several rows turn out to be one company.
// The rows with the largest scores go through all steps, also where a row of the same company that is not among them
// comes before. Later starts ask for nothing.
func TestALimitWithAPriorityKeepsTheSameRowsAtEveryStart(t *testing.T) {
	t.Parallel()
	text := "Website,Country,Registration number,Score\n" +
		",GB,00001016,1\n" + // the company of the next row
		"ember-logistics-2.example,,,9\n" +
		"falcon-logistics-2.example,,,7\n" +
		",DE,HRB001022,8\n" + // the company of the row before
		"granite-logistics-2.example,,,6\n" +
		"harbor-logistics-2.example,,,5\n"
	for _, c := range []struct {
		fields []string
		limit  int64
		posts  int64
		want   []string // the names in the rows
	}{
		{[]string{"company"}, 1, 1, []string{"Ember Logistics 2", "Ember Logistics 2", "", "", "", ""}},
		{[]string{"company", "financials"}, 1, 2, []string{"Ember Logistics 2", "Ember Logistics 2", "", "", "", ""}},
		{[]string{"company", "financials"}, 3, 4, []string{
			"Ember Logistics 2", "Ember Logistics 2", "Falcon Logistics 2", "Falcon Logistics 2", "", "",
		}},
	} {
		dir := t.TempDir()
		list := filepath.Join(dir, "list.csv")
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := runOf(list, c.fields...)
		o.List.Limit, o.List.Priority, o.Pace.Concurrency = c.limit, "Score", 1
		for start, posts := range []int64{c.posts, 0, 0} {
			ended, err := bothIn(dir).Run(t.Context(), o, silent{})
			if err != nil {
				t.Fatal(err)
			}
			if ended.Summary.Posts != posts {
				t.Errorf("%v, limit %d, start %d: %d requests, want %d", c.fields, c.limit, start+1, ended.Summary.Posts, posts)
			}
			var names []string
			for _, row := range cells(t, o.Output.Path) {
				names = append(names, row["company_name"])
				if len(c.fields) > 1 && (row["company_name"] == "") != (row["financials_year"] == "") {
					t.Errorf("%v, limit %d, start %d: figures of %q", c.fields, c.limit, start+1, row["financials_year"])
				}
			}
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("%v, limit %d, start %d (-want +got):\n%s", c.fields, c.limit, start+1, diff)
			}
		}
	}
}
