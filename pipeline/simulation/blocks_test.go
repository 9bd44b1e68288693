package simulation_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// cutList returns a list in blocks of that number of rows, and only the cells of the columns
// that it was opened for.
type cutList struct {
	csvList
	rows int
}

type cutReader struct {
	table.Reader
	rows    [][][]byte
	columns []int
	at, cut int
}

func (l cutList) Open(columns []int) (table.Reader, error) {
	reader, err := l.csvList.Open(columns)
	if err != nil {
		return nil, err
	}
	r := &cutReader{Reader: reader, columns: columns, cut: l.rows}
	width := len(reader.Schema().Columns)
	for {
		block, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err == nil {
			err = block.Each(func(row table.Row) error {
				cells := make([][]byte, width)
				for i := range cells {
					cells[i] = bytes.Clone(row.Cell(i))
				}
				r.rows = append(r.rows, cells)
				return nil
			})
			block.Release()
		}
		if err != nil {
			return nil, errors.Join(err, reader.Close())
		}
	}
}

func (r *cutReader) Next() (table.Block, error) {
	if r.at == len(r.rows) {
		return nil, io.EOF
	}
	end := min(r.at+r.cut, len(r.rows))
	block := &cutBlock{r, int64(r.at + 1), r.rows[r.at:end]}
	r.at = end
	return block, nil
}

type cutBlock struct {
	reader *cutReader
	first  int64
	rows   [][][]byte
}

func (b *cutBlock) First() int64 { return b.first }
func (b *cutBlock) Len() int     { return len(b.rows) }
func (b *cutBlock) Release()     { b.rows = nil }

func (b *cutBlock) Each(visit func(table.Row) error) error {
	for i, cells := range b.rows {
		if err := visit(cutRow{b, b.first + int64(i), cells}); err != nil {
			return err
		}
	}
	return nil
}

type cutRow struct {
	block  *cutBlock
	number int64
	cells  [][]byte
}

func (r cutRow) Number() int64 { return r.number }
func (r cutRow) Line() int64   { return r.number }

func (r cutRow) Cell(i int) []byte {
	if r.block.rows == nil || !slices.Contains(r.block.reader.columns, i) && r.block.reader.columns != nil {
		panic(fmt.Sprintf("column %d of a list opened for %v, block released: %v", i, r.block.reader.columns, r.block.rows == nil))
	}
	return r.cells[i]
}

// drawList draws a list of some people, who come more than once.
func drawList(t *rapid.T) csvList {
	var text strings.Builder
	text.WriteString("profile url,first name,email,phone,size\n")
	cell := rapid.SampledFrom([]string{"", "", "x"})
	profile := rapid.OneOf(rapid.Just(""), rapid.Just("no url"), rapid.Map(rapid.IntRange(1, 12), func(n int) string {
		return profiles + strings.Repeat("P", n%2) + strings.Repeat("p", 1-n%2) + fmt.Sprint(n/2)
	}))
	for range rapid.IntRange(0, 60).Draw(t, "rows") {
		fmt.Fprintf(&text, "%s,Ada,%s,%s,%d\n", profile.Draw(t, "profile"), cell.Draw(t, "email"), cell.Draw(t, "phone"), rapid.IntRange(0, 3).Draw(t, "size"))
	}
	return csvList(text.String())
}

