package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/crm"
	"payonce/io/service/v1"
	"payonce/pipeline/workspace"
)

// scriptWorld is what the commands of one script have set up around the program.
type scriptWorld struct {
	service *sandbox.Server
	journal *checkpoint.Journal
}

type scriptKey struct{}

func worldOf(ts *testscript.TestScript) *scriptWorld {
	return ts.Value(scriptKey{}).(*scriptWorld)
}

func plain(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

// exitsCommand runs a program that has to end with an exit code.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "exits CODE PROGRAM [ARGUMENT...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("the program ended with exit code %d, not %d", got, want)
	}
}

// goesOn matches the command that goes on after a stop.
var goesOn = regexp.MustCompile(`(?m)^(?:To|After|When) [^\n]*:\s+(batch .*)$`)

// pastedCommand runs the command that the last error or summary shows, as a shell does.
func pastedCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "pasted")
	_, after, found := strings.Cut(ts.ReadFile("stderr"), "\nFor example: ")
	command, _, _ := strings.Cut(after, "\n")
	if !found {
		shown := goesOn.FindStringSubmatch(ts.ReadFile("stderr") + ts.ReadFile("stdout"))
		if shown == nil {
			ts.Fatalf("neither the error nor the summary shows a command")
		}
		command = shown[1]
	}
	ts.Check(ts.Exec("sh", "-c", command))
}

// serviceUsage says what the service command takes. A document is served in place of
// the OpenAPI document, and none is not found; texts are replaced in every response, and
// in requests the other way round, as if the service had other names; a condition is
// that of enrich.
const serviceUsage = "service [FAULT|attempts=N|free=N|plan=NAME|condition=FILE|document=FILE|document=none|mcp=none|replace=OLD:NEW]..."

// serviceCommand starts a separate service and lets SERVICE_BASE_URL and
// SERVICE_API_KEY speak of it.
func serviceCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, serviceUsage)
	config := sandbox.DefaultConfig()
	config.Window = sandbox.Window{Limit: 1000, Per: time.Second}
	around := disguise{}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		n, err := strconv.Atoi(value)
		switch {
		case name == "plan":
			config.Plan = value
		case name == "condition":
			config.InputConditions = map[v1.Operation]json.RawMessage{v1.EnrichContact: []byte(ts.ReadFile(value))}
		case name == "document" && value != "none":
			around.document = []byte(ts.ReadFile(value))
		case value == "none":
			around.hidden = append(around.hidden, map[string]string{"document": "/api/v1/openapi.json", "mcp": "/mcp"}[name])
		case name == "replace":
			old, text, _ := strings.Cut(value, ":")
			around.replace = append(around.replace, old, text)
		case err == nil && name == "attempts":
			config.AttemptLimit = n
		case err == nil && name == "free":
			config.Free = enrich.ByField[int64]{int64(n), int64(n)}
		default:
			fault, err := sandbox.ParseFault(arg)
			ts.Check(err)
			config.Faults = append(config.Faults, fault)
		}
	}
	service, err := sandbox.New(config)
	ts.Check(err)
	around.service = service.Handler()
	server := httptest.NewServer(around)
	ts.Defer(func() {
		service.Close()
		server.Close()
	})
	worldOf(ts).service = service
	ts.Setenv("SERVICE_BASE_URL", server.URL+"/api/v1")
	ts.Setenv("SERVICE_ORIGIN", server.URL)
	ts.Setenv("SERVICE_API_KEY", sandbox.DefaultKey)
	for _, variable := range zohoVariables(server.URL) {
		name, value, _ := strings.Cut(variable, "=")
		ts.Setenv(name, value)
	}
}

