package crm_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/enrich/fit"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/crm"
	"payonce/pipeline/output"
)

// row is a row of a list.
type row struct {
	number int64
	cells  []string
}

func (r row) Number() int64     { return r.number }
func (r row) Line() int64       { return r.number + 1 }
func (r row) Cell(i int) []byte { return []byte(r.cells[i]) }

// The columns of the lists of the tests.
const (
	idAt = iota
	modifiedAt
	emailAt
	phoneAt
	eventAt
)

// contact is a row with what was found for it.
type contact struct {
	id, email, phone       string // in the CRM
	event                  string
	first, last, website   string // that the row says
	name                   string // that the answer says
	foundEmail, foundPhone string
	phoneType              string
	differences            string
}

// review returns the review of a list, whose phones go to a column with this header.
func review(phoneHeader string, given bool, contacts ...contact) *crm.Review {
	r := &crm.Review{Run: "june", RecordID: "Record Id", Targets: []crm.Target{
		crm.TargetOf(columns.Email, emailAt, "Email"), crm.TargetOf(columns.Phone, phoneAt, phoneHeader),
	}}
	at := crm.Columns{Record: idAt, Modified: modifiedAt, Event: columns.None}
	if given {
		at.Event = eventAt
	}
	b := r.Build(given)
	for i, c := range contacts {
		line := row{int64(i) + 1, []string{c.id, "2026-11-01", c.email, c.phone, c.event}}
		found := &output.FoundRow{Row: line, Who: enrich.Identity{FirstName: c.first, LastName: c.last, CompanyDomain: c.website}}
		found.Says[enrich.PartFirstName], found.Says[enrich.PartLastName], found.Says[enrich.PartWebsite] = c.first, c.last, c.website
		for _, value := range []output.FoundValue{
			{Column: emailAt, Field: "work_email", Role: columns.Email, Value: c.foundEmail},
			{Column: phoneAt, Field: "business_phone", Role: columns.Phone, Value: c.foundPhone, About: map[string]string{"phone_type": c.phoneType}},
		} {
			value.Says[enrich.PartFullName], value.Fit = c.name, fit.Result{Differences: c.differences}
			if value.Value != "" {
				found.Values = append(found.Values, value)
			}
		}
		b.Add(r.ReadRow(found, at, line.Cell))
	}
	b.End()
	return r
}

// ann is a contact with all values found.
func ann(id string) contact {
	return contact{
		id: id, first: "Ann", last: "Lee", website: "https://www.acme.example", name: "Ann Lee",
		foundEmail: "ann@acme.example", foundPhone: "+49 30 1234567", phoneType: "direct",
	}
}

// approveAll approves every value that can be approved.
func approveAll(r *crm.Review) {
	for i := range r.Lines {
		_ = r.Lines[i].Decide(crm.Approve, crm.ByPerson) // refused for some
	}
}

// written returns the records that would be written, each with its values by header.
func written(r *crm.Review) map[string]map[string]string {
	records := map[string]map[string]string{}
	for _, batch := range r.Batches(false, func(*crm.Line) bool { return false }) {
		header, rows := r.Table(batch)
		for _, cells := range rows {
			records[cells[0]] = map[string]string{}
			for i, value := range cells[1:] {
				records[cells[0]][header[i+1]] = value
			}
		}
	}
	return records
}

// TestOnlyEmptyCellsAreWritten has every combination of what the CRM has.
func TestOnlyEmptyCellsAreWritten(t *testing.T) {
	both, email, phone, blank, placeholder, same := ann("1"), ann("2"), ann("3"), ann("4"), ann("5"), ann("6")
	email.email, phone.phone = "lee@acme.example", "+49 30 7654321"
	blank.email, placeholder.email, same.email = "  ", "n/a", "ANN@acme.example"
	r := review("Phone", false, both, email, phone, blank, placeholder, same)
	approveAll(r)
	all := map[string]string{"Email": "ann@acme.example", "Phone": "+49 30 1234567"}
	want := map[string]map[string]string{
		"1": all, "2": {"Phone": all["Phone"]}, "3": {"Email": all["Email"]}, "4": all, "5": {"Phone": all["Phone"]}, "6": {"Phone": all["Phone"]},
	}
	if diff := cmp.Diff(want, written(r)); diff != "" {
		t.Error(diff)
	}
	if count := r.Count(); count.Kept != 3 || count.Approved != 8 {
		t.Errorf("%+v", count)
	}
}

