package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint/pgstore"
	"payonce/io/iotest"
	"payonce/pipeline/report"
)

// TestWhatAPromotedStandbyLostIsBoughtAgainOnlyAfterConfirmation enriches a list on a server, and a longer list that its
// asynchronous standby never receives. Then the standby is promoted.
func TestWhatAPromotedStandbyLostIsBoughtAgainOnlyAfterConfirmation(t *testing.T) {
	skipIfShort(t)
	t.Parallel() // it waits for leases most of the time
	primary := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 5)
	var arrived atomic.Int64
	watch := watcher(func(r *http.Request, pass func()) {
		if isLookup(t, r) {
			arrived.Add(1)
		}
		pass()
	})
	service.watch.Store(&watch)
	baseURL := service.listen(t)
	const received, lost = 12, 18
	p := newSharedProgram(t, primary, received, baseURL, "--max-spend", "60")
	p.runToEnd(exitDone)
	standby := primary.Standby()
	primary.AwaitStandby()
	standby.Disconnect()
	longer := newSharedProgram(t, primary, received+lost, baseURL, "--max-spend", "60", "--name", "longer")
	longer.runToEnd(exitDone)
	primary.Stop()
	standby.Promote()
	before := arrived.Load()

	// Neither a machine that knows what was lost nor one that knows nothing sends a lookup.
	newMachine := newSharedProgram(t, standby, received+lost, baseURL, "--max-spend", "60", "--name", "longer")
	for _, refused := range []*program{p, longer, newMachine} {
		refused.environ = []string{"BATCH_JOURNAL=" + standby.URL()}
		said := refused.runToEnd(exitUsage)
		if text := said.stdout.String(); !strings.Contains(text, `"journal_failed_over"`) || !strings.Contains(text, "--accept-failover") {
			t.Errorf("a run says %s", text)
		}
	}
	journalCommand := func(codes []int, args ...string) *process {
		t.Helper()
		command := *longer
		command.args = append(args, "--state", longer.state(), "--json")
		return command.runToEnd(codes...)
	}
	for _, command := range []string{"status", "budget --offline", "runs", "show list", "ledger"} {
		journalCommand([]int{exitDone}, strings.Fields(command)...)
	}
	journalCommand([]int{exitUsage}, "reconcile", "--settle-delay", "0s")
	journalCommand([]int{exitApproval}, "reconcile", "--settle-delay", "0s", "--accept-failover")
	journalCommand([]int{exitUsage}, "reconcile", "--exclusive", "--accept-failover", "--yes")
	longer.runToEnd(exitUsage)
	if now := arrived.Load(); now != before {
		t.Fatalf("%d lookups were sent before the failover was accepted", now-before)
	}

	var found report.Reconciliation
	said := journalCommand([]int{exitDone}, "reconcile", "--settle-delay", "0s", "--accept-failover", "--yes")
	if err := json.Unmarshal(said.stdout.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	if f := found.Failover; f == nil || f.Attempts == 0 || len(f.Accounts) != 1 || f.Accounts[0].Lost == nil || f.Accounts[0].Lost.Money == 0 {
		t.Errorf("the account is compared: %s", said.stdout.String())
	}
	for _, accepted := range []*program{longer, newMachine, p} {
		accepted.runToEnd(exitDone)
	}
	if again := arrived.Load() - before; again == 0 {
		t.Error("nothing was bought again, so the standby had not lost anything")
	}
	service.end(t)
	checkCells(t, readRows(t, newMachine.list()), readRows(t, newMachine.output()))
}

