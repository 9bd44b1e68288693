package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
	"payonce/pipeline/report"
)

// The fields of an invented interface, which counts units of searches.
const (
	handleField enrich.Field = iota
	ratingField
)

const searchMeter cost.Meter = 1

// thirdService is a service of the interface. It knows everybody but "nobody".
type thirdService struct {
	mu    sync.Mutex
	asked []string // the persons that calls were about
	all   []string // the same, with calls that did not reach it
	used  int64    // searches that found something, one for each field
	lost  string   // the person whose first call does not reach it; "" for none
}

// third is the provider of the interface. Only this file knows it.
type third struct{ service *thirdService }

func (third) Interface() provider.Interface {
	c := enrich.Named("handle", "rating")
	c.Interface = "third"
	c.Operations = map[enrich.Fields]string{c.All(): "lookup"}
	c.Details = []enrich.Detail{{Name: "handle_verified", Of: enrich.FieldsOf(handleField)}}
	t := cost.Tariff{Meters: []cost.MeterInfo{{Name: "usd", Hidden: true}, {Name: "searches"}}}
	t.Rates[handleField].Uses[searchMeter], t.Rates[ratingField].Uses[searchMeter] = 1, 1
	return provider.Interface{
		Catalogue: c, Tariff: t, Rate: checkpoint.Rate{Slots: 1000, Window: time.Second}, Together: []enrich.Fields{c.All()},
		Operations: []enrich.Fields{c.All()}, WantsMoney: func(string) bool { return false },
		NewDecoder: func() output.Decoder { return thirdAnswers{} },
		NewReader:  func() provider.AnswerReader { return thirdAnswers{} },
	}
}

func (p third) Connect(provider.ConnectOptions) provider.Connection {
	return &thirdConnection{Units: provider.Units{Tariff: p.Interface().Tariff, Source: "the units of searches"}, service: p.service}
}

func (p third) Check(ctx context.Context, at provider.Endpoint, c *provider.Checks) error {
	status, _, err := p.Connect(provider.ConnectOptions{}).Open(at, provider.UseReading)
	if err != nil {
		c.Failed("third configuration", err)
		return nil
	}
	account, err := status.Status(ctx)
	if err != nil {
		c.Problem(problem.Refused, "third key", "give_key_third", "%s", c.Explain(err))
		return nil
	}
	c.OK("third key", "the service accepts it")
	c.Accept(account)
	c.CheckRate("third rate limit", "give_rate_third", "is assumed of the service", at.Embedded)
	return nil
}

func (p third) Show(ctx context.Context, at provider.Endpoint, _ provider.AccountReader, view *report.Account) error {
	status, _, err := p.Connect(provider.ConnectOptions{}).Open(at, provider.UseReading)
	if err != nil {
		return err
	}
	account, err := status.Status(ctx)
	if err == nil {
		about := p.Interface()
		view.Others = append(view.Others, report.OtherAccountOf(about.Catalogue, about.Tariff, account))
	}
	return err
}

// thirdConnection calls the service.
type thirdConnection struct {
	provider.Units
	service *thirdService
	key     string
}

func (c *thirdConnection) Open(at provider.Endpoint, use provider.Use) (dispatch.StatusReader, dispatch.Finder, error) {
	c.key = at.Key
	if use == provider.UsePaying {
		return c, c, nil
	}
	return c, nil, nil
}

func (*thirdConnection) Close() {}

func (c *thirdConnection) Status(context.Context) (cost.Account, error) {
	if c.key != "third-key" {
		return cost.Account{}, errors.New("the service refuses the key")
	}
	c.service.mu.Lock()
	defer c.service.mu.Unlock()
	account := cost.Account{ReadAt: time.Now(), KeyValid: cost.Known(true)}
	account.Used[searchMeter], account.Left[searchMeter], account.Reserved[searchMeter] = cost.Known(c.service.used), cost.Known(1000-c.service.used), cost.Known(int64(0))
	return account, nil
}

func (c *thirdConnection) Find(_ context.Context, lookup enrich.Lookup) enrich.Verdict {
	who := lookup.Identity.ProfileURL[strings.LastIndex(lookup.Identity.ProfileURL, "/")+1:]
	c.service.mu.Lock()
	defer c.service.mu.Unlock()
	c.service.all = append(c.service.all, who)
	if who == c.service.lost {
		c.service.lost = ""
		return enrich.Lost{Err: errors.New("connection reset")}
	}
	c.service.asked = append(c.service.asked, who)
	if who == "nobody" {
		return enrich.Answered{Status: enrich.NotFound, Data: " "}
	}
	for range lookup.Fields.Each() {
		c.service.used++
	}
	return enrich.Answered{Status: enrich.Matched, Returned: lookup.Fields, RequestID: "t-" + who, Data: who + "-9"}
}

// thirdAnswers reads the answers, which are handles.
type thirdAnswers struct{}

