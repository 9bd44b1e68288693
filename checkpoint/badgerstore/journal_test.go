package badgerstore

import (
	"errors"
	"fmt"
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

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// openJournal opens the journal in a directory.
func openJournal(dir string, options Options) (*checkpoint.Journal, error) {
	s, err := Open(dir, options)
	if err != nil {
		return nil, err
	}
	return checkpoint.New(s, checkpoint.Options{
		Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 1000, Window: time.Minute}, Now: func() time.Time { return start },
	})
}

// openDir opens the journal in a directory for a test.
func openDir(t *testing.T, dir string) *checkpoint.Journal {
	t.Helper()
	j, err := openJournal(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// checkJournal checks the closed journal in a directory.
func checkJournal(dir string, options Options, report func(verify.Problem)) (summary verify.Summary, err error) {
	s, err := OpenExisting(dir, options)
	if err != nil {
		return summary, err
	}
	summary, err = verify.Check(s, v1.Catalogue(), nil, report)
	return summary, errors.Join(err, s.Close())
}

// rewriteJournal makes a fresh store of the closed journal in a directory.
func rewriteJournal(dir string, options Options, key []byte) error {
	return Rewrite(dir, options, Copy{EncryptionKey: key, Verify: record.VerifyWhole})
}

func person(n int) enrich.Identity {
	return enrich.Identity{ProfileURL: fmt.Sprintf("https://pro-network.example/in/%d", n)}
}

// begin asks to look up the email of a person, and waits until the intent is durable.
func begin(j *checkpoint.Journal, who enrich.Identity) (attempt.Decision, attempt.Ticket, error) {
	decision, err := j.Begin(attempt.Request{
		Lookup: enrich.Lookup{Identity: who, Fields: enrich.FieldsOf(v1.WorkEmail)},
		Run:    "run", Rates: cost.AllowancePerField(enrich.Named("work_email", "business_phone")).At(cost.Prices{v1.WorkEmail: 15 * cost.Cent}),
	})
	granted, ok := decision.(attempt.Granted)
	if err != nil || !ok {
		return decision, attempt.Ticket{}, err
	}
	ticket, err := granted.Ticket()
	return decision, ticket, err
}

// settle looks up the email of a person and answers.
func settle(t *testing.T, j *checkpoint.Journal, who enrich.Identity, email string) {
	t.Helper()
	_, ticket, err := begin(j, who)
	if err == nil {
		_, err = j.Settle(ticket.ID, v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, WorkEmail: email}))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// answer settles lookups for persons from first up to, but not, end.
func answer(t *testing.T, j *checkpoint.Journal, first, end int) {
	t.Helper()
	for n := first; n < end; n++ {
		settle(t, j, person(n), fmt.Sprintf("p%d@b.example", n))
	}
}
