package simulation_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/service/v1"
	"payonce/io/table"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// written is an output.
type written struct {
	text, rejects string
	rows          map[scan.Status]int64
}

// column returns a column of the output.
func (w written) column(t *testing.T, name string) []string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(w.text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for i, header := range rows[0] {
		if header != name {
			continue
		}
		for _, row := range rows[1:] {
			cells = append(cells, row[i])
		}
	}
	return cells
}

// want compares a column of the output.
func (w written) want(t *testing.T, column string, cells ...string) {
	t.Helper()
	if diff := cmp.Diff(cells, w.column(t, column)); diff != "" {
		t.Errorf("column %s (-want +got):\n%s", column, diff)
	}
}

// write writes a list as the run sees it now.
func (r *rig) write(list csvList, wanted enrich.Fields) written {
	r.t.Helper()
	return r.writeAs(list, output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(r.t, wanted), Run: "run"}, r.journal)
}

func (r *rig) writeAs(list csvList, output output.Output, journal answering) written {
	r.t.Helper()
	reader, err := csvtable.NewReader(strings.NewReader(string(list)), "list.csv", csvtable.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	var text, rejects bytes.Buffer
	out := csvtable.NewWriter(&text, reader, output.Columns(reader.Schema()))
	rejected := csvtable.NewWriter(&rejects, reader, []table.Column{{Name: "reject_reason"}})
	rows, err := callAndWrite(r.t.Context(), output, list, journal, out, rejected)
	if err := errors.Join(err, out.Close(), rejected.Close()); err != nil {
		r.t.Fatal(err)
	}
	return written{text.String(), rejects.String(), rows}
}

// answering is a journal that a scan and an output ask.
type answering interface {
	scan.Recorder
	output.OutputAnswers
}

// callAndWrite calls the roll of a list and writes an output with it, as a command does.
func callAndWrite(ctx context.Context, output output.Output, list scan.List, answers answering, out, rejects table.Writer) (map[scan.Status]int64, error) {
	index, err := scan.NewIndex(ctx, output.Scope, list, answers)
	if err != nil {
		return nil, err
	}
	rows, err := output.Write(ctx, list, index, answers, out, rejects)
	return rows, errors.Join(err, index.Close())
}

// everyOutcome is a script by which the people end in every way there is.
func everyOutcome(c call) reply {
	switch c.who {
	case "matched":
		return answers(0)
	case "partial":
		return answersWith(0, email)
	case "nothing":
		return answersWith(0, 0)
	case "unknown":
		return reply{verdict: v1.EncodeAnswer(v1.Answer{Status: enrich.NotFound, RequestID: "req-0"})}
	case "rejected":
		return refuses(0, enrich.InvalidInput, "invalid_identifiers")
	case "forfeited":
		return loses(0, v1.AllFields)
	default:
		return loses(0, 0)
	}
}

func lookupsOf(fields enrich.Fields, names ...string) []enrich.Lookup {
	var lookups []enrich.Lookup
	for _, name := range names {
		lookups = append(lookups, enrich.Lookup{Identity: identity(name), Fields: fields})
	}
	return lookups
}

// leaveInDoubt loses a lookup and interrupts the run before the account is asked.
func (r *rig) leaveInDoubt(lookups []enrich.Lookup) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
	defer cancel()
	if o := r.runWith(ctx, lookups); o.tally.InDoubt != 1 {
		r.t.Fatalf("tally %+v, want one in doubt", o.tally)
	}
}

func TestEveryRowHasItsStatusAndReason(t *testing.T) {
	withRig(t, everyOutcome, func(t *testing.T, r *rig) {
		r.run(lookupsOf(v1.AllFields, "matched", "partial", "nothing", "unknown", "rejected", "forfeited"))
		r.leaveInDoubt(lookupsOf(v1.AllFields, "doubted"))
		list := csvList(`profile url,email,phone
https://pro.example/in/matched,,
https://pro.example/in/partial,,
https://pro.example/in/nothing,,
https://pro.example/in/unknown,,
https://pro.example/in/rejected,,
https://pro.example/in/forfeited,,
https://pro.example/in/doubted,,
https://pro.example/in/later,,
https://pro.example/in/filled,a@co.example,1
https://pro.example/in/partial,a@co.example,
no url,,
`)
		want := []struct {
			status scan.Status
			reason string
		}{
			{scan.StatusMatched, ""},
			{scan.StatusPartial, "business_phone not found"},
			{scan.StatusNotFound, "person known, work_email,business_phone not found"},
			{scan.StatusNotFound, "person unknown"},
			{scan.StatusRejected, "invalid_identifiers"},
			{scan.StatusForfeited, "response lost, charged: the account shows it"},
			{scan.StatusInDoubt, "connection reset"},
			{scan.StatusNotAttempted, "ceiling:max-spend"},
			{scan.StatusFilled, ""},
			{scan.StatusDuplicate, "same person as row 2"},
			{scan.StatusUnidentifiable, string(enrich.BadProfileURL)},
		}
		w := r.writeAs(list, output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, v1.AllFields), Run: "run", Stopped: "ceiling:max-spend"}, r.journal)
		var statuses, reasons []string
		counts := map[scan.Status]int64{}
		for _, row := range want {
			statuses, reasons = append(statuses, string(row.status)), append(reasons, row.reason)
			counts[row.status]++
		}
		w.want(t, "enrich_status", statuses...)
		w.want(t, "enrich_reason", reasons...)
		if diff := cmp.Diff(counts, w.rows); diff != "" {
			t.Errorf("rows by outcome (-want +got):\n%s", diff)
		}
	})
}

