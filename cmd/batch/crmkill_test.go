package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"payonce/io/sandbox"
	"payonce/io/sandbox/crm"
	v1 "payonce/io/service/v1"
	"payonce/pipeline/report"
)

var (
	crmContacts = flag.Int("crm-contacts", 40, "how many contacts TestCRMUnderFire pulls")
	crmKills    = flag.Int("crm-kills", 15, "how often TestCRMUnderFire kills pull, run, push and undo")
	crmSeed     = flag.Uint64("crm-seed", 1, "what TestCRMUnderFire draws its moments from")
)

// crmFire is a CRM and the processes that pull from it and push to it.
type crmFire struct {
	*program
	service *sandbox.Server
	tap     *tap
	draw    *rand.Rand
	kills   map[string]int // by command
	editing sync.Mutex     // guards what follows, and draw
	edits   int64
}

// edit changes a contact as a person does, before a request for which a draw says so, until a tenth are changed.
func (f *crmFire) edit() {
	f.editing.Lock()
	defer f.editing.Unlock()
	if f.edits*10 >= int64(*crmContacts) || f.draw.IntN(4) > 0 {
		return
	}
	f.edits++
	contacts := f.service.CRM().Contacts()
	field := []string{"Email", "Phone", "Last_Name", "Title", "Mobile"}[f.draw.IntN(5)]
	value := map[string]string{"Email": fmt.Sprintf("by.hand%d@editor.example", f.edits), "Phone": fmt.Sprintf("+49 30 %d", f.edits)}[field]
	if err := f.service.CRM().Edit(contacts[f.draw.IntN(len(contacts))].ID, map[string]string{field: cmp.Or(value, fmt.Sprint("by hand ", f.edits))}); err != nil {
		f.t.Error(err)
	}
}

// untilDone starts a command again and again, and kills it up to that number of times, at a request before the service
// sees it or after it has answered. It returns what the command says when it comes to its end.
func (f *crmFire) untilDone(kills int, within int64, args ...string) string {
	f.t.Helper()
	f.args = append(slices.Clone(args), "--state", f.state())
	name := strings.Join(args[:min(2, len(args))], " ")
	for {
		came := make(chan struct{})
		nth, before := int64(0), f.draw.IntN(2) == 0 // none
		if f.kills[name] < kills {
			nth = 1 + f.draw.Int64N(within)
		}
		var requests atomic.Int64
		watch := watcher(func(r *http.Request, pass func()) {
			if r.URL.Path == crm.TokenPath { // the CRM gives ten tokens in ten minutes
				pass()
				return
			}
			if strings.HasPrefix(r.URL.Path, crm.Path) {
				f.edit()
			}
			now := requests.Add(1)
			if now == nth && before {
				close(came)
				<-r.Context().Done()
				return
			}
			if now == nth {
				defer func() { close(came); <-r.Context().Done() }()
			}
			pass()
		})
		f.tap.watch.Store(&watch)
		run := f.start()
		ended := make(chan int, 1)
		go func() { ended <- run.end() }()
		select {
		case <-came:
			run.Process.Kill()
			if <-ended == -1 {
				f.kills[name]++
			}
		case code := <-ended:
			switch code {
			case exitDone:
				return run.stdout.String()
			case exitDoubt, exitRefused:
				if f.kills[name] >= kills && args[0] == "run" {
					return run.stdout.String()
				}
				f.kills[name]++ // a fault of the service ended it
			default:
				f.t.Fatalf("%v ended with %d\n%s%s", args, code, run.stdout.String(), run.stderr.String())
			}
		}
	}
}

