package checkpoint

import (
	"context"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/ledgertest"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

// withRoles creates the tables and the roles as the docs say, and a user "runner" of the role for runs.
func withRoles(t *testing.T) (server, runner *iotest.PostgresServer) {
	t.Helper()
	docs, err := os.ReadFile("../docs/shared.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(docs), "\n## Roles\n")
	_, section, _ = strings.Cut(section, "```sql\n")
	statements, _, found := strings.Cut(section, "```")
	if !found {
		t.Fatal("the docs have no statements that create roles")
	}
	server = iotest.StartPostgres(t, "fsync=on")
	if err := openPostgres(t, server, "first").Close(); err != nil {
		t.Fatal(err)
	}
	server.Exec(statements + "CREATE ROLE runner LOGIN PASSWORD '" + iotest.PostgresPassword + "' IN ROLE payonce_run")
	return server, server.As("runner")
}

// TestTheRoleForRunsDecidesAsTheOwner runs the conformance suite with the rights of the role, and with encrypted
// values.
func TestTheRoleForRunsDecidesAsTheOwner(t *testing.T) {
	if testing.Short() {
		t.Skip("the owner's journal runs the same code")
	}
	_, runner := withRoles(t)
	ledgertest.Run(t, journals(inPostgresWith(runner, encryptionKey)))
}

// TestTheRoleForRunsCorrectsCharges books a field as free that was booked as paid: it changes the record of an outcome.
func TestTheRoleForRunsCorrectsCharges(t *testing.T) {
	_, runner := withRoles(t)
	for _, key := range [][]byte{nil, encryptionKey} {
		shared := newSharedRig(t, runner)
		shared.key = key
		correctCharge(shared.open())
	}
}

func correctCharge(r *rig) {
	r.BeginReading()
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	r.check(r.MarkInDoubt(r.grant(request(person(1), email)).ID, attempt.LostCall{Cause: "lost"}))
	second := r.grant(request(person(2), email))
	r.settle(second, found)
	r.settle(r.grant(request(person(3), email)), found)
	r.BeginReading()
	_, err := r.Reconcile(freeAndPaid(0, cost.Dollar-15*cost.Cent), false)
	r.check(err)
	res, _, err := r.Resolution(second.ID)
	r.check(err)
	if res.Charge != free(email) || res.Data == "" {
		r.t.Errorf("the outcome is %+v", res)
	}
}

// TestTheRoleForRunsCannotErase tries to, by the journal and by statements, with plain and with encrypted values.
func TestTheRoleForRunsCannotErase(t *testing.T) {
	server, runner := withRoles(t)
	for name, key := range map[string][]byte{"plain": nil, "encrypted": encryptionKey} {
		t.Run(name, func(t *testing.T) {
			shared := newSharedRig(t, runner)
			shared.key = key
			tryToErase(t, server, runner, shared)
		})
	}
}

func tryToErase(t *testing.T, server, runner *iotest.PostgresServer, shared *sharedRig) {
	r := shared.open()
	who := enrich.Identity{ProfileURL: "https://pro.example/in/ada"}
	ticket := r.grant(request(who, email))
	r.settle(ticket, v1.Answer{Status: enrich.Matched, WorkEmail: "ada@acme.example"})
	for name, erase := range map[string]func(*Journal) error{
		"forget": func(j *Journal) error { _, err := forget(j, Person{Email: "ada@acme.example"}); return err },
		"prune":  func(j *Journal) error { _, err := j.Prune(time.Now().Add(time.Hour)); return err },
	} {
		if err := erase(shared.open().Journal); err == nil || !strings.Contains(err.Error(), "runner may not erase") {
			t.Errorf("%s: %v", name, err)
		}
	}
	conn, err := pgconn.Connect(t.Context(), runner.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	answer := "workspace = '" + shared.workspace + "' AND key = '" + hexKey(record.IDKey(record.ResolutionPrefix, ticket.ID)) + "'"
	intent := "workspace = '" + shared.workspace + "' AND key = '" + hexKey(record.IDKey(record.IntentPrefix, ticket.ID)) + "'"
	change := "position('ada@acme.example' IN value)" // within the answer
	if shared.key != nil {
		change = "40"
	}
	for _, statement := range []string{
		"TRUNCATE payonce_record", "DROP TABLE payonce_record", "DELETE FROM payonce_record", "DELETE FROM payonce_workspace",
		"DELETE FROM payonce_record WHERE " + answer, "DELETE FROM payonce_record WHERE " + intent,
		"UPDATE payonce_record SET value = '\\x07' WHERE " + intent,
		"UPDATE payonce_record SET value = '\\x070801' WHERE " + answer,
		"UPDATE payonce_record SET value = overlay(value PLACING 'bob@acme.example' FROM " + change + ") WHERE " + answer,
		"UPDATE payonce_record SET value = '\\xe100000000' WHERE " + answer,
		"UPDATE payonce_record SET value = '\\xe1' WHERE " + answer,
		"UPDATE payonce_record SET key = '\\x6f' || substring(key FROM 2) WHERE " + answer,
		"UPDATE payonce_record SET workspace = 'elsewhere' WHERE " + answer,
		"UPDATE payonce_record SET value = '\\x07' WHERE key = 'mjournal'",
		"ALTER TABLE payonce_record DISABLE TRIGGER ALL", "DROP FUNCTION payonce_keep CASCADE",
	} {
		if _, err := conn.Exec(t.Context(), statement).ReadAll(); err == nil {
			t.Errorf("the role may do: %s", statement)
		}
	}
	shared.server = server
	j := shared.open()
	res, found, err := j.Resolution(ticket.ID)
	if err != nil || !found || !strings.Contains(res.Data, "ada@acme.example") {
		t.Errorf("the answer is %+v, %v", res, err)
	}
	if erased, err := forget(j.Journal, Person{Email: "ada@acme.example"}); err != nil || erased.Answers != 1 {
		t.Errorf("the owner erases %+v, %v", erased, err)
	}
}

// hexKey writes a key as PostgreSQL reads it.
func hexKey(key []byte) string { return `\x` + hex.EncodeToString(key) }