// TestNoPhoneGoesIntoAColumnOfMobileNumbers whatever the answer says of the phone.
func TestNoPhoneGoesIntoAColumnOfMobileNumbers(t *testing.T) {
	for _, kind := range []string{"", "unknown", "mobile", "direct"} {
		one := ann("1")
		one.phoneType = kind
		r := review("Mobile Phone", false, one)
		approveAll(r)
		if diff := cmp.Diff(map[string]map[string]string{"1": {"Email": "ann@acme.example"}}, written(r)); diff != "" {
			t.Errorf("phone_type %q: %s", kind, diff)
		}
		if err := r.Lines[1].Decide(crm.Approve, crm.ByPerson); err == nil || !strings.Contains(err.Error(), "mobile numbers") {
			t.Errorf("phone_type %q: the error is %v", kind, err)
		}
	}
}

// TestRecordsThatAreNotCertainAreNamedAndNotWritten has ids that are missing, that several rows have, and that a
// spreadsheet program rounded.
func TestRecordsThatAreNotCertainAreNamedAndNotWritten(t *testing.T) {
	r := review("Phone", false, ann("1"), ann(""), ann("2"), ann("2"), ann("4.15087E+18"), ann("2"), ann(" 3 "))
	approveAll(r)
	if got := slices.Sorted(mapKeys(written(r))); !slices.Equal(got, []string{"1", "3"}) {
		t.Errorf("records %q are written", got)
	}
	want := []crm.Unclear{
		{2, "", "the row has no record id"},
		{3, "2", "the rows 3, 4 and 1 more have the same record id"},
		{4, "2", "the rows 3, 4 and 1 more have the same record id"},
		{5, "4.15087E+18", "a spreadsheet program has rounded the record id"},
		{6, "2", "the rows 3, 4 and 1 more have the same record id"},
	}
	if diff := cmp.Diff(want, r.Unclear); diff != "" {
		t.Error(diff)
	}
}