// TestAJournalIsCopiedToADatabase copies the journal of a run that was killed, with lookups in flight and in doubt. Runs
// in the database go on with what was bought, and nothing is paid from the directory any more.
func TestAJournalIsCopiedToADatabase(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 5)
	p := newProgram(t, 30, service.listen(t), "--max-spend", "60", "--concurrency", "4")
	if code := killAt(p, &service.tap, 9, false); code != -1 {
		t.Fatalf("it was not killed, and ended with %d", code)
	}
	service.watch.Store(nil)
	command := func(environ []string, codes []int, args ...string) *process {
		t.Helper()
		c := *p
		c.environ = environ
		c.args = append(args, "--state", p.state(), "--json")
		return c.runToEnd(codes...)
	}
	shared := []string{"BATCH_JOURNAL=" + server.URL()}
	command(nil, []int{exitUsage}, "journal", "copy") // no database is named
	command(shared, []int{exitUsage}, "journal", "copy", "--undo")
	command([]string{"BATCH_JOURNAL=postgres://tester:x@127.0.0.1:1/db"}, []int{exitUsage}, "journal", "copy") // before it begins
	var copied report.JournalCopy
	said := command(shared, []int{exitDone}, "journal", "copy")
	if err := json.Unmarshal(said.stdout.Bytes(), &copied); err != nil || copied.Records == 0 {
		t.Errorf("%s, %v", said.stdout.String(), err)
	}

	// The directory can be read, and is not paid from.
	for _, args := range [][]string{p.args, {"reconcile", "--state", p.state(), "--json"}} {
		refused := *p
		refused.args = args
		said := refused.runToEnd(exitUsage)
		if text := said.stdout.String(); !strings.Contains(text, `"journal_copied"`) || !strings.Contains(text, copied.Database) || strings.Contains(text, iotest.PostgresPassword) {
			t.Errorf("batch %s says %s", args[0], text)
		}
	}
	command(nil, []int{exitDone}, "ledger")
	command(nil, []int{exitDone}, "journal", "check")
	command(shared, []int{exitUsage}, "journal", "copy")

	// It goes back as long as nothing has been written in the database.
	command(shared, []int{exitDone}, "ledger")
	command(shared, []int{exitDone}, "journal", "copy", "--undo")
	command(shared, []int{exitUsage}, "ledger") // there is no journal
	command(shared, []int{exitDone}, "journal", "copy")

	inDatabase := *p
	inDatabase.environ = shared
	inDatabase.runToEnd(exitDone, exitDoubt)
	said = command(shared, []int{exitUsage}, "journal", "copy", "--undo")
	if !strings.Contains(said.stdout.String(), `"copy_used"`) {
		t.Errorf("undoing a copy that was used says %s", said.stdout.String())
	}
	p.runToEnd(exitUsage) // nothing is paid from the directory
	ledger := service.end(t)
	if err := chargedOnce(ledger.Charges); err != nil {
		t.Error(err)
	}
	checkCells(t, readRows(t, p.list()), readRows(t, p.output()))
}