// TestCRMUnderFire pulls contacts, enriches them, reviews them by rules, pushes and undoes. Meanwhile another client
// edits a tenth of the contacts, answers of both services are lost, and the commands are killed. No edit is lost, no
// value that somebody had is overwritten, no field of mobile numbers is touched, nothing is looked up or written twice,
// and every value has its outcome.
func TestCRMUnderFire(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	config := sandbox.DefaultConfig()
	config.Seed, config.Window = *crmSeed, sandbox.Window{Limit: 100_000, Per: time.Second}
	config.CRM.Contacts, config.CRM.Editing = *crmContacts, 0.1
	for _, text := range []string{"lost-before:p=0.01", "lost-after:p=0.02"} {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		config.Faults = append(config.Faults, fault)
	}
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	tap := &tap{service: service.Handler()}
	f := &crmFire{
		program: &program{t: t, dir: t.TempDir()}, service: service, tap: tap, draw: rand.New(rand.NewPCG(*crmSeed, 0)), kills: map[string]int{},
	}
	f.baseURL = tap.listen(t)
	in := func(name string) string { return filepath.Join(f.dir, name) }
	each := int64(*crmContacts)
	f.untilDone(*crmKills/5, 3, "crm", "pull", "--view", crm.ViewIncomplete, "-o", in("contacts.csv"))
	// One call at a time: how many a kill leaves in doubt, and so how many values there are, is not up to the machine's
	// speed.
	f.untilDone(*crmKills/3, each/8, "run", in("contacts.csv"), "-o", in("out.csv"), "--name", "june", "--fields", "email,phone", "--max-spend", "900",
		"--yes", "--json", "--rate", "100000/1s", "--settle-delay", "100ms", "--concurrency", "1")
	f.untilDone(0, 1, "crm", "review", "june", "-o", in("review.csv"), "--auto", "name-and-domain,name-and-phone")
	f.untilDone(*crmKills/3, each/12, "crm", "push", "june", "--review", in("review.csv"), "--json")
	var pushed report.CRMPush
	decodeInto(t, f.untilDone(0, 1, "crm", "push", "june", "--review", in("review.csv"), "--json"), &pushed)
	f.untilDone(0, 1, "crm", "review", "june", "-o", in("after.csv"))
	f.check(in("review.csv"), in("after.csv"), &pushed)
	f.checkLookups()
	written := f.ours()
	f.untilDone(*crmKills/5, each/12, "crm", "undo", "june", "--yes", "--json")
	f.untilDone(0, 1, "crm", "undo", "june", "--yes", "--json")
	if left := f.ours(); len(left) > 0 {
		t.Errorf("the undo left %q", left)
	}
	f.untilDone(0, 1, "journal", "check")
	f.checkCRM()
	t.Logf("kills %v, %d values written, then undone; back to review: %v", f.kills, len(written), pushed.Returned)
	if len(written) < *crmContacts/8 {
		t.Errorf("only %d values were written", len(written))
	}
}