// zohoVariables returns the variables of the environment for the CRM of a sandbox at an address.
func zohoVariables(origin string) []string {
	return []string{
		"ZOHO_CLIENT_ID=" + crm.DefaultClientID, "ZOHO_CLIENT_SECRET=" + crm.DefaultClientSecret, "ZOHO_REFRESH_TOKEN=" + crm.DefaultRefreshToken,
		"ZOHO_DATA_CENTER=us", "ZOHO_API_URL=" + origin, "ZOHO_ACCOUNTS_URL=" + origin,
	}
}

// contactCommand changes a contact of the CRM as a person does, or compares what the CRM has with what is wanted.
func contactCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "contact NUMBER FIELD=VALUE... | contact NUMBER lock|unlock|delete | contact NUMBER has FIELD=VALUE...")
	service, id := worldOf(ts).service.CRM(), "4876876000000600"+args[0]
	values := map[string]string{}
	for _, arg := range args[1:] {
		if name, value, found := strings.Cut(arg, "="); found {
			values[name] = value
		}
	}
	switch args[1] {
	case "lock", "unlock":
		ts.Check(service.Lock(id, args[1] == "lock"))
	case "delete":
		ts.Check(service.Delete(id))
	case "has":
		for _, c := range service.Contacts() {
			for name, want := range values {
				if c.ID == id && c.Values[name] != want {
					ts.Fatalf("%s of %s is %q, not %q", name, id, c.Values[name], want)
				}
			}
		}
	default:
		ts.Check(service.Edit(id, values))
	}
}

// auditCommand compares the number of values that clients wrote or cleared in the CRM. None may be against the rules.
func auditCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "audit WRITES")
	audit, writes := worldOf(ts).service.CRM().Audit(), 0
	for _, w := range audit.Writes {
		if w.By == "client" {
			writes++
		}
		if w.By == "client" && w.Trigger {
			ts.Fatalf("workflows were started")
		}
	}
	if len(audit.Problems) > 0 || fmt.Sprint(writes) != args[0] {
		ts.Fatalf("clients wrote %d values, not %s; problems: %q", writes, args[0], audit.Problems)
	}
}

// disguise makes a service look like another one.
type disguise struct {
	service  http.Handler
	hidden   []string // paths that are not found
	document []byte   // in place of the OpenAPI document
	replace  []string // pairs of texts
}

func (d disguise) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case slices.Contains(d.hidden, r.URL.Path), strings.NewReplacer(d.replace...).Replace(r.URL.Path) != r.URL.Path:
		http.NotFound(w, r)
	case d.document != nil && r.URL.Path == "/api/v1/openapi.json":
		w.Write(d.document)
	case d.replace == nil:
		d.service.ServeHTTP(w, r)
	default:
		recorded := httptest.NewRecorder()
		d.service.ServeHTTP(recorded, d.undisguise(r))
		maps.Copy(w.Header(), recorded.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(recorded.Code)
		strings.NewReplacer(d.replace...).WriteString(w, recorded.Body.String())
	}
}

// serveCommand starts "batch sandbox" as a separate process, which has to end
// well when it is interrupted at the script's end.
func serveCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "serve [FLAG...]")
	process := exec.Command("batch", append([]string{"sandbox", "--listen", "127.0.0.1:0"}, args...)...)
	process.Dir = ts.MkAbs(".")
	vars, err := startAndRead(process, "SERVICE_BASE_URL")
	baseURL := vars["SERVICE_BASE_URL"]
	ts.Check(err)
	ts.Defer(func() {
		process.Process.Signal(os.Interrupt)
		if err := process.Wait(); err != nil {
			ts.Fatalf("the sandbox ended with %v", err)
		}
	})
	ts.Setenv("SERVICE_BASE_URL", baseURL)
	ts.Setenv("SERVICE_API_KEY", sandbox.DefaultKey)
}

// faultCommand replaces the faults of the service.
func faultCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "fault [FAULT...]")
	service := worldOf(ts).service
	service.ClearFaults()
	for _, arg := range args {
		fault, err := sandbox.ParseFault(arg)
		ts.Check(err)
		ts.Check(service.AddFault(fault))
	}
}