// drawScope draws what is wanted of a list.
func drawScope(t *rapid.T, list csvList) scan.Scope {
	reader, err := list.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	reading, err := columns.Recognise(reader.Schema(), nil, columns.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scope := scan.Scope{Catalogue: v1.Catalogue(), Mapping: reading.Mapping, Wanted: enrich.Fields(rapid.IntRange(1, 3).Draw(t, "wanted")), Limit: rapid.Int64Range(0, 5).Draw(t, "limit")}
	if rapid.Bool().Draw(t, "priority") {
		scope.Priority = &scan.Priority{Column: 4, AtOnce: rapid.IntRange(1, 5).Draw(t, "at once")}
	}
	return scope
}

// drawWay draws how the same is done in another way: blocks of another size, and less
// memory.
func drawWay(t *rapid.T, list csvList, scope scan.Scope) (scan.List, scan.Scope) {
	scope.Memory = rapid.SampledFrom([]int64{0, 1, 5_000, 10_000}).Draw(t, "memory")
	return cutList{list, rapid.IntRange(1, 70).Draw(t, "rows of a block")}, scope
}

// TestTheParallelScanAgreesWithASimpleLoop compares the scan of blocks on all cores, in memory
// and in a temporary file, with a loop over the rows.
func TestTheParallelScanAgreesWithASimpleLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		scope, journal := drawScope(t, list), drawJournal(t)
		want, wantAsked := simpleScan(t, list, scope, journal)
		cut, scope := drawWay(t, list, scope)
		taken, err := scan.New(t.Context(), scope, cut, journal)
		if err != nil {
			t.Fatal(err)
		}
		got := taken.Count()
		got.Kinds = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("counts (-want +got):\n%s", diff)
		}
		var asked []string
		next, done := taken.Lookups(t.Context(), cut)
		defer done()
		for {
			lookup, err := next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			asked = append(asked, lookup.Identity.String()+": "+lookup.Fields.String())
		}
		if diff := cmp.Diff(wantAsked, asked); diff != "" {
			t.Fatalf("lookups (-want +got):\n%s", diff)
		}
	})
}

// scannedPerson is a person as the simple loop sees it.
type scannedPerson struct {
	identity enrich.Identity
	size     string
	wants    enrich.Fields
}

// simpleScan is what New, Count and Lookups mean.
func simpleScan(t *rapid.T, list csvList, scope scan.Scope, journal drawnJournal) (scan.Counts, []string) {
	counts := scan.Counts{Unidentifiable: map[enrich.Unidentifiable]int64{}, Lookups: cost.Workload{}}
	var people []*scannedPerson
	eachRow(t, list, func(cells []string) {
		counts.Rows++
		missing := missingOf(cells) & scope.Wanted
		identity, reason := contactOf(cells).Identify(scope.Prefer)
		switch {
		case missing == 0:
			counts.Filled++
			return
		case reason != "":
			counts.Unidentifiable[reason]++
			return
		}
		for _, p := range people {
			if p.identity.Canonical() == identity.Canonical() {
				counts.Duplicates++
				p.wants |= missing
				return
			}
		}
		people = append(people, &scannedPerson{identity, cells[4], missing})
	})
	if scope.Priority != nil {
		slices.SortStableFunc(people, func(a, b *scannedPerson) int { return strings.Compare(b.size, a.size) })
	}
	var asked []string
	for i, p := range people {
		record := journal.records[keyOf(p.identity)]
		ask, states := enrich.Fields(0), map[attempt.FieldState]bool{}
		for f := range p.wants.Each() {
			states[record.States[f]] = true
			if record.States[f] == attempt.Unasked {
				ask = ask.With(f)
			}
		}
		switch {
		case ask != 0 && scope.Limit > 0 && int64(i) >= scope.Limit:
			counts.Skipped++
		case ask != 0:
			counts.Lookup++
			counts.Lookups[ask]++
			for f := range ask.Each() {
				counts.Asked[f]++
			}
			asked = append(asked, p.identity.String()+": "+ask.String())
		case states[attempt.OutcomeUnknown]:
			counts.InDoubt++
		case states[attempt.PaidAndGone]:
			counts.Forfeited++
		case states[attempt.Rejected]:
			counts.Rejected++
		case states[attempt.Forgotten]:
			counts.Forgotten++
		default:
			counts.Answered++
		}
	}
	return counts, asked
}

func contactOf(cells []string) enrich.Contact {
	return enrich.Contact{ProfileURL: cells[0], FirstName: cells[1]}
}

func missingOf(cells []string) enrich.Fields {
	var missing enrich.Fields
	for f, cell := range cells[2:4] {
		if cell == "" {
			missing = missing.With(enrich.Field(f))
		}
	}
	return missing
}