// TestARowShowsTheFieldThatMayStillChange has rows whose two fields ended differently.
func TestARowShowsTheFieldThatMayStillChange(t *testing.T) {
	state := func(email, phone attempt.FieldState) enrich.ByField[attempt.FieldState] {
		return enrich.ByField[attempt.FieldState]{v1.WorkEmail: email, v1.BusinessPhone: phone}
	}
	tests := map[string]struct {
		states enrich.ByField[attempt.FieldState]
		want   scan.Status
	}{
		"doubted before forfeited":      {state(attempt.PaidAndGone, attempt.OutcomeUnknown), scan.StatusInDoubt},
		"doubted before found":          {state(attempt.OutcomeUnknown, attempt.Found), scan.StatusInDoubt},
		"forfeited before rejected":     {state(attempt.Rejected, attempt.PaidAndGone), scan.StatusForfeited},
		"rejected before not attempted": {state(attempt.Unasked, attempt.Rejected), scan.StatusRejected},
		"found and not attempted":       {state(attempt.Found, attempt.Unasked), scan.StatusPartial},
		"missing and not attempted":     {state(attempt.Missing, attempt.Unasked), scan.StatusNotFound},
		"nothing attempted":             {state(attempt.Unasked, attempt.Unasked), scan.StatusNotAttempted},
		"forgotten":                     {state(attempt.Forgotten, attempt.Found), scan.StatusNotAttempted},
		"found and missing":             {state(attempt.Found, attempt.Missing), scan.StatusPartial},
		"both found":                    {state(attempt.Found, attempt.Found), scan.StatusMatched},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			withRig(t, everyOutcome, func(t *testing.T, r *rig) {
				list := profileList("p1")
				output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, v1.AllFields), Run: "run"}
				w := r.writeAs(list, output, givenStates{r.journal, test.states})
				w.want(t, "enrich_status", string(test.want))
			})
		})
	}
}

// givenStates is a journal in which every field has a given state.
type givenStates struct {
	answering
	states enrich.ByField[attempt.FieldState]
}

func (givenStates) People() int64 { return 1000 }

func (s givenStates) RecordOf(_ enrich.Key, fields enrich.Fields) (attempt.Record, error) {
	return only(attempt.Record{States: s.states}, fields), nil
}

func TestOnlyEmptyCellsAreFilledAndNoOtherByteChanges(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.run(people(3, v1.AllFields))
		list := csvList("\uFEFF\"Profile URL\";Mobile;\"E-Mail\"; Note ;Phone\r\n" +
			"https://pro.example/in/p1;;;\"a \"\"b\"\"; c\";\r\n" +
			"\r\n" +
			"https://pro.example/in/p2;+1;\"own@co.example\";  x;  \r\n" +
			"\"https://pro.example/in/p3\";;\"\";\"two\nlines\";\"+49 30 1\"\r\n")
		want := "\uFEFF\"Profile URL\";Mobile;\"E-Mail\"; Note ;Phone;full_name;phone_type;enrich_status;enrich_reason;" +
			"enrich_charge_usd;enrich_request_id;enrich_retrieved_at;enrich_provenance;enrich_confidence\r\n" +
			"https://pro.example/in/p1;;ada@co.example;\"a \"\"b\"\"; c\";+1 555 0100;Ada Example;office;matched;;0.40;req-1;;;low\r\n" +
			"\r\n" +
			"https://pro.example/in/p2;+1;\"own@co.example\";  x;+1 555 0100;Ada Example;office;matched;;0.40;req-1;;;low\r\n" +
			"\"https://pro.example/in/p3\";;\"ada@co.example\";\"two\nlines\";\"+49 30 1\";Ada Example;;matched;;0.40;req-1;;;low\r\n"
		if diff := cmp.Diff(want, r.write(list, v1.AllFields).text); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
	})
}