// TestAnEventOfSeveralRowsIsNotWritten has ids of events that the caller gave.
func TestAnEventOfSeveralRowsIsNotWritten(t *testing.T) {
	one, two, three, none := ann("1"), ann("2"), ann("3"), ann("4")
	one.event, two.event, three.event = "e1", "e2", "e2"
	r := review("Phone", true, one, two, three, none)
	approveAll(r)
	if got := slices.Sorted(mapKeys(written(r))); !slices.Equal(got, []string{"1"}) {
		t.Errorf("records %q are written", got)
	}
	if len(r.Unclear) != 3 {
		t.Errorf("unclear are %+v", r.Unclear)
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// TestRulesApproveOnlyLinesWithoutAnObjection changes one thing at a time of a contact that both rules approve.
func TestRulesApproveOnlyLinesWithoutAnObjection(t *testing.T) {
	for name, test := range map[string]struct {
		change       func(*contact)
		email, phone bool
	}{
		"nothing":             {func(*contact) {}, true, true},
		"spelling":            {func(c *contact) { c.name = "ANN  LÉE" }, true, true},
		"a short form":        {func(c *contact) { c.first, c.name = "Robert", "Bob Lee" }, false, false},
		"another name":        {func(c *contact) { c.name = "Bob Ray" }, false, false},
		"no name":             {func(c *contact) { c.name = "" }, false, false},
		"a contradiction":     {func(c *contact) { c.differences = "company A in the list, B in the answer" }, false, false},
		"another domain":      {func(c *contact) { c.foundEmail = "ann@beta.example" }, false, true},
		"a similar domain":    {func(c *contact) { c.foundEmail = "ann@acme-group.example" }, false, true},
		"no domain":           {func(c *contact) { c.website = "" }, false, true},
		"a network":           {func(c *contact) { c.website = "https://www.linkedin.com/company/acme" }, false, true},
		"a private mailbox":   {func(c *contact) { c.website, c.foundEmail = "gmail.com", "ann@gmail.com" }, false, true},
		"a shared mailbox":    {func(c *contact) { c.foundEmail = "info@acme.example" }, false, true},
		"an unknown phone":    {func(c *contact) { c.phoneType = "unknown" }, true, false},
		"a phone of no kind":  {func(c *contact) { c.phoneType = "" }, true, false},
		"a mobile phone":      {func(c *contact) { c.phoneType = "mobile" }, true, false},
		"a subdomain":         {func(c *contact) { c.foundEmail = "ann@mail.acme.example" }, true, true},
		"a value in the CRM":  {func(c *contact) { c.email = "x@acme.example" }, false, true},
		"a phone in the CRM":  {func(c *contact) { c.phone = "1" }, true, false},
		"a record without id": {func(c *contact) { c.id = "" }, false, false},
	} {
		one := ann("1")
		test.change(&one)
		r := review("Phone", false, one)
		for _, rule := range crm.Rules() {
			r.Apply(rule)
		}
		var email, phone bool
		for _, line := range r.Lines {
			email = email || line.Field == "work_email" && line.Decision == crm.Approve && line.DecidedBy == "name-and-domain"
			phone = phone || line.Field == "business_phone" && line.Decision == crm.Approve && line.DecidedBy == "name-and-phone"
		}
		if email != test.email || phone != test.phone {
			t.Errorf("%s: email %t, phone %t; want %t, %t\n%+v", name, email, phone, test.email, test.phone, r.Lines)
		}
	}
}

// TestARuleDoesNotChangeAPersonsDecision that was made before.
func TestARuleDoesNotChangeAPersonsDecision(t *testing.T) {
	r := review("Phone", false, ann("1"))
	if err := r.Lines[0].Decide(crm.Reject, crm.ByPerson); err != nil {
		t.Fatal(err)
	}
	for _, rule := range crm.Rules() {
		r.Apply(rule)
	}
	if r.Lines[0].Decision != crm.Reject || r.Lines[0].DecidedBy != crm.ByPerson {
		t.Errorf("%+v", r.Lines[0])
	}
}

// TestAValueFoundForTwoRecordsIsApprovedForNeither has an email that was found twice, and one that the CRM has
// elsewhere.
func TestAValueFoundForTwoRecordsIsApprovedForNeither(t *testing.T) {
	held := contact{id: "3", phone: "(+49) 30-1234567"}
	other := ann("2")
	other.foundPhone = ""
	r := review("Phone", false, ann("1"), other, held)
	for i, want := range []string{"it was found for row 2, too", "row 3 has it in the CRM", "it was found for row 1, too"} {
		if !slices.Contains(r.Lines[i].Against, want) {
			t.Errorf("line %d: against is %q, want %q", i, r.Lines[i].Against, want)
		}
	}
	if decided := r.Apply(crm.Rules()[0]); len(decided) != 0 {
		t.Errorf("the lines %v are approved", decided)
	}
}

// edited returns a review as a file after some cells were changed, by line and column.
func edited(r *crm.Review, changes map[string]string) table.Reader {
	cells := r.Cells()
	for place, value := range changes {
		var line int
		var column string
		fmt.Sscanf(place, "%d %s", &line, &column)
		cells[line][slices.Index(crm.Header(), column)] = value
	}
	return table.NewMemory(crm.Header(), cells)
}

// TestDecisionsAreReadFromTheFile in any order of lines, without those that have no decision.
func TestDecisionsAreReadFromTheFile(t *testing.T) {
	r := review("Phone", false, ann("1"), ann("2"))
	cells := r.Cells()
	decision, by := slices.Index(crm.Header(), "decision"), slices.Index(crm.Header(), "decided_by")
	cells[0][decision], cells[3][decision], cells[2][decision] = " Approve ", "REJECT", "approve"
	cells[2][by] = "name-and-domain" // which does not hold: row 1 has the same email
	header := append([]string{"my notes"}, crm.Header()...)
	var lines [][]string
	for _, at := range []int{3, 0, 2} {
		lines = append(lines, append([]string{"note"}, cells[at]...))
	}
	lines = append(lines, make([]string, len(header))) // a blank line
	if err := r.ReadDecisions(t.Context(), table.NewMemory(header, lines)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []crm.Decision{crm.Approve, crm.Undecided, crm.Approve, crm.Reject} {
		if r.Lines[i].Decision != want || want != crm.Undecided && r.Lines[i].DecidedBy != crm.ByPerson {
			t.Errorf("line %d: %q by %q, want %q", i, r.Lines[i].Decision, r.Lines[i].DecidedBy, want)
		}
	}
}

// TestIDsSurviveAFile in each format, and in text that was converted to a workbook, where an apostrophe is a letter.
func TestIDsSurviveAFile(t *testing.T) {
	ids := []string{"'=9", "=9", "''=9", "'", "'a", "@x", "-1+2", "+49 30", "00017", "1e5", "'-x", "''"}
	for _, name := range []string{"review.csv", "review.tsv", "review.xlsx", "review.parquet", "review.json", "converted.xlsx", "raw.csv"} {
		var contacts []contact
		for _, id := range ids {
			contacts = append(contacts, ann(id))
		}
		r := review("Phone", false, contacts...)
		cells := r.Cells()
		decision := slices.Index(crm.Header(), "decision")
		for i := range cells {
			if cells[i][decision] = "approve"; i%3 == 0 {
				cells[i][decision] = "reject"
			}
			if name == "converted.xlsx" {
				table.EscapeFormulas(cells[i], false)
			}
		}
		path := filepath.Join(t.TempDir(), name)
		schema := table.Schema{Columns: crm.Header()}
		request := output.Request{Path: path, Raw: name == "raw.csv"}
		if _, err := output.WriteNew(t.Context(), request, table.NewMemory(schema.Columns, cells), output.Protection{Journal: noFiles{}}); err != nil {
			t.Fatal(err)
		}
		list, err := listfile.New(listfile.Options{}, path)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := list.Whole().Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.ReadDecisions(t.Context(), reader), reader.Close(), list.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range r.Lines {
			want := crm.Approve
			if i%3 == 0 {
				want = crm.Reject
			}
			if r.Lines[i].Decision != want {
				t.Errorf("%s: the record %q has the decision %q, want %q", name, r.Lines[i].Record, r.Lines[i].Decision, want)
			}
		}
	}
	// A row that somebody changed does not say which of two records is meant.
	r := review("Phone", false, ann("'=9"), ann("=9"))
	if err := r.ReadDecisions(t.Context(), edited(r, map[string]string{"0 row": "7"})); err == nil || !strings.Contains(err.Error(), "two records") {
		t.Errorf("the error is %v", err)
	}
}

// noFiles is a journal without files.
type noFiles struct{}

func (noFiles) File(string) (record.File, bool, error) { return record.File{}, false, nil }
func (noFiles) SaveFile(record.File) error             { return nil }

// TestADecisionOfARuleStaysThatOfTheRule when the file comes back unchanged.
func TestADecisionOfARuleStaysThatOfTheRule(t *testing.T) {
	r := review("Phone", false, ann("1"))
	r.Apply(crm.Rules()[0])
	if err := r.ReadDecisions(t.Context(), edited(r, nil)); err != nil {
		t.Fatal(err)
	}
	if r.Lines[0].Decision != crm.Approve || r.Lines[0].DecidedBy != "name-and-domain" {
		t.Errorf("%+v", r.Lines[0])
	}
}

// TestWrongEditsAreRefused with the row and the column.
func TestWrongEditsAreRefused(t *testing.T) {
	kept := ann("2")
	kept.email = "lee@acme.example"
	for name, test := range map[string]struct {
		changes map[string]string
		want    string
	}{
		"an unknown word":           {map[string]string{"0 decision": "yes"}, `row 1, column decision: "yes" is not a decision`},
		"another value":             {map[string]string{"0 value_found": "bob@acme.example"}, `row 1, column value_found: the review has "ann@acme.example" here now, and the file has "bob@acme.example"`},
		"another value in the CRM":  {map[string]string{"1 value_in_crm": "x"}, `row 2, column value_in_crm: the review has "" here now`},
		"another column":            {map[string]string{"0 crm_column": "Phone"}, "row 1, column crm_column:"},
		"an older state":            {map[string]string{"1 record_modified": "2025-01-01"}, "row 2, column record_modified:"},
		"another record":            {map[string]string{"0 record_id": "77"}, `row 1, column record_id: the run has no value of work_email for the record "77"`},
		"another run":               {map[string]string{"0 run": "july"}, `row 1, column run: the line is of the run "july"`},
		"one value twice":           {map[string]string{"1 field": "work_email", "1 crm_column": "Email", "1 value_found": "ann@acme.example"}, "row 2, column record_id: the row 1 is about the same value"},
		"a decision about kept":     {map[string]string{"2 decision": "approve"}, "row 3, column decision: nothing is decided about this value, because the CRM has another value"},
		"a number for a phone":      {map[string]string{"1 value_found": "49301234567"}, "row 2, column value_found:"},
		"a record as it is written": {map[string]string{"3 decision": "approve"}, ""},
	} {
		r := review("Phone", false, ann("1"), kept)
		err := r.ReadDecisions(t.Context(), edited(r, test.changes))
		if (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %s", name, err, test.want)
		}
	}
	r := review("Phone", false, ann("1"))
	err := r.ReadDecisions(t.Context(), table.NewMemory(crm.Header()[:11], nil))
	if err == nil || !strings.Contains(err.Error(), `no column "decision"`) {
		t.Errorf("the error is %v", err)
	}
	err = r.ReadDecisions(t.Context(), table.NewMemory(append(crm.Header(), "Decision "), nil))
	if err == nil || !strings.Contains(err.Error(), `two columns are called "decision"`) {
		t.Errorf("the error is %v", err)
	}
}

// TestBatchesHaveNoEmptyCells unless they are wanted: then all records are together.
func TestBatchesHaveNoEmptyCells(t *testing.T) {
	email, phone := ann("3"), ann("4")
	email.foundPhone, phone.foundEmail = "", ""
	r := review("Phone", false, ann("1"), email, phone, ann("2"))
	approveAll(r)
	leave := func(*crm.Line) bool { return false }
	batches := r.Batches(false, leave)
	if len(batches) != 3 || len(batches[0].Lines) != 2 || r.Name(batches[0]) != "email-phone" || r.Name(batches[1]) != "email" || r.Name(batches[2]) != "phone" {
		t.Errorf("%+v", batches)
	}
	for _, batch := range batches {
		if batch.Empty() != 0 {
			t.Errorf("%+v has empty cells", batch)
		}
	}
	batches = r.Batches(true, leave)
	if len(batches) != 1 || batches[0].Empty() != 2 || batches[0].Cells() != 6 {
		t.Errorf("%+v", batches)
	}
	header, rows := r.Table(batches[0])
	want := [][]string{
		{"1", "ann@acme.example", "+49 30 1234567"}, {"3", "ann@acme.example", ""}, {"4", "", "+49 30 1234567"}, {"2", "ann@acme.example", "+49 30 1234567"},
	}
	if !slices.Equal(header, []string{"Record Id", "Email", "Phone"}) || cmp.Diff(want, rows) != "" {
		t.Errorf("%q\n%s", header, cmp.Diff(want, rows))
	}
	none := r.Batches(false, func(*crm.Line) bool { return true })
	if header, rows := r.Table(none[0]); len(none) != 1 || len(rows) != 0 || !slices.Equal(header, []string{"Record Id"}) {
		t.Errorf("%+v", none)
	}
}