func eachRow(t rapid.TB, list csvList, visit func(cells []string)) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSuffix(string(list), "\n"), "\n")[1:] {
		visit(strings.Split(line, ","))
	}
}

// TestAnOutputDoesNotDependOnTheBlockSize compares outputs of blocks of any size, in memory and in
// a temporary file, with that of one block.
func TestAnOutputDoesNotDependOnTheBlockSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: drawScope(t, list), Run: "run", Stopped: "ceiling:max-spend"}
		journal := withWide(t, drawJournal(t))
		want, wantRejects, wantRows := outputOf(t, cutList{list, 1000}, output, journal)
		cut, scope := drawWay(t, list, output.Scope)
		output.Scope = scope
		got, rejects, rows := outputOf(t, cut, output, journal)
		if diff := cmp.Diff([]string{want, wantRejects}, []string{got, rejects}); diff != "" {
			t.Fatalf("output and rejects (-one block +cut):\n%s", diff)
		}
		if diff := cmp.Diff(wantRows, rows); diff != "" {
			t.Fatalf("rows by outcome (-one block +cut):\n%s", diff)
		}
		checkFirsts(t, list, output.Scope, got)
	})
}

// checkFirsts checks that every duplicate names the first row of its person.
func checkFirsts(t *rapid.T, list csvList, scope scan.Scope, output string) {
	firsts := map[string]int{}
	lines := strings.Split(output, "\n")
	row := 0
	eachRow(t, list, func(cells []string) {
		row++
		identity, reason := contactOf(cells).Identify(scope.Prefer)
		if missingOf(cells)&scope.Wanted == 0 || reason != "" {
			return
		}
		first, isDuplicate := firsts[identity.Canonical()]
		if !isDuplicate {
			firsts[identity.Canonical()] = row
		}
		if says := strings.Contains(lines[row], "same person as row"); says != isDuplicate || isDuplicate && !strings.Contains(lines[row], fmt.Sprintf("same person as row %d", first)) {
			t.Fatalf("row %d became %q; its first row is %d", row, lines[row], first)
		}
	})
}

func outputOf(t *rapid.T, list scan.List, output output.Output, journal answering) (text, rejects string, rows map[scan.Status]int64) {
	reader, err := list.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var out, rejected bytes.Buffer
	writer := csvtable.NewEncoder(&out, csvtable.Dialect{}, reader.Schema(), output.Columns(reader.Schema()))
	rejecter := csvtable.NewEncoder(&rejected, csvtable.Dialect{}, reader.Schema(), []table.Column{{Name: "reject_reason"}})
	rows, err = callAndWrite(t.Context(), output, allColumns{list}, journal, writer, rejecter)
	if err := errors.Join(err, writer.Close(), rejecter.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String(), rejected.String(), rows
}

// allColumns opens every column of a list, as it must when it is written in another
// format.
type allColumns struct{ scan.List }

func (l allColumns) Open([]int) (table.Reader, error) { return l.List.Open(nil) }

// drawnAnswers has an answer, or none, for every person that something is known of.
type drawnAnswers struct{ drawnJournal }

func (d drawnAnswers) RecordOf(key enrich.Key, fields enrich.Fields) (attempt.Record, error) {
	record := d.records[key]
	for f, state := range record.States {
		if state != attempt.Unasked && state != attempt.Forgotten {
			record.Attempts[f] = attempt.ID(key[0])<<8 | attempt.ID(int(state)*2+f)
		}
	}
	return only(record, fields), nil
}

func (d drawnAnswers) Records(first, last enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	return d.drawnJournal.Records(first, last, func(key enrich.Key, _ func() (attempt.Record, error)) error {
		return visit(key, func() (attempt.Record, error) { return d.RecordOf(key, enrich.PossibleFields) })
	})
}

func (d drawnAnswers) Recall(_ int64, who bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		for i, id := range ids {
			if i > 0 && ids[i-1] >= id {
				return known, fmt.Errorf("attempts %v do not ascend", ids)
			}
			var about enrich.Identity
			for _, name := range names(3) {
				if who && keyOf(identity(name))[0] == byte(id>>8) {
					about = identity(name)
				}
			}
			known = append(known, attempt.Outcome{ID: id, Who: about, Ended: resolutionOf(id), Doubt: doubtOf(id)})
		}
		return known, nil
	}
}