func TestAnEmptyAnswerClearsNoCell(t *testing.T) {
	withRig(t, everyOutcome, func(t *testing.T, r *rig) {
		r.run(lookupsOf(v1.AllFields, "unknown"))
		list := csvList("profile url,email,phone\nhttps://pro.example/in/unknown, ,1\n")
		w := r.write(list, v1.AllFields)
		if row := strings.Split(w.text, "\n")[1]; !strings.HasPrefix(row, "https://pro.example/in/unknown, ,1,") {
			t.Errorf("the row became %q; its blank and its phone are its own", row)
		}
	})
}

func TestAppendedColumnsAreReusedInALaterOutput(t *testing.T) {
	results := []string{
		"full_name", "phone_type", "enrich_status", "enrich_reason",
		"enrich_charge_usd", "enrich_request_id", "enrich_retrieved_at", "enrich_provenance", "enrich_confidence",
	}
	renamed := func(old, replacement string) []string {
		names := strings.Join(results, " ")
		return strings.Fields(strings.Replace(names, old, replacement, 1))
	}
	tests := map[string]struct {
		header    string
		overrides []string
		wanted    enrich.Fields
		want      []string
	}{
		"both fields have columns":  {"profile url,email,phone", nil, v1.AllFields, results},
		"no column for either":      {"profile url", nil, v1.AllFields, append([]string{"work_email", "business_phone"}, results...)},
		"no column for the phone":   {"profile url,email", nil, v1.AllFields, append([]string{"business_phone"}, results...)},
		"the phone is not wanted":   {"profile url,email", nil, email, results},
		"a mobile column is none":   {"profile url,email,mobile", nil, v1.AllFields, append([]string{"business_phone"}, results...)},
		"a name that is taken":      {"profile url,email,enrich_status", nil, email, renamed("enrich_status", "enrich_status_2")},
		"taken in another case":     {"profile url,email,Full_Name", nil, email, renamed("full_name", "full_name_2")},
		"taken with its number too": {"profile url,email,enrich_reason,enrich_reason_2", nil, email, renamed("enrich_reason", "enrich_reason_3")},
		"taken by an unused column": {"profile url,work_email", []string{"email="}, email, append([]string{"work_email_2"}, results...)},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			schema := table.Schema{Columns: strings.Split(test.header, ",")}
			output := output.Output{Decoder: new(v1.AnswerDecoder), Scope: scan.Scope{Catalogue: v1.Catalogue(), Mapping: mapColumns(t, schema.Columns, test.overrides...), Wanted: test.wanted}}
			var names []string
			for _, column := range output.Columns(schema) {
				names = append(names, column.Name)
			}
			if diff := cmp.Diff(test.want, names); diff != "" {
				t.Errorf("appended (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnOutputEnrichedAgainKeepsItsColumns writes the output of an output.
func TestAnOutputEnrichedAgainKeepsItsColumns(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.run(people(1, email))
		first := r.write(profileList("p1"), email)
		second := r.write(csvList(first.text), email)
		second.want(t, "enrich_status", "matched")
		second.want(t, "enrich_status_2", "filled")
		second.want(t, "work_email", "ada@co.example")
	})
}

func TestRejectsHoldTheRowsThatCannotBeLookedUp(t *testing.T) {
	withRig(t, everyOutcome, func(t *testing.T, r *rig) {
		r.run(lookupsOf(email, "matched", "rejected"))
		w := r.write("profile url,note\n"+
			"https://pro.example/in/matched,\"a\"\n"+
			"https://pro.example/in/rejected, b \n"+
			"no url,\"c \"\"d\"\"\"\n"+
			"https://pro.example/in/later,e\n", email)
		want := "profile url,note,reject_reason\n" +
			"https://pro.example/in/rejected, b ,invalid_identifiers\n" +
			"no url,\"c \"\"d\"\"\"," + string(enrich.BadProfileURL) + "\n"
		if diff := cmp.Diff(want, w.rejects); diff != "" {
			t.Errorf("rejects (-want +got):\n%s", diff)
		}
	})
}

func TestTheOutputIsTheSameHoweverOftenTheRunWasInterrupted(t *testing.T) {
	list := profileList(names(12)...)
	var whole string
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		r.run(people(12, email))
		whole = r.write(list, email).text
	})
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		for range 6 {
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			if o := r.runWith(ctx, people(12, email)); o.err != nil {
				t.Fatal(o.err)
			}
			cancel()
			r.open()
		}
		if diff := cmp.Diff(whole, r.write(list, email).text); diff != "" {
			t.Errorf("output of a resumed run (-whole +resumed):\n%s", diff)
		}
	})
}
