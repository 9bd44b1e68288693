// This file runs an interface that does not exist through the scan, the dispatcher, the journal and the output: it has
// five fields, three meters and no money. Nothing outside this package knows it.

package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// The fields of the interface.
const (
	company enrich.Field = iota
	financials
	insights
	ownership
	contactField
)

// The meters of the interface, besides money, which it does not take.
const (
	companies cost.Meter = iota + 1
	modules
	contacts
)

func catalogue() enrich.Catalogue {
	c := enrich.Named("company", "financials", "insights", "ownership", "contact")
	c.Interface = "third"
	c.Fields[contactField].Role = "email" // it fills the column of emails
	c.Details = []enrich.Detail{
		{Name: "legal_form"},
		{Name: "contact_role", Of: enrich.FieldsOf(contactField)},
		{Name: "raw", Optional: true},
	}
	c.Operations = map[enrich.Fields]string{c.All(): "everything"}
	return c
}

func tariff() cost.Tariff {
	t := cost.Tariff{Meters: []cost.MeterInfo{{Name: "usd"}, {Name: "companies"}, {Name: "modules"}, {Name: "contacts"}}}
	for f, meter := range map[enrich.Field]cost.Meter{
		company: companies, financials: modules, insights: modules, ownership: modules, contactField: contacts,
	} {
		t.Rates[f].Uses[meter] = 1
	}
	return t
}

// free are the prices of the fields.
func free() cost.Prices {
	return cost.Prices{company: 0, financials: 0, insights: 0, ownership: 0, contactField: 0}
}

// said is an answer of the interface, as the journal keeps it.
type said struct {
	Values    map[string]string
	LegalForm string
	Role      string
}

// decoder reads answers of the interface.
type decoder struct{}

func (decoder) Values(answered enrich.Answered, values *enrich.Values) error {
	var s said
	if err := json.Unmarshal([]byte(answered.Data), &s); err != nil {
		return err
	}
	*values = enrich.Values{Status: answered.Status, Details: append(values.Details[:0], s.LegalForm, s.Role, answered.Data)}
	for f := range catalogue().All().Each() {
		values.Fields[f] = s.Values[catalogue().Name(f)]
	}
	return nil
}

// service answers lookups. It knows no ownership, and loses the response about "lost".
type service struct{ asked []string }

func (s *service) Find(_ context.Context, lookup enrich.Lookup) enrich.Verdict {
	who := lookup.Identity.ProfileURL[strings.LastIndex(lookup.Identity.ProfileURL, "/")+1:]
	s.asked = append(s.asked, who+": "+catalogue().Operation(lookup.Fields))
	if who == "lost" {
		return enrich.Lost{Err: errors.New("connection reset")}
	}
	fields := lookup.Fields.Without(enrich.FieldsOf(ownership))
	answer := said{Values: map[string]string{}, LegalForm: "plc", Role: "director"}
	for f := range fields.Each() {
		answer.Values[catalogue().Name(f)] = catalogue().Name(f) + " of " + who
	}
	data, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	status := enrich.Matched
	if fields != lookup.Fields {
		status = enrich.Partial
	}
	return enrich.Answered{Status: status, Returned: fields, RequestID: "r-" + who, Data: string(data)}
}

// Status returns an account of which nothing is known.
func (*service) Status(context.Context) (cost.Account, error) { return cost.Account{}, nil }

type list string

func (l list) Open([]int) (table.Reader, error) {
	return csvtable.NewReader(strings.NewReader(string(l)), "list.csv", csvtable.Options{Encoding: csvtable.UTF8})
}

// rig is a workspace with an account of the interface.
type rig struct {
	*testing.T
	*checkpoint.Journal
	store   *badgerstore.Store
	service service
	scope   scan.Scope
	list    list
}

func newRig(t *testing.T, text string, wanted ...enrich.Field) *rig {
	r := &rig{T: t, list: list(text)}
	reader, err := r.list.Open(nil)
	r.check(err)
	reading, err := columns.Recognise(reader.Schema(), nil, columns.Options{Catalogue: catalogue()})
	r.check(err)
	r.check(reader.Close())
	r.scope = scan.Scope{Catalogue: catalogue(), Mapping: reading.Mapping, Wanted: enrich.FieldsOf(wanted...), Prefer: enrich.ByProfile}
	r.store, err = badgerstore.Open(t.TempDir(), badgerstore.Options{})
	r.check(err)
	r.Journal, err = checkpoint.New(r.store, checkpoint.Options{
		Catalogue: catalogue(), Tariff: tariff(), Rate: checkpoint.Rate{Slots: 1000, Window: time.Minute}, Now: time.Now,
	})
	r.check(err)
	t.Cleanup(func() { r.check(r.Close()) })
	return r
}

