package simulation

import (
	"bytes"
	"context"
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

// people is the catalogue of another invented interface. It knows where persons work: its answers have the
// ids of companies.
func people() enrich.Catalogue {
	c := enrich.Named("employer")
	c.Interface = "people"
	c.Details = []enrich.Detail{{Name: "employer_id", Of: c.All(), Role: string(columns.CompanyID)}}
	return c
}

func peopleTariff() cost.Tariff {
	t := cost.Tariff{Meters: []cost.MeterInfo{{Name: "usd"}, {Name: "people"}}}
	t.Rates[0].Uses[1] = 1
	return t
}

// register answers lookups of people. The answer is the id of the company, which is the part of the address
// before "-".
type register struct{ asked []string }

func (r *register) Find(_ context.Context, lookup enrich.Lookup) enrich.Verdict {
	who := lookup.Identity.ProfileURL[strings.LastIndex(lookup.Identity.ProfileURL, "/")+1:]
	r.asked = append(r.asked, who)
	id, _, known := strings.Cut(who, "-")
	if !known {
		return enrich.Answered{Status: enrich.NotFound, Data: " "}
	}
	return enrich.Answered{Status: enrich.Matched, Returned: 1, RequestID: "p-" + who, Data: id}
}

func (*register) Status(context.Context) (cost.Account, error) { return cost.Account{}, nil }

// Values reads an answer.
func (*register) Values(answered enrich.Answered, values *enrich.Values) error {
	*values = enrich.Values{Status: answered.Status, Details: append(values.Details[:0], "")}
	if answered.Returned != 0 {
		values.Fields[0], values.Details[0] = "employer "+answered.Data, answered.Data
	}
	return nil
}

// companyService answers lookups of companies by id.
type companyService struct {
	service
	asked []enrich.Lookup
}

func (s *companyService) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	s.asked = append(s.asked, lookup)
	return s.service.Find(ctx, enrich.Lookup{
		Identity: enrich.Identity{ProfileURL: "/" + lookup.Identity.Company.ID}, Fields: lookup.Fields,
	})
}