func (thirdAnswers) Values(answered enrich.Answered, values *enrich.Values) error {
	*values = enrich.Values{Status: answered.Status, Details: append(values.Details[:0], "")}
	for f := range answered.Returned.Each() {
		values.Fields[f] = map[enrich.Field]string{handleField: answered.Data, ratingField: "9"}[f]
	}
	if answered.Returned.Has(handleField) {
		values.Details[0] = "true"
	}
	return nil
}

func (thirdAnswers) Facts(answered enrich.Answered) (checkpoint.PersonFacts, error) {
	return checkpoint.PersonFacts{Pages: []string{answered.Data}}, nil
}

func (r thirdAnswers) Export(answered enrich.Answered) (checkpoint.PersonFacts, string, error) {
	facts, err := r.Facts(answered)
	return facts, "", err
}

func (thirdAnswers) Show(answered enrich.Answered) (any, error) { return answered.Data, nil }

// thirdBench is a program that knows the interface, and a list.
type thirdBench struct {
	*testing.T
	service *thirdService
	dir     string
	env     environment
}

func newThirdBench(t *testing.T) *thirdBench {
	b := &thirdBench{T: t, service: &thirdService{}, dir: t.TempDir()}
	b.env = quietEnvironment(map[string]string{
		"SERVICE_THIRD_BASE_URL": "https://third.example/third", "SERVICE_THIRD_API_KEY": "third-key", "BATCH_STATE": filepath.Join(b.dir, "state"),
	})
	b.env.providers = append(providers.All(), third{b.service})
	const list = "Profile URL\nhttps://pro.example/in/ann\nhttps://pro.example/in/nobody\nhttps://pro.example/in/ann\n"
	if err := os.WriteFile(b.in("list.csv"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *thirdBench) in(name string) string { return filepath.Join(b.dir, name) }

// run runs a command, which has to end with a code, and returns its JSON.
func (b *thirdBench) run(want int, args ...string) string {
	b.Helper()
	stdout, stderr, code := executeIn(b.Context(), b.env, append(args, "--json")...)
	if code != want {
		b.Fatalf("%s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, stdout, stderr)
	}
	return stdout
}

// has checks that the JSON of a command has members with values, such as accounts.*.interface. "*" is the only element
// of a list.
func (b *thirdBench) has(stdout string, members map[string]any) {
	b.Helper()
	var all any
	if err := json.Unmarshal([]byte(stdout), &all); err != nil {
		b.Fatalf("%v\n%s", err, stdout)
	}
	for path, want := range members {
		got := all
		for name := range strings.SplitSeq(path, ".") {
			if list, is := got.([]any); is && len(list) == 1 && name == "*" {
				got = list[0]
				continue
			}
			of, _ := got.(map[string]any)
			got = of[name]
		}
		if got != want {
			b.Errorf("%s is %v, want %v\n%s", path, got, want, stdout)
		}
	}
}

// arguments returns the command of a run of the list, or of its plan.
func (b *thirdBench) arguments(command string, more ...string) []string {
	return append([]string{command, b.in("list.csv"), "--fields", "handle,rating", "--max-units", "searches=10", "--max-spend", "1"}, more...)
}

// TestAFurtherInterfaceIsUsableByItsProviderAlone adds an invented interface to the list of providers. It is planned,
// run, resumed, shown and reported as the others are, and nothing outside this file names it.
func TestAFurtherInterfaceIsUsableByItsProviderAlone(t *testing.T) {
	t.Parallel()
	b := newThirdBench(t)
	b.has(b.run(exitDone, b.arguments("plan", "--name", "list", "--out", b.in("plan.json"))...), map[string]any{
		"rows.lookup": 2.0, "rows.duplicate": 1.0, "account_read": true, "steps.*.interface": "third", "steps.*.lookups": 2.0,
		"steps.*.units.*.meter": "searches", "steps.*.units.*.most": 4.0, "steps.*.units.*.left": 1000.0,
	})
	if len(b.service.asked) > 0 {
		t.Fatalf("the plan sent %q", b.service.asked)
	}
	run := []string{"run", b.in("list.csv"), "-o", b.in("out.csv"), "--yes", "--plan", b.in("plan.json")}
	for range 2 { // the second start finds everything in the journal
		b.has(b.run(exitDone, run...), map[string]any{
			"rows.matched": 1.0, "rows.not_found": 1.0, "stop": nil, "accounts.*.interface": "third", "accounts.*.units.*.used": 2.0,
		})
		if diff := cmp.Diff([]string{"ann", "nobody"}, slices.Sorted(slices.Values(b.service.asked))); diff != "" {
			t.Fatalf("asked (-want +got):\n%s", diff)
		}
		const want = "Profile URL,handle,rating,handle_verified,enrich_status,enrich_reason,enrich_charge_usd,enrich_request_id," +
			"enrich_retrieved_at,enrich_provenance,enrich_confidence,enrich_units_searches\n" +
			"https://pro.example/in/ann,ann-9,9,true,matched,,0.00,t-ann,,,,2\n" +
			"https://pro.example/in/nobody,,,,not_found,person unknown,0.00,,,,,0\n" +
			"https://pro.example/in/ann,ann-9,9,true,duplicate,same person as row 1,,t-ann,,,,\n"
		text, err := os.ReadFile(b.in("out.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Errorf("the output (-want +got):\n%s", diff)
		}
	}
	for command, members := range map[string]map[string]any{
		"status":        {"last_run.accounts.*.interface": "third", "last_run.accounts.*.units.*.used": 2.0},
		"doctor":        {"usable": true, "problems": 0.0, "warnings": 0.0},
		"report list":   {"calls": 2.0, "units.*.interface": "third", "units.*.meter": "searches", "units.*.used": 2.0},
		"account":       {"others.*.interface": "third", "others.*.key_valid": true, "others.*.units.*.used": 2.0, "others.*.units.*.left": 998.0},
		"runs":          {"runs.*.accounts.*.interface": "third"},
		"show list":     {"accounts.*.interface": "third", "accounts.*.found.handle.found": 1.0},
		"journal check": {"problems": 0.0},
		"ledger":        {"attempts": 2.0}, "journal dump": nil,
		"budget": {"account.others.*.interface": "third"},
	} {
		stdout := b.run(exitDone, strings.Fields(command)...)
		if members != nil {
			b.has(stdout, members)
		} else if !strings.Contains(stdout, "handle") {
			t.Errorf("%s does not name the fields:\n%s", command, stdout)
		}
	}
}

// TestALostCallOfAFurtherInterfaceIsReconciled loses a response. The counter of the account shows later that the call
// was not counted.
func TestALostCallOfAFurtherInterfaceIsReconciled(t *testing.T) {
	t.Parallel()
	b := newThirdBench(t)
	b.service.lost = "ann"
	run := b.arguments("run", "-o", b.in("out.csv"), "--yes", "--settle-delay", "0s")
	b.has(b.run(exitDone, run...), map[string]any{"rows.matched": 1.0, "rows.not_found": 1.0, "in_doubt": 0.0})
	if diff := cmp.Diff([]string{"ann", "ann", "nobody"}, slices.Sorted(slices.Values(b.service.all))); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	b.has(b.run(exitDone, "reconcile", "--settle-delay", "0s"), map[string]any{"in_doubt": 0.0})
}

// TestErrorsAboutAFurtherInterfaceNameIt has no address, another address and another key than before.
func TestErrorsAboutAFurtherInterfaceNameIt(t *testing.T) {
	t.Parallel()
	b := newThirdBench(t)
	run := slices.Clip(b.arguments("run", "-o", b.in("out.csv"), "--yes"))
	b.run(exitDone, run...)
	for name, test := range map[string]struct {
		vars map[string]string
		args []string
		code int
		want string
	}{
		"no address": {
			map[string]string{"SERVICE_BASE_URL": "https://a.example/api/v1"},
			run, exitUsage,
			"needs the third interface, which is not configured: set SERVICE_THIRD_BASE_URL and SERVICE_THIRD_API_KEY",
		},
		"a wrong address":                 {map[string]string{"SERVICE_THIRD_BASE_URL": "third.example"}, run, exitUsage, "give --base-url-third like https://host/third"},
		"another address beside v1":       {map[string]string{"SERVICE_THIRD_BASE_URL": "https://other.example/third", "SERVICE_BASE_URL": "https://third.example/third"}, run, exitUsage, "give the earlier address with --base-url-third"},
		"a key that is refused":           {map[string]string{"SERVICE_THIRD_API_KEY": "wrong", "SERVICE_THIRD_BASE_URL": "https://third.example/third"}, []string{"doctor"}, exitRefused, "Set SERVICE_THIRD_API_KEY to the key of the third interface"},
		"units of no interface":           {map[string]string{"SERVICE_THIRD_BASE_URL": "https://third.example/third"}, append(run, "--max-units", "seats=1"), exitUsage, "the modules are companies, contacts, financials, digital_insights, ownership, watch, email_count, phone_count, searches"},
		"an interface that there is not":  {map[string]string{"SERVICE_THIRD_BASE_URL": "https://third.example/third"}, append(run, "--from", "fourth"), exitUsage, "the interfaces are v1, v2, "},
		"the sandbox, which has no third": {nil, append(run, "--sandbox"), exitUsage, "which is not configured"},
	} {
		vars := map[string]string{"SERVICE_THIRD_API_KEY": "third-key", "BATCH_STATE": b.in("state")}
		maps.Copy(vars, test.vars)
		env := quietEnvironment(vars)
		env.providers = b.env.providers
		stdout, stderr, code := executeIn(t.Context(), env, test.args...)
		if code != test.code || !strings.Contains(stdout+stderr, test.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", name, code, test.code, test.want, stdout, stderr)
		}
	}
}