func decodeInto(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// ours returns the values of the CRM that clients wrote last, by record and field.
func (f *crmFire) ours() map[string]string {
	last := map[string]crm.Write{}
	for _, w := range f.service.CRM().Audit().Writes {
		last[w.Record+" "+w.Field] = w
	}
	ours := map[string]string{}
	for key, w := range last {
		if w.By == "client" && w.After != "" {
			ours[key] = w.After
		}
	}
	return ours
}

// checkCRM checks what clients must not do, and that no edit of a person is lost.
func (f *crmFire) checkCRM() {
	f.t.Helper()
	audit := f.service.CRM().Audit()
	for _, problem := range audit.Problems {
		f.t.Error(problem)
	}
	edited := map[string]string{}
	for _, w := range audit.Writes {
		if w.By != "client" {
			edited[w.Record+" "+w.Field] = w.After
		} else if w.Trigger {
			f.t.Errorf("a write to %s started workflows", w.Record)
		}
	}
	if len(edited) < *crmContacts/20 {
		f.t.Errorf("only %d fields were edited", len(edited))
	}
	for _, c := range f.service.CRM().Contacts() {
		for field, value := range c.Values {
			if want, is := edited[c.ID+" "+field]; is && value != want {
				f.t.Errorf("the edit %q of %s of %s is lost: it is %q", want, field, c.ID, value)
			}
		}
	}
}

// check compares the reviews before and after the push with the CRM.
func (f *crmFire) check(before, after string, pushed *report.CRMPush) {
	f.t.Helper()
	f.checkCRM()
	ours := f.ours()
	approved, seen := map[string]string{}, map[string]bool{}
	columns := map[string]string{"email": "Email", "phone": "Phone"}
	for _, line := range crmLines(f.t, before) {
		if line["decision"] == "approve" {
			approved[line["record_id"]+" "+columns[line["crm_column"]]] = line["value_found"]
		}
	}
	for _, line := range crmLines(f.t, after) {
		key := line["record_id"] + " " + columns[line["crm_column"]]
		if approved[key] == "" {
			continue
		}
		seen[key] = true
		_, isOurs := ours[key]
		isWritten, isBack := strings.HasPrefix(line["state"], "written "), strings.HasPrefix(line["state"], "sent back ")
		// A person may have changed what was written.
		if isOurs && !isWritten || !isWritten && !isBack || isBack && line["decision"] != "" {
			f.t.Errorf("%s is %q with the decision %q, and the CRM has %q of the program", key, line["state"], line["decision"], ours[key])
		}
	}
	for key, value := range ours {
		if approved[key] != value {
			f.t.Errorf("%s was written with %q, and %q was approved", key, value, approved[key])
		}
	}
	if len(seen) != len(approved) || pushed.InDoubt > 0 || pushed.Stop != nil {
		f.t.Errorf("%d of %d approved values have an outcome: %+v", len(seen), len(approved), pushed)
	}
}

// checkLookups checks that nothing was asked for while an earlier call for it may have been charged. By the journal,
// each call for a field of somebody but the last one was proved not charged before the next one began. By the service,
// nothing was charged twice, or asked for after it was charged. And nothing was asked for of which the journal has no
// call.
func (f *crmFire) checkLookups() {
	f.t.Helper()
	attempts := map[string]map[string]string{}
	for _, row := range rowsByHeader(f.t, strings.NewReader(f.untilDone(0, 1, "ledger"))) {
		attempts[row["attempt"]] = row
	}
	calls, begun := map[string]int{}, map[string]map[string]string{} // the last one of a field of somebody
	again := 0
	for line := range strings.Lines(f.untilDone(0, 1, "journal", "dump")) {
		var r struct {
			ID    int64
			Value struct {
				Key  string
				Hold struct{ Fields string }
			}
		}
		if !strings.HasPrefix(line, `{"record":"intent"`) {
			continue
		}
		decodeInto(f.t, line, &r)
		now := attempts[fmt.Sprint(r.ID)]
		for field := range strings.SplitSeq(r.Value.Hold.Fields, ",") {
			calls[field]++
			if last := begun[r.Value.Key+field]; last != nil && (last["state"] != "voided" || last["ended"] > now["begun"]) {
				f.t.Errorf("the %s of %s was asked for in the attempt %v while an earlier one may have been charged: %v", field, r.Value.Key, now, last)
			}
			if begun[r.Value.Key+field] != nil {
				again++
			}
			begun[r.Value.Key+field] = now
		}
	}
	ledger := f.service.Ledger()
	if err := chargedOnce(ledger.Charges); err != nil {
		f.t.Error(err)
	}
	charged := map[string]int{}
	for _, charge := range ledger.Charges {
		charged[charge.Identity+charge.Field.String()] = charge.Arrival
	}
	for _, arrival := range ledger.Arrivals {
		for field := range arrival.Fields.Each() {
			if before, is := charged[arrival.Identity+field.String()]; is && before < arrival.Number {
				f.t.Errorf("%v of %s was charged in the arrival %d and asked for again in %d", field, arrival.Identity, before, arrival.Number)
			}
			calls[v1.Catalogue().Name(field)]--
		}
	}
	f.t.Logf("%d fields were asked for again after a proof that nothing was charged", again)
	for field, more := range calls {
		if more < 0 {
			f.t.Errorf("the service was asked for %s %d times more often than the journal has it", field, -more)
		}
	}
}

// crmLines returns the rows of a file by their headers.
func crmLines(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return rowsByHeader(t, file)
}

func rowsByHeader(t *testing.T, from io.Reader) (rows []map[string]string) {
	t.Helper()
	records, err := csv.NewReader(from).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, header := range records[0] {
			row[header] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}
