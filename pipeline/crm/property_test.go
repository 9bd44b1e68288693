package crm_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/io/table"
	"payonce/pipeline/crm"
)

// TestNothingIsWrittenAgainstTheRules makes lists, reviews, edits of reviews and decisions at random. It compares what is
// written with the list itself: no cell that the CRM has a value for, no column of mobile numbers, nothing that nobody
// approved, no record that is not certain, no value that was not found, and no empty cell unless it is wanted.
func TestNothingIsWrittenAgainstTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inCRM := rapid.SampledFrom([]string{"", "", "", " ", "n/a", "-", "x@y.example", "+1 555", "0"})
		draw := rapid.Custom(func(t *rapid.T) contact {
			one := ann(rapid.SampledFrom([]string{"", "1", "2", "3", "4", "5", "6", "7", "8", "5.1E+11"}).Draw(t, "id"))
			one.email, one.phone = inCRM.Draw(t, "email"), inCRM.Draw(t, "phone")
			one.name = rapid.SampledFrom([]string{"Ann Lee", "", "Bob Ray"}).Draw(t, "name")
			one.foundEmail = rapid.SampledFrom([]string{"", "ann@acme.example", "lee@acme.example", "x@y.example", "info@acme.example"}).Draw(t, "found email")
			one.foundPhone = rapid.SampledFrom([]string{"", "+1 555", "+1 556", "=1+1"}).Draw(t, "found phone")
			one.phoneType = rapid.SampledFrom([]string{"", "unknown", "mobile", "direct"}).Draw(t, "type")
			return one
		})
		list := rapid.SliceOfN(draw, 0, 12).Draw(t, "list")
		header := rapid.SampledFrom([]string{"Phone", "Mobile", "Cell phone", "Telefon privat"}).Draw(t, "header")
		r := review(header, false, list...)
		decided := decide(t, r)
		empty := rapid.Bool().Draw(t, "empty cells")
		seen := map[string]bool{}
		for _, batch := range r.Batches(empty, func(*crm.Line) bool { return false }) {
			names, rows := r.Table(batch)
			for _, cells := range rows {
				record := cells[0]
				if seen[record] && !empty {
					t.Errorf("the record %q is written twice", record)
				}
				seen[record] = true
				isRecord := func(c contact) bool { return strings.TrimSpace(c.id) == record }
				at := slices.IndexFunc(list, isRecord)
				if record == "" || at < 0 || slices.ContainsFunc(list[at+1:], isRecord) || strings.Contains(record, "E+") {
					t.Errorf("the record %q is not certain", record)
					continue
				}
				for i, value := range cells[1:] {
					if value == "" {
						if !empty {
							t.Errorf("the record %q has an empty cell", record)
						}
						continue
					}
					was, found := list[at].email, list[at].foundEmail
					if names[i+1] != "Email" {
						was, found = list[at].phone, list[at].foundPhone
					}
					switch {
					case strings.TrimSpace(was) != "":
						t.Errorf("the record %q has %q in %s, and gets %q", record, was, names[i+1], value)
					case value != found:
						t.Errorf("the record %q gets %q, and %q was found", record, value, found)
					case names[i+1] != "Email" && names[i+1] != "Phone":
						t.Errorf("the column %s is written to", names[i+1])
					case !decided[record+" "+names[i+1]]:
						t.Errorf("the record %q gets %q, which nobody approved", record, value)
					}
				}
			}
		}
	})
}

// decide takes decisions by a file, by rules and one by one, in any order. It returns what was approved last, by record
// and column. A file that is refused changes nothing.
func decide(t *rapid.T, r *crm.Review) map[string]bool {
	last := make([]crm.Decision, len(r.Lines))
	words := rapid.SampledFrom([]string{"", "approve", " Approve", "reject", "approve", "yes"})
	for _, way := range rapid.SliceOfN(rapid.SampledFrom([]string{"file", "rule", "screen"}), 0, 4).Draw(t, "ways") {
		switch way {
		case "file":
			cells := r.Cells()
			read := make([]crm.Decision, len(cells))
			for i := range cells {
				word := ""
				if r.Lines[i].State == crm.Open || rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
					word = words.Draw(t, "word")
				}
				read[i] = crm.Decision(strings.ToLower(strings.TrimSpace(word)))
				cells[i][slices.Index(crm.Header(), "decision")] = word
				if rapid.IntRange(0, 19).Draw(t, "edits") == 0 {
					cells[i][rapid.IntRange(0, 7).Draw(t, "column")] = "x"
				}
			}
			if err := r.ReadDecisions(t.Context(), table.NewMemory(crm.Header(), cells)); err == nil {
				last = read
			}
		case "rule":
			for _, i := range r.Apply(rapid.SampledFrom(crm.Rules()).Draw(t, "rule")) {
				last[i] = crm.Approve
			}
		case "screen":
			for i := range r.Lines {
				d := rapid.SampledFrom([]crm.Decision{crm.Undecided, crm.Approve, crm.Reject}).Draw(t, "decision")
				if r.Lines[i].Decide(d, crm.ByPerson) == nil {
					last[i] = d
				}
			}
		}
	}
	approved := map[string]bool{}
	for i, d := range last {
		if d == crm.Approve {
			approved[r.Lines[i].Record+" "+r.Targets[r.Lines[i].Target].Header] = true
		}
	}
	return approved
}
