package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// memory is a store that holds its records in a map.
type memory struct {
	records map[string][]byte
	version uint64
}

func (m *memory) Get(key []byte) ([]byte, error) { return m.records[string(key)], nil }
func (m *memory) Version() uint64                { return m.version }
func (m *memory) Close() error                   { return nil }

func (m *memory) Commit(writes []record.Write) error {
	m.version++
	for _, w := range writes {
		if w.Value == nil {
			delete(m.records, string(w.Key))
			continue
		}
		m.records[string(w.Key)] = bytes.Clone(w.Value)
	}
	return nil
}

func (m *memory) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	for _, key := range slices.Sorted(maps.Keys(m.records)) {
		if !strings.HasPrefix(key, string(prefix)) || key < string(from) {
			continue
		}
		if more, err := visit([]byte(key), m.records[key]); !more || err != nil {
			return err
		}
	}
	return nil
}

// without returns a copy in which a record is missing.
func (m *memory) without(key string) *memory {
	records := maps.Clone(m.records)
	delete(records, key)
	return &memory{records, m.version}
}

// with returns a copy with one record more, or another one.
func (m *memory) with(key string, value []byte) *memory {
	records := maps.Clone(m.records)
	records[key] = value
	return &memory{records, m.version}
}

const (
	name  = "Ada-of-the-test"
	email = "ada@of-the-test.example"
)