// TestASecondStepAsksForCompaniesThatAnswersOfTheFirstName asks an interface for the employers of persons,
// and then another one for these companies: once for each company, with no call for a person without one.
// Both accounts lie in one journal.
func TestASecondStepAsksForCompaniesThatAnswersOfTheFirstName(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	contacts := list("Profile URL\nhttps://net.example/7-ann\nhttps://net.example/8-bob\n" +
		"https://net.example/7-cem\nhttps://net.example/dan\n")
	store, err := badgerstore.Open(t.TempDir(), badgerstore.Options{})
	check(err)
	rate := checkpoint.Rate{Slots: 1000, Window: time.Minute}
	journal, err := checkpoint.New(store, checkpoint.Options{
		Catalogue: people(), Tariff: peopleTariff(), Rate: rate, Now: time.Now,
	})
	check(err)
	t.Cleanup(func() { check(journal.Close()) })
	number, err := journal.Account(
		checkpoint.AccountID{Interface: "third", Service: "https://third.example", Key: "key"},
		checkpoint.AccountOptions{Rate: rate, Catalogue: catalogue(), Tariff: tariff()},
	)
	check(err)
	third, err := journal.For(number)
	check(err)

	persons, asked := &register{}, &companyService{}
	accounts := []*checkpoint.Journal{journal, third}
	finders := []dispatch.Finder{persons, asked}
	status := []dispatch.StatusReader{persons, asked}
	rates := []cost.Rates{peopleTariff().At(cost.Prices{0: 0}), tariff().At(free())}
	mapping := columns.Mapping{columns.ProfileURL: {0}}
	run := output.Steps{
		{
			Name: "people", Account: journal,
			Output: output.Output{Run: "run", Decoder: persons, Scope: scan.Scope{
				Catalogue: people(), Mapping: mapping, Wanted: people().All(),
			}},
		},
		{
			Name: "companies", Account: third,
			Output: output.Output{Run: "run", Decoder: decoder{}, Scope: scan.Scope{
				Catalogue: catalogue(), Subject: enrich.Companies, Mapping: columns.Mapping{},
				Wanted: enrich.FieldsOf(company, insights),
			}},
		},
	}
	send := func(ctx context.Context, step int, found *scan.Scan, rows scan.List) (output.Sent, error) {
		next, done := found.Lookups(ctx, rows)
		defer done()
		lookups := &dispatch.Lookups{
			Ledger: accounts[step], Finder: finders[step], Concurrency: 1, Now: time.Now,
			Catalogue:  run[step].Scope.Catalogue,
			Tariff:     []cost.Tariff{peopleTariff(), tariff()}[step],
			Reconciler: &dispatch.Reconciler{Arbiter: accounts[step], Status: status[step], Now: time.Now},
			Request:    attempt.Request{Run: "run", Rates: rates[step]},
		}
		_, stop, err := lookups.Run(ctx, next)
		return output.Sent{Stop: stop}, err
	}
	for range 2 { // the second time nothing is asked
		stops, err := run.Run(t.Context(), contacts, nil, send)
		if check(err); stops.FirstStop() != nil {
			t.Fatalf("the run stopped: %v", stops)
		}
	}
	if diff := cmp.Diff([]string{"7-ann", "8-bob", "7-cem", "dan"}, persons.asked); diff != "" {
		t.Errorf("persons that were asked for (-want +got):\n%s", diff)
	}
	fields := enrich.FieldsOf(company, insights)
	companies := []enrich.Lookup{
		{Identity: enrich.Identity{Company: enrich.Company{ID: "7"}}, Fields: fields},
		{Identity: enrich.Identity{Company: enrich.Company{ID: "8"}}, Fields: fields},
	}
	if diff := cmp.Diff(companies, asked.asked); diff != "" {
		t.Errorf("companies that were asked for (-want +got):\n%s", diff)
	}
	decided := output.NewDecidedAnswers(output.TableSteps{{}, {Interface: insightTable{}, Answers: third, Wanted: fields}})
	run[1].Decided = func(of enrich.Field, id attempt.ID) { decided.Add(1, of, id) }
	rows, err := run.After(contacts, len(run))
	check(err)
	reader, err := contacts.Open(nil)
	check(err)
	var text bytes.Buffer
	writer := csvtable.NewWriter(&text, reader.(*csvtable.Reader), run.Outputs().Columns(reader.Schema()))
	_, err = rows.Write(t.Context(), contacts, writer, nil)
	check(errors.Join(err, writer.Close(), reader.Close(), rows.Close()))
	const want = "Profile URL,employer,company,insights,employer_id,legal_form,contact_role,enrich_status,enrich_reason," +
		"enrich_charge_usd,enrich_request_id,enrich_retrieved_at,enrich_provenance,enrich_confidence," +
		"enrich_charge_usd_people,enrich_charge_usd_companies\n" +
		"https://net.example/7-ann,employer 7,company of 7,insights of 7,7,plc,,matched,,0.00,p-7-ann r-7,,,,0.00,0.00\n" +
		"https://net.example/8-bob,employer 8,company of 8,insights of 8,8,plc,,matched,,0.00,p-8-bob r-8,,,,0.00,0.00\n" +
		"https://net.example/7-cem,employer 7,company of 7,insights of 7,7,plc,,matched,,0.00,p-7-cem r-7,,,,0.00,\n" +
		"https://net.example/dan,,,,,,,not_found,\"people: person unknown; companies: " +
		string(enrich.NoCompanyIdentifiers) + "\",0.00,,,,,0.00,\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("the output (-want +got):\n%s", diff)
	}
	insightFile := &insightFile{}
	if _, err := decided.Write(t.Context(), insightFile); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("id,text\n7,insights of 7\n8,insights of 8\n", insightFile.String()); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
	var dump bytes.Buffer
	check(verify.Dump(store, nil, &dump, nil))
	for _, named := range []string{
		`"Fields":"employer"`, `"returned":"employer"`, `"field":"employer"`,
		`"Fields":"company,insights"`, `"returned":"company,insights"`, `"field":"insights"`, `"rates":{"company":`,
	} {
		if !strings.Contains(dump.String(), named) {
			t.Errorf("the dump has no %s", named)
		}
	}
	if text := dump.String(); strings.Contains(text, "work_email") || strings.Contains(text, "field_") {
		t.Errorf("the dump names fields of no account:\n%s", text)
	}
	_, err = verify.Check(store, people(), nil, func(p verify.Problem) { t.Errorf("%s %s", p.Record, p.Text) })
	check(err)
}

// insightTable is the table of the insights of the third interface.
type insightTable struct{}

func (insightTable) Tables() []enrich.Table {
	return []enrich.Table{{Name: "insights", Of: insights, Key: "id", Columns: []enrich.TableColumn{{Name: "text"}}}}
}

func (insightTable) Rows(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	var values enrich.Values
	err := decoder{}.Values(answer, &values)
	cell := enrich.Cell{Known: true, Text: values.Fields[of]}
	return []enrich.TableRow{{Cells: []enrich.Cell{cell}}}, enrich.CellProblems{}, err
}

func (t insightTable) Extras(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	return t.Rows(of, answer)
}

// insightFile is the file of that table.
type insightFile struct{ bytes.Buffer }

func (f *insightFile) Create(_ string, columns []table.Column) (table.Writer, error) {
	return csvtable.NewEncoder(f, csvtable.Dialect{Delimiter: ','}, table.Schema{}, columns), nil
}
