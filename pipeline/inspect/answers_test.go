package inspect

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// TestOtherAccountsAreReadByTheirInterface has an answer of v2 and a call in doubt in a journal of v1. The
// dump, the ledger, the erasure of a person and reconcile name and read what is theirs.
func TestOtherAccountsAreReadByTheirInterface(t *testing.T) {
	t.Parallel()
	w := workspaceWithRun(t)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := &workspace.Session{Options: w.Workspace, Env: w.Env}
	check(s.OpenJournal(t.Context(), "test"))
	journal, err := registerSecond(s)
	check(err)
	begin := func(profile string) attempt.Ticket {
		t.Helper()
		decision, err := journal.Begin(attempt.Request{
			Lookup: enrich.Lookup{Identity: enrich.Identity{ProfileURL: profile}, Fields: enrich.FieldsOf(v2.FieldContact)},
			Run:    "second", Rates: cost.Rates{v2.FieldContact: {}},
		})
		check(err)
		granted, ok := decision.(attempt.Granted)
		if !ok {
			t.Fatalf("%#v", decision)
		}
		ticket, err := granted.Ticket()
		check(err)
		return ticket
	}
	answered, err := v2.ReadAnswer(v2.OpEnrichEmployeeProfile,
		[]byte(`{"id":"7","full_name":"Zoe Xu","email":"zoe@x.example","phone":"+15550123"}`), time.Now(), v2.Reveal{}, v2.Modules{}, enrich.Company{})
	check(err)
	_, err = journal.Settle(begin("https://pro.example/in/zoe").ID, answered)
	check(err)
	page, err := v2.ReadAnswer(v2.OpEnrichEmployeeSearch,
		[]byte(`{"total_employees":2,"total_pages":1,"data":[{"id":"8","name":"Bob Ray"},{"id":"7","first_name":"Zoe","last_name":"Xu","company":{"website":"x.example"}}]}`),
		time.Now(), v2.Reveal{}, v2.Modules{}, enrich.Company{})
	check(err)
	_, err = journal.Settle(begin("https://pro.example/in/a-page").ID, page)
	check(err)
	lost := begin("https://pro.example/in/abe").ID
	check(journal.MarkInDoubt(lost, attempt.LostCall{Cause: "lost"}))
	check(s.Close())

	var dump, ledger bytes.Buffer
	check(Dump(t.Context(), w, &dump, true))
	if !strings.Contains(dump.String(), `"body":{`) || !strings.Contains(dump.String(), `"zoe@x.example"`) {
		t.Errorf("the dump does not show the answer:\n%s", dump.String())
	}
	_, err = Ledger(t.Context(), w, Period{}, &ledger)
	check(err)
	if !strings.Contains(ledger.String(), `,settled,contact,"contact,email,phone",`) || !strings.Contains(ledger.String(), ",in_doubt,contact,") {
		t.Errorf("the ledger is\n%s", ledger.String())
	}

	stopped := errors.New("stopped")
	_, err = Forget(t.Context(), w, checkpoint.Person{Email: "zoe@x.example"}, confirming(func(found *report.Erasure) error {
		if len(found.Lookups) != 2 {
			t.Errorf("%d lookups of the person were found, want hers and a page of a search", len(found.Lookups))
		}
		return stopped
	}))
	if !errors.Is(err, stopped) {
		t.Errorf("error %v", err)
	}

	view, err := w.Reconcile(t.Context(), pipeline.ReconcileOptions{Assume: "not-charged", Attempts: []attempt.ID{lost}})
	check(err)
	if len(view.Cases) != 1 || view.Cases[0].Fields != "contact" || !view.Cases[0].Decided || view.InDoubt != 0 {
		t.Errorf("reconcile shows %+v", view.Cases)
	}

	erased, err := Forget(t.Context(), w, checkpoint.Person{Email: "zoe@x.example"}, confirming(func(*report.Erasure) error { return nil }))
	check(err)
	dump.Reset()
	check(Dump(t.Context(), w, &dump, true))
	if text := dump.String(); erased.Answers != 1 || erased.Mentions != 1 || strings.Contains(text, `"Zoe`) || !strings.Contains(text, "Bob Ray") {
		t.Errorf("%d answers and %d mentions were erased, and the dump is\n%s", erased.Answers, erased.Mentions, text)
	}
}

// shouting is the reader of an invented interface.
type shouting struct{}

func (shouting) Facts(answered enrich.Answered) (checkpoint.PersonFacts, error) {
	return checkpoint.PersonFacts{Name: strings.ToUpper(answered.Data)}, nil
}

func (s shouting) Export(answered enrich.Answered) (checkpoint.PersonFacts, string, error) {
	facts, err := s.Facts(answered)
	return facts, "loud", err
}

func (shouting) Show(answered enrich.Answered) (any, error) { return answered.Data + "!", nil }

// TestAnswersAreReadByTheReaderOfTheirInterface reads an answer of an added interface, and one of an unknown interface.
func TestAnswersAreReadByTheReaderOfTheirInterface(t *testing.T) {
	t.Parallel()
	read := answers(workspace.Options{}.AnswerReaders())
	read["third"] = shouting{}
	answered := enrich.Answered{Data: "ann"}
	for of, want := range map[string][3]string{"third": {"ANN", "loud", "ann!"}, "fourth": {"", "", "ann"}} {
		facts, err := read.facts(of, answered)
		exported, profile, exportErr := read.export(of, answered)
		shown, showErr := read.show(of, answered)
		if err := errors.Join(err, exportErr, showErr); err != nil || facts.Name != want[0] || exported.Name != want[0] || profile != want[1] || shown != want[2] {
			t.Errorf("%s: %+v, %+v, profile %q, shown as %v, error %v", of, facts, exported, profile, shown, err)
		}
	}
}