// journal returns the records of a journal with a settled, a released and a lost lookup.
func journal(t *testing.T) *memory {
	t.Helper()
	m := &memory{records: map[string][]byte{}}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	j, err := checkpoint.New(m, checkpoint.Options{Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 100, Window: time.Minute}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for n, end := range []func(id attempt.ID) error{
		func(id attempt.ID) error {
			_, err := j.Settle(id, v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, WorkEmail: email}))
			return err
		},
		func(id attempt.ID) error { return j.Release(id, attempt.Release{Reason: "refused"}) },
		func(id attempt.ID) error { return j.MarkInDoubt(id, attempt.LostCall{Cause: "cut off"}) },
	} {
		who := enrich.Identity{FirstName: name, LastName: fmt.Sprint("number ", n), CompanyName: "Acme"}
		decision, err := j.Begin(attempt.Request{
			Lookup: enrich.Lookup{Identity: who, Fields: enrich.FieldsOf(v1.WorkEmail)},
			Run:    "run", Rates: cost.AllowancePerField(enrich.Named("work_email", "business_phone")).At(cost.Prices{v1.WorkEmail: 15 * cost.Cent}),
		})
		granted, ok := decision.(attempt.Granted)
		if !ok || err != nil {
			t.Fatalf("decision %T, error %v", decision, err)
		}
		ticket, err := granted.Ticket()
		if err = errors.Join(err, end(ticket.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return m
}

// check returns the problems of a journal and its summary.
func check(t *testing.T, m *memory) ([]string, verify.Summary) {
	t.Helper()
	var problems []string
	summary, err := verify.Check(m, v1.Catalogue(), nil, func(p verify.Problem) { problems = append(problems, p.Record+" "+p.Text) })
	if err != nil || int(summary.Problems) != len(problems) {
		t.Errorf("error %v; the summary counts %d problems of %d", err, summary.Problems, len(problems))
	}
	return problems, summary
}

func TestCheckSummarisesASoundJournal(t *testing.T) {
	problems, summary := check(t, journal(t))
	if len(problems) > 0 {
		t.Errorf("problems %q", problems)
	}
	if summary.Identities != 3 || summary.Totals.Settled.Money() != 15*cost.Cent || summary.Totals.Held.Money() != 15*cost.Cent || summary.Totals.Open != 1 {
		t.Errorf("%+v", summary)
	}
	for _, state := range []attempt.State{attempt.Settled, attempt.Released, attempt.InDoubt} {
		if summary.Attempts[state.String()] != 1 {
			t.Errorf("%d attempts are %s", summary.Attempts[state.String()], state)
		}
	}
}

// TestCheckFindsEveryMissingRecord takes each record that decisions are made on away.
func TestCheckFindsEveryMissingRecord(t *testing.T) {
	whole, taken := journal(t), 0
	for key := range whole.records {
		switch key[0] {
		case record.IntentPrefix, record.DoubtPrefix, record.ResolutionPrefix, record.OpenPrefix, record.FieldPrefix,
			record.TotalsPrefix, record.DayPrefix:
			taken++
			if problems, _ := check(t, whole.without(key)); len(problems) == 0 {
				t.Errorf("nobody misses the record %q", key)
			}
		}
	}
	if taken < 10 {
		t.Errorf("%d records are of the kinds that the test takes away", taken)
	}
}

func TestCheckFindsEverySuperfluousRecord(t *testing.T) {
	whole := journal(t)
	for what, key := range map[string]string{
		"an intent with a later ID":      string(record.IDKey(record.IntentPrefix, 9)),
		"a resolution without intent":    string(record.IDKey(record.ResolutionPrefix, 9)),
		"a mark at what is resolved":     string(record.IDKey(record.OpenPrefix, 1)),
		"a doubt that has no attempt":    string(record.IDKey(record.DoubtPrefix, 9)),
		"a record of an unknown kind":    "zebra",
		"a record that cannot be read":   string(record.StateKey),
		"a field that nothing decided":   string(record.FieldPrefix) + strings.Repeat("k", 16) + "\x00",
		"the totals of an unknown thing": string(record.NameKey(record.TotalsPrefix, "nothing")),
	} {
		if problems, _ := check(t, whole.with(key, []byte{0xff})); len(problems) == 0 {
			t.Errorf("%s is no problem", what)
		}
	}
}

func TestAStoreWithoutAJournalIsAProblem(t *testing.T) {
	problems, _ := check(t, &memory{records: map[string][]byte{}})
	if len(problems) != 1 || !strings.Contains(problems[0], "identity") {
		t.Errorf("problems %q, want that there is no identity", problems)
	}
}

// TestADumpMasksIdentitiesAndValuesUnlessAsked unless it is asked for, and the secret always.
func TestADumpMasksIdentitiesAndValuesUnlessAsked(t *testing.T) {
	m := journal(t)
	for _, values := range []bool{false, true} {
		var out bytes.Buffer
		var show verify.Show
		if values {
			show = func(_ string, answered enrich.Answered) (any, error) { return v1.DecodeAnswer(answered) }
		}
		if err := verify.Dump(m, nil, &out, show); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != len(m.records) {
			t.Errorf("%d lines for %d records", lines, len(m.records))
		}
		for _, text := range []string{name, email} {
			if shows := strings.Contains(out.String(), text); shows != values {
				t.Errorf("values %t: %s is in the dump: %t", values, text, shows)
			}
		}
		identity, _, err := record.Load[record.Journal](m, record.IdentityKey)
		if err != nil || len(identity.Secret) == 0 || bytes.Contains(out.Bytes(), identity.Secret) {
			t.Errorf("values %t: the secret is in the dump, or there is none; %v", values, err)
		}
	}
}

// TestADumpShowsTheUnitsOfAForfeitedCharge dumps the charge of a lost call. No answer says what the call used.
func TestADumpShowsTheUnitsOfAForfeitedCharge(t *testing.T) {
	m := journal(t)
	var used cost.Amounts
	used[2] = 3
	m.records["r\x00\x00\x00\x00\x00\x00\x00\x03"] = record.Encode(&attempt.Resolution{
		State: attempt.Forfeited, Charge: cost.Charge{Amounts: used, Paid: enrich.FieldsOf(v1.WorkEmail)},
	})
	var out bytes.Buffer
	if err := verify.Dump(m, nil, &out, nil); err != nil {
		t.Fatal(err)
	}
	if want := `"charge":{"amount":"0.00","paid":"work_email","units":[0,3]}`; !strings.Contains(out.String(), want) {
		t.Errorf("%s is not in the dump:\n%s", want, out.String())
	}
}

func TestADumpNamesWhatCannotBeRead(t *testing.T) {
	var out bytes.Buffer
	err := verify.Dump(journal(t).with("zebra", nil), nil, &out, nil)
	if !errors.Is(err, record.ErrCorrupt) || !strings.Contains(out.String(), `"zebra\"","problem":"is of no known kind"`) {
		t.Errorf("error %v of\n%s", err, out.String())
	}
}

func TestCheckAndDumpStopOnRequest(t *testing.T) {
	stop := errors.New("interrupted")
	m, records := journal(t), 0
	later := func() error {
		if records++; records > 3 {
			return stop
		}
		return nil
	}
	if _, err := verify.Check(m, v1.Catalogue(), later, func(verify.Problem) {}); !errors.Is(err, stop) {
		t.Errorf("Check ends with %v", err)
	}
	records = 0
	if err := verify.Dump(m, later, &bytes.Buffer{}, nil); !errors.Is(err, stop) {
		t.Errorf("Dump ends with %v", err)
	}
}