func (r *rig) check(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// run scans the list and sends its lookups. It returns what the scan counted.
func (r *rig) run(ceilings ...cost.Ceiling) (scan.Counts, dispatch.Stop) {
	r.Helper()
	taken, err := scan.New(r.Context(), r.scope, r.list, r.Journal)
	r.check(err)
	next, done := taken.Lookups(r.Context(), r.list)
	defer done()
	lookups := &dispatch.Lookups{
		Ledger: r.Journal, Finder: &r.service, Concurrency: 1, Now: time.Now, Catalogue: catalogue(), Tariff: tariff(),
		Reconciler: &dispatch.Reconciler{Arbiter: r.Journal, Status: &r.service, Now: time.Now},
		Request:    attempt.Request{Run: "run", Rates: tariff().At(free()), Ceilings: ceilings},
	}
	_, stop, err := lookups.Run(r.Context(), next)
	r.check(err)
	return taken.Count(), stop
}

// write returns the output of the list.
func (r *rig) write(optional bool) string {
	r.Helper()
	index, err := scan.NewIndex(r.Context(), r.scope, r.list, r.Journal)
	r.check(err)
	made := output.Output{Scope: r.scope, Run: "run", Decoder: decoder{}, Optional: optional}
	reader, err := r.list.Open(nil)
	r.check(err)
	var text bytes.Buffer
	writer := csvtable.NewWriter(&text, reader.(*csvtable.Reader), made.Columns(reader.Schema()))
	_, err = made.Write(r.Context(), r.list, index, r.Journal, writer, nil)
	r.check(errors.Join(err, writer.Close(), reader.Close(), index.Close()))
	return text.String()
}

// TestAnInterfaceOfFiveFieldsRuns sends a list once, writes it, and finds nothing to send a second time.
func TestAnInterfaceOfFiveFieldsRuns(t *testing.T) {
	r := newRig(t, "Profile URL,Email\n"+
		"https://net.example/acme,\n"+
		"https://net.example/bolt,info@bolt.example\n"+
		"https://net.example/acme,\n"+
		",\n", company, financials, ownership, contactField)
	counts, stop := r.run()
	if stop != nil {
		t.Fatalf("the run stopped: %v", stop)
	}
	all, filled := r.scope.Wanted, r.scope.Wanted.Without(enrich.FieldsOf(contactField))
	if diff := cmp.Diff(cost.Workload{all: 1, filled: 1}, counts.Lookups); diff != "" {
		t.Errorf("lookups by fields (-want +got):\n%s", diff)
	}
	asked := []string{"acme: company,financials,ownership,contact", "bolt: company,financials,ownership"}
	if diff := cmp.Diff(asked, r.service.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if used, want := r.Totals(checkpoint.ScopeAll).Settled, (cost.Amounts{companies: 2, modules: 2, contacts: 1}); used != want {
		t.Errorf("%v were used, want %v", used, want)
	}
	const want = "Profile URL,Email,company,financials,ownership,legal_form,contact_role," +
		"enrich_status,enrich_reason,enrich_charge_usd,enrich_request_id,enrich_retrieved_at,enrich_provenance,enrich_confidence\n" +
		"https://net.example/acme,contact of acme,company of acme,financials of acme,,plc,director,partial,ownership not found,0.00,r-acme,,,\n" +
		"https://net.example/bolt,info@bolt.example,company of bolt,financials of bolt,,plc,,partial,ownership not found,0.00,r-bolt,,,\n" +
		"https://net.example/acme,contact of acme,company of acme,financials of acme,,plc,director,duplicate,same person as row 1,,r-acme,,,\n" +
		",,,,,,,unidentifiable,no profile URL and no name,,,,,\n"
	if diff := cmp.Diff(want, r.write(false)); diff != "" {
		t.Errorf("the output (-want +got):\n%s", diff)
	}
	if text := r.write(true); !strings.Contains(text, "enrich_confidence,raw\n") || !strings.Contains(text, `""company of acme""`) {
		t.Errorf("the optional detail is not the last column of\n%s", text)
	}
	if counts, _ := r.run(); counts.Lookup != 0 || len(r.service.asked) != len(asked) {
		t.Errorf("a second run has %d lookups, %q were asked", counts.Lookup, r.service.asked)
	}
	_, err := verify.Check(r.store, catalogue(), nil, func(p verify.Problem) { t.Errorf("%s %s", p.Record, p.Text) })
	r.check(err)
}

// TestUnitsOfAModuleLimitARun: of three companies the first two use all units that the run may use. What
// a lost call holds counts.
func TestUnitsOfAModuleLimitARun(t *testing.T) {
	r := newRig(t, "Profile URL\nhttps://net.example/lost\nhttps://net.example/acme\nhttps://net.example/bolt\n", insights, ownership)
	_, stop := r.run(cost.Ceiling{Name: "modules", Scope: checkpoint.RunScope("run"), Meter: modules, Limit: 3})
	if stop == nil || stop.Word() != "ceiling:modules" {
		t.Errorf("stop %v, want that of the ceiling on modules", stop)
	}
	if diff := cmp.Diff([]string{"lost: insights,ownership"}, r.service.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if held := r.Totals(checkpoint.RunScope("run")).Held; held != (cost.Amounts{modules: 2}) {
		t.Errorf("the lost call holds %v, want 2 units of modules", held)
	}
	if text := r.write(false); !strings.Contains(text, "https://net.example/lost,,,,,in_doubt,") {
		t.Errorf("the output does not say that the call is in doubt:\n%s", text)
	}
}