func resolutionOf(id attempt.ID) attempt.Resolution {
	switch state := attempt.FieldState(id & 0xff / 2); state {
	case attempt.Found, attempt.Missing:
		answer := v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, FullName: "Ada", WorkEmail: "ada@co.example", BusinessPhone: "+1", RequestID: fmt.Sprint("req-", id)})
		run := []string{"run", "another"}[id%2]
		return attempt.Resolution{
			State: attempt.Settled, Run: run, Charge: cost.Charge{Amounts: cost.OfMoney(cost.Cent)},
			Status: answer.Status, Returned: answer.Returned, Data: answer.Data, RequestID: answer.RequestID,
		}
	case attempt.OutcomeUnknown:
		return attempt.Resolution{}
	default:
		return attempt.Resolution{State: attempt.Forfeited, Run: "run", Reason: fmt.Sprint("state ", state)}
	}
}

func doubtOf(id attempt.ID) string {
	if attempt.FieldState(id&0xff/2) == attempt.OutcomeUnknown {
		return "connection reset"
	}
	return ""
}

// withWide gives some people of a journal earlier attempts: more than an index can pack.
func withWide(t *rapid.T, journal drawnJournal) wideAnswers {
	wide := map[enrich.Key]bool{}
	for key := range journal.records {
		wide[key] = rapid.IntRange(0, 9).Draw(t, "wide") == 0
	}
	return wideAnswers{drawnAnswers{journal}, wide}
}

// wideAnswers knows of earlier attempts for some people.
type wideAnswers struct {
	drawnAnswers
	wide map[enrich.Key]bool
}

func (w wideAnswers) RecordOf(key enrich.Key, fields enrich.Fields) (attempt.Record, error) {
	record, err := w.drawnAnswers.RecordOf(key, fields)
	if w.wide[key] {
		record.Earlier[0] = []attempt.ID{record.Attempts[0] | 1<<20}
	}
	return record, err
}

func (w wideAnswers) Records(first, last enrich.Key, visit func(enrich.Key, func() (attempt.Record, error)) error) error {
	return w.drawnJournal.Records(first, last, func(key enrich.Key, _ func() (attempt.Record, error)) error {
		return visit(key, func() (attempt.Record, error) { return w.RecordOf(key, enrich.PossibleFields) })
	})
}

// mixedUp says of every attempt that it was about somebody else.
type mixedUp struct{ drawnAnswers }

func (m mixedUp) Recall(memory int64, who bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	recall := m.drawnAnswers.Recall(memory, who)
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		known, err := recall(ids, known)
		for i := range known {
			if who {
				known[i].Who = identity("somebody-else")
			}
		}
		return known, err
	}
}

func TestAnAnswerAboutAnotherPersonIsAnErrorAndNotWritten(t *testing.T) {
	list := profileList("p1")
	journal := drawnAnswers{drawnJournal{blank{}, map[enrich.Key]attempt.Record{
		keyOf(identity("p1")): {States: enrich.ByField[attempt.FieldState]{attempt.Found, attempt.Found}},
	}}}
	made := output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, v1.AllFields), Run: "run"}
	reader, err := list.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for title, answers := range map[string]answering{"as it is": journal, "mixed up": mixedUp{journal}} {
		var out bytes.Buffer
		writer := csvtable.NewEncoder(&out, csvtable.Dialect{}, reader.Schema(), made.Columns(reader.Schema()))
		_, err := callAndWrite(t.Context(), made, list, answers, writer, nil)
		if err := errors.Join(err, writer.Close()); errors.Is(err, attempt.ErrCollision) != (title == "mixed up") {
			t.Errorf("%s: error %v", title, err)
		}
		if title == "mixed up" && strings.Contains(out.String(), "ada@co.example") {
			t.Errorf("somebody else's data are in the output:\n%s", out.String())
		}
	}
}