// TestACopyThatWasKilledIsRepeated has a copy that broke off before it was in the database, and one after that.
func TestACopyThatWasKilledIsRepeated(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 5)
	p := newProgram(t, 10, service.listen(t), "--max-spend", "60")
	p.runToEnd(exitDone)
	command := func(codes []int, args ...string) *process {
		t.Helper()
		c := *p
		c.environ = []string{"BATCH_JOURNAL=" + server.URL()}
		c.args = append(args, "--state", p.state(), "--json")
		return c.runToEnd(codes...)
	}
	// The copy waits for a lock in the database, and is killed.
	command([]int{exitDone}, "journal", "migrate")
	release := server.Hold("LOCK TABLE payonce_record IN SHARE MODE")
	c := *p
	c.environ = []string{"BATCH_JOURNAL=" + server.URL()}
	c.args = []string{"journal", "copy", "--state", p.state(), "--json"}
	killed := c.start()
	server.AwaitLock()
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.end()
	release()
	said := p.runToEnd(exitUsage)
	if text := said.stdout.String(); !strings.Contains(text, `"copy_unfinished"`) {
		t.Errorf("a run after a copy that broke off says %s", text)
	}
	command([]int{exitDone}, "journal", "copy")
	// As if it had been killed after its commit.
	found, err := filepath.Glob(filepath.Join(p.state(), "*", "default", "COPIED"))
	if err != nil || len(found) != 1 {
		t.Fatalf("marks %q, %v", found, err)
	}
	mark, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(found[0], []byte(strings.Replace(string(mark), `"done":true`, `"done":false`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	command([]int{exitDone}, "journal", "copy")
	p.environ = []string{"BATCH_JOURNAL=" + server.URL()}
	p.runToEnd(exitDone)
	if err := chargedOnce(service.end(t).Charges); err != nil {
		t.Error(err)
	}
}

// TestAnEncryptedJournalIsCopied copies it to a database and back, and then to a database that loses the copy.
func TestAnEncryptedJournalIsCopied(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 5)
	p := newProgram(t, 10, service.listen(t), "--max-spend", "60")
	key, shared := "BATCH_JOURNAL_KEY="+strings.Repeat("5a", 32), "BATCH_JOURNAL="+server.URL()
	start := func(environ []string, code int, args ...string) string {
		t.Helper()
		c := *p
		c.environ, c.args = environ, args
		said := c.runToEnd(code)
		return said.stdout.String()
	}
	inJournal := func(args ...string) []string { return append(args, "--state", p.state(), "--json") }
	start([]string{key}, exitDone, p.args...)
	if said := start([]string{shared}, exitUsage, inJournal("journal", "copy")...); !strings.Contains(said, `"encryption_key"`) {
		t.Errorf("a copy without the key says %s", said)
	}
	newKey := "BATCH_JOURNAL_NEW_KEY=" + strings.Repeat("6b", 32)
	for _, c := range []struct {
		environ []string // of the copy
		flag    string
		fits    []string // the key of the copy
		not     []string
	}{
		{nil, "--plain", nil, []string{key}},
		{[]string{newKey}, "", []string{"BATCH_JOURNAL_KEY=" + strings.Repeat("6b", 32)}, []string{key}},
		{nil, "", []string{key}, nil},
	} {
		environ := append([]string{key, shared}, c.environ...)
		args := func(more ...string) []string {
			return slices.DeleteFunc(inJournal(append([]string{"journal", "copy", c.flag}, more...)...), func(arg string) bool { return arg == "" })
		}
		start(environ, exitDone, args()...)
		if said := start(append(c.not, shared), exitUsage, inJournal("ledger")...); !strings.Contains(said, `"encryption_key"`) {
			t.Errorf("with another key than that of the copy: %s", said)
		}
		start(append(c.fits, shared), exitDone, inJournal("journal", "check")...)
		start(environ, exitDone, args("--undo")...)
		start([]string{key}, exitDone, p.args...)
	}
	start([]string{key, shared, newKey}, exitUsage, inJournal("journal", "copy", "--plain")...)

	start([]string{key, shared}, exitDone, inJournal("journal", "copy")...)
	server.Exec("DROP TABLE payonce_schema, payonce_workspace, payonce_process, payonce_record, payonce_paid")
	if said := start([]string{key, shared}, exitUsage, inJournal("journal", "copy", "--undo")...); !strings.Contains(said, `"copy_gone"`) {
		t.Errorf("undoing a copy that the database has lost says %s", said)
	}
	if said := start([]string{key}, exitUsage, p.args...); !strings.Contains(said, `"journal_copied"`) {
		t.Errorf("a run in the directory says %s", said)
	}
	if err := chargedOnce(service.end(t).Charges); err != nil {
		t.Error(err)
	}
}

// journalTables are the tables of shared journals.
var journalTables = []string{"payonce_workspace", "payonce_process", "payonce_record", "payonce_paid"}

// TestAnEncryptedSharedJournalShowsNobody runs with the same list on a plain and on an encrypted journal, and searches
// the tables for what the list and the answers say about persons and companies. Then it calls other commands, changes
// the key, and tries keys that do not fit.
func TestAnEncryptedSharedJournalShowsNobody(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 5)
	const rows = 8
	plain := newSharedProgram(t, server, rows, service.listen(t), "--max-spend", "60", "--profile", "--workspace", "plain")
	plain.runToEnd(exitDone)
	var texts []string
	for _, row := range readRows(t, plain.output()) {
		for _, column := range []string{"first_name", "last_name", "company", "domain", "email", "phone", "linkedin_url"} {
			if len(row[column]) > 4 {
				texts = append(texts, row[column])
			}
		}
	}
	found := func(texts []string) (found []string) {
		rows := server.Dump(journalTables...)
		for _, text := range texts {
			if bytes.Contains(rows, []byte(text)) {
				found = append(found, text)
			}
		}
		return found
	}
	if len(found(texts)) < 2*rows {
		t.Fatalf("of %q the plain journal shows only %q, so this test shows nothing", texts, found(texts))
	}
	for _, table := range journalTables {
		server.Exec("DELETE FROM " + table)
	}

	key, newKey := strings.Repeat("5a", 32), strings.Repeat("6b", 32)
	p := newSharedProgram(t, server, rows, plain.baseURL, "--max-spend", "60", "--profile")
	start := func(key string, code int, args ...string) string {
		t.Helper()
		c := *p
		c.environ, c.args = append([]string{"BATCH_JOURNAL_KEY=" + key}, p.environ...), args
		said := c.runToEnd(code)
		return said.stdout.String() + said.stderr.String()
	}
	inJournal := func(line string) []string { return append(strings.Fields(line), "--state", p.state(), "--json") }
	start(key, exitDone, p.args...)
	if shown := found(texts); len(shown) > 0 {
		t.Errorf("the tables of the encrypted journal show %q", shown)
	}
	for _, command := range []string{"status", "budget --offline", "runs", "show list", "ledger", "journal check", "journal dump", "reconcile", "doctor", "journal unpause"} {
		start(key, exitDone, inJournal(command)...)
		for _, other := range []string{"", newKey} {
			if said := start(other, exitUsage, inJournal(command)...); !strings.Contains(said, "encryption key does not fit") {
				t.Errorf("batch %s with the key %q says %s", command, other, said)
			}
		}
	}
	for _, other := range []string{"", newKey} {
		if said := start(other, exitUsage, p.args...); !strings.Contains(said, `"encryption_key"`) {
			t.Errorf("a run with the key %q says %s", other, said)
		}
	}
	email := readRows(t, p.output())[0]["email"]
	for _, row := range readRows(t, p.output()) {
		email = cmp.Or(email, row["email"])
	}
	start(key, exitDone, inJournal("forget --yes --email "+email)...)
	p.environ = append(p.environ, "BATCH_JOURNAL_NEW_KEY="+newKey)
	other, err := pgstore.Open(pgstore.Options{
		URL: server.URL(), Workspace: "default", EncryptionKey: bytes.Repeat([]byte{0x5a}, 32), Holder: "another process", Lease: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if said := start(key, exitLocked, inJournal("journal rekey")...); !strings.Contains(said, `"journal_shared"`) {
		t.Errorf("rekey while another process works says %s", said)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	start(key, exitDone, inJournal("journal rekey")...)
	start(key, exitUsage, inJournal("ledger")...)
	start(newKey, exitDone, inJournal("journal check")...)
	start(newKey, exitDone, inJournal("journal prune --keep-answers 0s --yes")...)
	if shown := found(texts); len(shown) > 0 {
		t.Errorf("afterwards the tables show %q", shown)
	}
	if err := chargedOnce(service.end(t).Charges); err == nil {
		t.Error("the second journal bought nothing, so this test shows nothing")
	}
}

// TestRolesOfASharedJournal runs with the role for runs, and reads with the role that only reads.
func TestRolesOfASharedJournal(t *testing.T) {
	skipIfShort(t)
	server := iotest.StartPostgres(t, "fsync=on")
	service := startService(t, 5)
	owner := newSharedProgram(t, server, 8, service.listen(t), "--max-spend", "60")
	as := func(user string, codes []int, args ...string) string {
		t.Helper()
		p := *owner
		p.environ = []string{"BATCH_JOURNAL=" + server.As(user).URL()}
		p.args = append(args, "--state", owner.state(), "--json")
		said := p.runToEnd(codes...)
		return said.stdout.String()
	}
	as("tester", []int{exitDone}, "journal", "migrate")
	docs, err := os.ReadFile("../../docs/shared.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(docs), "\n## Roles\n")
	_, section, _ = strings.Cut(section, "```sql\n")
	statements, _, found := strings.Cut(section, "```")
	if !found {
		t.Fatal("the docs have no statements that create roles")
	}
	server.Exec(statements)
	for user, role := range map[string]string{"runner": "payonce_run", "reader": "payonce_read"} {
		server.Exec("CREATE ROLE " + user + " LOGIN PASSWORD '" + iotest.PostgresPassword + "' IN ROLE " + role)
	}
	run := owner.args[:len(owner.args):len(owner.args)]
	as("runner", []int{exitDone}, run...)
	as("runner", []int{exitDone}, "reconcile", "--settle-delay", "0s")
	for _, command := range []string{
		"status", "budget --offline", "runs", "show list", "ledger", "plan " + owner.list() + " --fields email,phone --max-spend 60",
	} {
		as("reader", []int{exitDone}, strings.Fields(command)...)
	}
	if said := as("runner", []int{exitUsage}, "journal", "prune", "--keep-answers", "0s", "--yes"); !strings.Contains(said, `"journal_rights"`) || !strings.Contains(said, "as a role that may") {
		t.Errorf("erasing with the role for runs: %s", said)
	}
	for _, command := range [][]string{run, {"reconcile"}} {
		if said := as("reader", []int{exitUsage}, command...); !strings.Contains(said, "its role has too few rights") {
			t.Errorf("batch %s with the role that only reads: %s", command[0], said)
		}
	}
	service.end(t)
}