// revokeCommand revokes the service's key.
func revokeCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "revoke")
	ts.Check(worldOf(ts).service.Workspace().RevokeKey(sandbox.ConfiguredKey))
}

// undisguise returns a request with the names that the service itself has.
func (d disguise) undisguise(r *http.Request) *http.Request {
	pairs := slices.Clone(d.replace)
	slices.Reverse(pairs)
	inverse := strings.NewReplacer(pairs...)
	body, _ := io.ReadAll(r.Body) // what is cut short is refused
	path := inverse.Replace(r.URL.Path)
	request := httptest.NewRequest(r.Method, path, strings.NewReader(inverse.Replace(string(body))))
	request.Header = r.Header.Clone()
	return request
}

// newKeyCommand creates another key and puts it into SERVICE_API_KEY.
func newKeyCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "newkey")
	_, value, err := worldOf(ts).service.Workspace().CreateKey(sandbox.NewKey{Name: "another"})
	ts.Check(err)
	ts.Setenv("SERVICE_API_KEY", value)
}

// priceCommand puts another price in force.
func priceCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "price FIELD USD|none")
	field, known := v1.Catalogue().Lookup(args[0])
	if !known {
		ts.Fatalf("%q is not a field", args[0])
	}
	if args[1] == "none" {
		ts.Check(worldOf(ts).service.Workspace().SetPrice(field, nil))
		return
	}
	price, err := cost.ParseMoney(args[1])
	ts.Check(err)
	ts.Check(worldOf(ts).service.Workspace().SetPrice(field, &price))
}

// ledgerCommand checks what the service counted, and always that it balances and
// charged nothing twice. FILE is the ledger of an embedded sandbox.
func ledgerCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "books posts|charged VALUE [FILE]")
	service := worldOf(ts).service
	if len(args) == 3 {
		config := sandbox.DefaultConfig()
		config.LedgerPath = filepath.Join(ts.MkAbs("tmp"), "books-copy.jsonl")
		ts.Check(copyFile(ts.MkAbs(args[2]), config.LedgerPath))
		var err error
		service, err = sandbox.New(config)
		ts.Check(err)
		defer service.Close()
	}
	ledger := service.Ledger()
	ts.Check(errors.Join(service.Audit(), chargedOnce(ledger.Charges)))
	got := map[string]string{"posts": strconv.Itoa(len(ledger.Arrivals)), "charged": ledger.Charged.String()}[args[0]]
	if got != args[1] {
		ts.Fatalf("%s: %s, not %s", args[0], got, args[1])
	}
}

// holdCommand holds a journal as another process would.
func holdCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "hold DIR")
	journal, err := workspace.OpenJournal(context.Background(), ts.MkAbs(args[0]), workspace.Opening{
		Store:   badgerstore.Options{Holder: `"batch run other" (process 4711, since 10:31)`},
		Journal: checkpoint.Options{Catalogue: v1.Catalogue(), Rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, Now: time.Now},
	})
	ts.Check(err)
	worldOf(ts).journal = journal
	ts.Defer(func() { worldOf(ts).release() })
}

// releaseCommand gives the held journal back.
func releaseCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "release")
	ts.Check(worldOf(ts).release())
}

func (w *scriptWorld) release() error {
	journal := w.journal
	w.journal = nil
	if journal == nil {
		return nil
	}
	return journal.Close()
}

// chargedOnce returns an error when a field of an identity was charged twice.
func chargedOnce(charges []sandbox.Charge) error {
	type paid struct {
		identity string
		field    enrich.Field
	}
	first := map[paid]sandbox.Charge{}
	for _, charge := range charges {
		this := paid{charge.Identity, charge.Field}
		if earlier, found := first[this]; found {
			return errors.New("charged twice: " + this.field.String() + " in " + earlier.RequestID + " and " + charge.RequestID)
		}
		first[this] = charge
	}
	return nil
}
