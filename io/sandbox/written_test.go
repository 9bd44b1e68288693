package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/io/service/v1"
)

// known returns a configuration in which everybody is known, with its ledger in a file.
func known(t *testing.T) Config {
	t.Helper()
	config := DefaultConfig()
	config.UnknownRate, config.MatchRates = 0, enrich.ByField[float64]{1, 1}
	config.LedgerPath = filepath.Join(t.TempDir(), "books")
	return config
}

func openOn(t *testing.T, config Config) *Server {
	t.Helper()
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// lookup returns a question by name and company.
func lookup(fields enrich.Fields, first string) question {
	id, reason := enrich.Contact{FirstName: first, LastName: "Tester", CompanyName: "Acme"}.Identify(enrich.ByName)
	if reason != "" {
		panic(reason)
	}
	return question{operation: v1.OperationOf(fields), identity: id, fields: fields}
}

// TestNothingIsChargedWhenTheLedgerCannotBeWritten: nothing is charged, shown or begun any more.
func TestNothingIsChargedWhenTheLedgerCannotBeWritten(t *testing.T) {
	s := openOn(t, known(t))
	q := lookup(v1.AllFields, "Ada")
	a := s.ledger.Arrive(LookupRequest{Path: q.path(), Key: ConfiguredKey, Identity: q.canonical(), Fields: q.fields})
	if err := s.ledger.Close(); err != nil { // as good as a full disk
		t.Fatal(err)
	}
	var r outcome
	s.perform(t.Context(), a.Number, q, 0, &r)
	if r.refusal == nil || r.refusal.code != ServiceMisconfigured {
		t.Errorf("reply %+v", r)
	}
	if r := s.ask(t.Context(), caller{ConfiguredKey, "rest"}, q, nil); r.refusal == nil || r.refusal.code != ServiceMisconfigured {
		t.Errorf("the next reply %+v", r)
	} else if text := r.refusal.message(); !strings.Contains(text, "the ledger is closed") {
		t.Errorf("the next reply says %q, and not why", text)
	}
	if ledger := s.Ledger(); len(ledger.Charges) != 0 || ledger.Reserved != 0 || s.Audit() != nil {
		t.Errorf("ledger %+v", ledger)
	}
}

func TestTheLedgerIsWrittenBeforeTheAnswer(t *testing.T) {
	config := known(t)
	s := openOn(t, config)
	r := s.ask(t.Context(), caller{ConfiguredKey, "rest"}, lookup(v1.AllFields, "Ada"), nil)
	text, err := os.ReadFile(config.LedgerPath)
	if err != nil || r.refusal != nil || !strings.Contains(string(text), r.result.RequestID) {
		t.Errorf("%v; the reply %+v is not in the ledger:\n%s", err, r, text)
	}
	if info, err := os.Stat(config.LedgerPath); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the ledger holds people's names: mode %v, %v", info.Mode(), err)
	}
}
