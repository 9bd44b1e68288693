package v2

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
)

// recordsShown writes cells as "name=value", without those that are not known.
func recordsShown(columns []enrich.TableColumn, cells []enrich.Cell) string {
	if len(columns) != len(cells) {
		return fmt.Sprintf("%d columns, %d cells", len(columns), len(cells))
	}
	var texts []string
	for i, cell := range cells {
		if cell.Kind != columns[i].Kind {
			return columns[i].Name + " is " + cell.Kind.String()
		}
		if cell.Known {
			texts = append(texts, columns[i].Name+"="+cell.String())
		}
	}
	return strings.Join(texts, "\n")
}

func wantShown(t *testing.T, columns []enrich.TableColumn, cells []enrich.Cell, want string) {
	t.Helper()
	if diff := cmp.Diff(want, recordsShown(columns, cells)); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

func wantProblems(t *testing.T, problems enrich.CellProblems, want string) {
	t.Helper()
	if diff := cmp.Diff(want, problems.Text()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestCompanyIsReadWhole(t *testing.T) {
	c, err := decodeCompany([]byte(`{"id": 4711, "name": " Acme\u0000 Ltd ", "registration_number": "00123", "country_code": "GB",
		"company_phone": ["+44 1", "+44 2"], "company_email": [], "company_fax": null, "company_website": "acme.example",
		"company_legal_form": "Ltd", "status": "active", "brands": "", "address_street": "1 High St", "address_location": "x",
		"address_city": "Leeds", "country_region": null, "zip_code": 12345, "country_name": "United Kingdom", "size": "51-200",
		"vat_number": null, "founding_date": "1999-12-31", "industry": [{"id": 1, "type": "industry_focus", "value": "Tools"}],
		"sic": [{"id": 2, "type": "sic_code_gb", "value": "25730 - Tools"}, {"id": 3}], "microblog": null,
		"pro_network": "net.example/acme", "social": null, "of_tomorrow": {"a": 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, c.CellProblems, "")
	wantShown(t, columnsOf(company), c.Cells(), `id=4711
name=Acme Ltd
registration_number=00123
country_code=GB
company_phone=["+44 1","+44 2"]
company_email=[]
company_website=acme.example
company_legal_form=Ltd
status=active
brands=
address_street=1 High St
address_location=x
address_city=Leeds
zip_code=12345
country_name=United Kingdom
size=51-200
founding_date=1999-12-31
industry=Tools
sic=25730 - Tools
pro_network=net.example/acme`)
	if c.Faxes != nil || c.Emails == nil || len(c.SIC) != 2 || c.SIC[0].Type != cost.Known("sic_code_gb") {
		t.Errorf("faxes %v, emails %v, codes %v", c.Faxes, c.Emails, c.SIC)
	}
}

func TestIdentifiersAreReadAsText(t *testing.T) {
	for body, want := range map[string]string{
		`{"id": 12}`: "12", `{"id": "12"}`: "12", `{"id": "007"}`: "007", `{"id": 12345678901234567890}`: "12345678901234567890",
		`{"id": "a-b"}`: "a-b",
	} {
		c, err := decodeCompany([]byte(body))
		if err != nil || c.ID != cost.Known(want) {
			t.Errorf("%s: %+v, error %v", body, c.ID, err)
		}
	}
}

// TestAWrongMemberDoesNotLoseTheRest gives every kind of member a wrong type.
func TestAWrongMemberDoesNotLoseTheRest(t *testing.T) {
	c, err := decodeCompany([]byte(`{"id": {"a": 1}, "name": "Acme", "company_phone": {"x": 1}, "company_email": ["a", 5, {}, null],
		"founding_date": "soon", "industry": "Tools", "sic": [7, null, {"id": [], "value": "25730"}], "status": true}`))
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, c.CellProblems, "id is not text; company_phone is not a list of texts; company_email[2] is not text; "+
		"status is not text; founding_date is not a date; industry is not a list; sic[0] is not an object; sic[2].id is not text")
	wantShown(t, columnsOf(company), c.Cells(), "name=Acme\ncompany_email=[\"a\",\"5\"]\nsic=25730")
}

func TestCellProblemsAreCountedAndOnlyTheFirstKept(t *testing.T) {
	c, err := decodeCompany([]byte(`{"name": "Acme", "industry": [` + strings.Repeat("1,", 100000) + `1]}`))
	if err != nil || len(c.CellProblems.First) != enrich.MaxCellProblems || c.CellProblems.Count != 100001 {
		t.Errorf("%d of %d problems, error %v", len(c.CellProblems.First), c.CellProblems.Count, err)
	}
	if text := c.CellProblems.Text(); !strings.HasSuffix(text, "; 99901 more") {
		t.Errorf("problems end in %q", text[len(text)-20:])
	}
}

func TestEmployeeIsReadWhole(t *testing.T) {
	e, err := decodeEmployee([]byte(`{"id": "9", "full_name": "Ada Lovelace", "first_name": "Ada", "last_name": "Lovelace",
		"patronime_name": null, "gender": "F", "seniority_level": ["director"], "department": ["R&D", {"id": 1}],
		"function_original_name": "Analyst", "phone": "+44 1", "email": null, "nationality": null, "company_id": 4711,
		"company_name": "Acme", "microblog": null, "pro_network": "net.example/ada", "social": null}`))
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, e.CellProblems, "")
	wantShown(t, columnsOf(employee), e.Cells(), `id=9
full_name=Ada Lovelace
first_name=Ada
last_name=Lovelace
gender=F
seniority_level=director
department=["R\u0026D","{\"id\":1}"]
function_original_name=Analyst
phone=+44 1
company_id=4711
company_name=Acme
pro_network=net.example/ada`)
	if e.EmailGiven || !e.PhoneGiven {
		t.Errorf("email given %t, phone given %t", e.EmailGiven, e.PhoneGiven)
	}
}

// TestContactDataIsCountedWhenItCannotBeRead: what was returned is paid for, readable or not.
func TestContactDataIsCountedWhenItCannotBeRead(t *testing.T) {
	for value, want := range map[string]bool{
		`"a@b.example"`: true, `["a@b.example"]`: true, `{"work":"a"}`: true, `5`: true,
		`null`: false, `""`: false, `"  "`: false, `[]`: false, `{}`: false, `false`: false,
	} {
		e, err := decodeEmployee([]byte(`{"id": 1, "email": ` + value + `}`))
		if err != nil || e.EmailGiven != want || e.PhoneGiven {
			t.Errorf("%s: given %t, error %v", value, e.EmailGiven, err)
		}
	}
}

func TestFinancialsAreTyped(t *testing.T) {
	f, err := decodeFinancials([]byte(`{"2023": {"Turnover": 1200.5, "Currency": "GBP", "Employee-Numbers": 12, "Reported-Date": "2023-12-31",
		"EBITDA": "3e2", "Goodwill": null, "Zeal": 7, "Aura": {"x": [1]}, "Mood": "good", "Open": true},
		"2022": {"Turnover": "n/a", "Employee-Numbers": 1.5, "Accounting-From-Date": 2022, "Reported-Date": "", "EBITDA": 1e999},
		"2021": null}`))
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, f.CellProblems, "2022.EBITDA is not a number; 2022.Employee-Numbers is not an integer; 2022.Turnover is not a number")
	if len(f.Years) != 2 || f.Years[0].Year != 2022 || f.Years[1].Year != 2023 {
		t.Fatalf("years %+v", f.Years)
	}
	wantShown(t, Figures(), f.Years[0].Figures, "Accounting-From-Date=2022")
	wantShown(t, Figures(), f.Years[1].Figures,
		"Reported-Date=2023-12-31\nCurrency=GBP\nEmployee-Numbers=12\nEBITDA=300\nTurnover=1200.5")
	want := []enrich.ExtraValue{
		{Name: "Aura", Cell: enrich.Cell{Kind: enrich.TextCell, Known: true, Text: `{"x":[1]}`}},
		{Name: "Mood", Cell: enrich.Cell{Kind: enrich.TextCell, Known: true, Text: "good"}},
		{Name: "Open", Cell: enrich.Cell{Kind: enrich.TextCell, Known: true, Text: "true"}},
		{Name: "Zeal", Cell: enrich.Cell{Kind: enrich.NumberCell, Known: true, Number: 7}},
	}
	if diff := cmp.Diff(want, f.Years[1].Extra); diff != "" {
		t.Errorf("extra figures (-want +got):\n%s", diff)
	}
	headline, found := f.Headline()
	if got := fmt.Sprint(headline.Year, headline.Currency, headline.Turnover, headline.Employees); !found || got != "2023 GBP 1200.5 12" {
		t.Errorf("headline %s", got)
	}
}

// TestEveryFigureArrivesTyped gives every figure of the specification a value of its type.
func TestEveryFigureArrivesTyped(t *testing.T) {
	year := map[string]any{}
	for i, figure := range Figures() {
		year[figure.Name] = map[enrich.CellKind]any{enrich.TextCell: "text", enrich.DateCell: "2024-06-30", enrich.IntegerCell: i, enrich.NumberCell: float64(i) + 0.25}[figure.Kind]
	}
	body, err := json.Marshal(map[string]any{"2024": year})
	if err != nil {
		t.Fatal(err)
	}
	f, err := decodeFinancials(body)
	if err != nil || f.CellProblems.Count > 0 || len(f.Years) != 1 || len(f.Years[0].Extra) > 0 {
		t.Fatalf("%d years, problems %s, error %v", len(f.Years), f.CellProblems.Text(), err)
	}
	for i, figure := range Figures() {
		cell := f.Years[0].Figure(figure.Name)
		want := enrich.Cell{Kind: figure.Kind, Known: true}
		switch figure.Kind {
		case enrich.TextCell:
			want.Text = "text"
		case enrich.DateCell:
			want.Time = time.Date(2024, 6, 30, 0, 0, 0, 0, time.UTC)
		case enrich.IntegerCell:
			want.Integer = int64(i)
		default:
			want.Number = float64(i) + 0.25
		}
		if diff := cmp.Diff(want, cell); diff != "" {
			t.Errorf("%s (-want +got):\n%s", figure.Name, diff)
		}
	}
}

func TestMembersThatAreNotYearsAreProblems(t *testing.T) {
	f, err := decodeFinancials([]byte(`{"2023": {"Turnover": 1}, "latest": {"Turnover": 2}, "2023/24": {}, "+203": {}, "0099": {}, "2020": "none",
		"20230": {}, "two\nlines": {}, "` + strings.Repeat("y", 200) + `": {}}`))
	if err != nil || len(f.Years) != 1 {
		t.Fatalf("years %v, error %v", f.Years, err)
	}
	wantProblems(t, f.CellProblems, `+203 is not a year; 0099 is not a year; 2020 is not an object of figures; 2023/24 is not a year; `+
		`20230 is not a year; latest is not a year; "two\nlines" is not a year; "`+strings.Repeat("y", 60)+`…" is not a year`)
}

// TestTheLastOfRepeatedFiguresCounts repeats years and figures, and names them as problems.
func TestTheLastOfRepeatedFiguresCounts(t *testing.T) {
	f, err := decodeFinancials([]byte(`{"2023": {"Turnover": 1}, "2022": {"Turnover": 5, "Cash": 7, "Turnover": 6, "Zeal": 1, "Zeal": 2},
		"2023": {"Turnover": 2, "Cash": 3}, "2023": {"Turnover": 4}}`))
	if err != nil || len(f.Years) != 2 {
		t.Fatalf("%d years, error %v", len(f.Years), err)
	}
	wantProblems(t, f.CellProblems, "2023 is not the only one of its name; 2022.Turnover is not the only one of its name; "+
		"2022.Zeal is not the only one of its name")
	wantShown(t, Figures(), f.Years[0].Figures, "Cash=7\nTurnover=6")
	wantShown(t, Figures(), f.Years[1].Figures, "Turnover=4")
	if zeal := f.Years[0].Extra; len(zeal) != 1 || zeal[0].Cell.Number != 2 {
		t.Errorf("extra figures %v", zeal)
	}
}

// TestNumbersBeyondTheirTypeAreProblems gives figures that are numbers too large for their type.
func TestNumbersBeyondTheirTypeAreProblems(t *testing.T) {
	f, err := decodeFinancials([]byte(`{"2023": {"Turnover": 1e308, "Cash": -1e400, "Goodwill": "` + strings.Repeat("9", 400) + `", "EBITDA": 123456789012345678901234567890,
		"Employee-Numbers": 99999999999999999999, "Accounting-From-Date": 1e3, "Stocks": 1` + strings.Repeat("0", 500) + `}}`))
	if err != nil || len(f.Years) != 1 {
		t.Fatalf("%d years, error %v", len(f.Years), err)
	}
	wantProblems(t, f.CellProblems, "2023.Cash is not a number; 2023.Employee-Numbers is not an integer; 2023.Goodwill is not a number")
	wantShown(t, Figures(), f.Years[0].Figures,
		"Accounting-From-Date=1000\nEBITDA=1.2345678901234568e+29\nTurnover=1e+308")
	if extra := f.Years[0].Extra; len(extra) != 1 || extra[0].Cell.Kind != enrich.TextCell || len(extra[0].Cell.Text) != 501 {
		t.Errorf("extra figures %v", extra)
	}
}

func TestBodiesWithoutFinancialsAreErrors(t *testing.T) {
	for body, ok := range map[string]bool{
		`{}`: true, `{"2023": {}}`: true, `{"2023": null}`: true, `{"latest": {}}`: true,
		`{"status": "ok"}`: false, `[]`: false, `null`: false, `<html>`: false, ``: false, `{"a": [1]}`: false,
	} {
		if _, err := decodeFinancials([]byte(body)); (err == nil) != ok {
			t.Errorf("%s: error %v", body, err)
		}
	}
}

func TestInsightsAreReadWhole(t *testing.T) {
	i, err := decodeInsights([]byte(`{"id": 5, "domain": "acme.example", "nameservers": null, "mx_list": ["mx1", "mx2"], "contact_email": "x@acme.example",
		"expiration_date": "2027-01-02T03:04:05", "created_at": "2020-01-02T03:04:05.25", "domain_creation_date": "1999-01-01",
		"engagement_bounce_rate": "0.4321", "engagement_page_views": 3.5, "engagement_time_on_site": "00:02:10", "engagement_total_visits": 1000,
		"engagement_total_relative_change": null, "global_rank": 77, "global_rank_change": -2, "legacy_rank": "9", "total_traffic": 5,
		"top_country_shares": [{"id": 1, "traffic_country_id": 2, "share_percent": 51.5, "share_change": null, "name": "GB", "traffic_data_id": 3}],
		"referrals": [], "keywords": ["tools", {"k": 1}], "referrals_destination": null,
		"visits": [{"id": 1, "traffic_data_id": 3, "date_value": "2026-10-01", "value": 500}],
		"stat_direct": 3, "stat_direct_percent": 12.5,
		"technologies": [{"id": 1, "name": "Web", "parent_id": null, "important": true,
			"list": [{"id": 2, "name": "nginx", "image_path": "n.png", "description": "server", "category": "Web servers"}, null]}],
		"graph": {"visits": {"categories": ["2026-10"], "data": [["2026-10-01", 500], [1759276800000, null], ["x"], ["2026-11-01", "no"]]},
			"sources": {"organic": [["2026-10-01", 0.5]], "direct": null, "referral": {}}}, "up_visits": false}`))
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, i.CellProblems, "graph.visits.data[2] is not a pair of a date and a number; graph.visits.data[3][1] is not a number; "+
		"graph.sources.referral is not a list")
	wantShown(t, insightsColumns(), i.Cells(), `id=5
domain=acme.example
mx_list=["mx1","mx2"]
contact_email=x@acme.example
expiration_date=2027-01-02T03:04:05
created_at=2020-01-02T03:04:05.25
domain_creation_date=1999-01-01
engagement_bounce_rate=0.4321
engagement_page_views=3.5
engagement_time_on_site=00:02:10
engagement_total_visits=1000
global_rank_change=-2
global_rank=77
legacy_rank=9
total_traffic=5
stat_direct=3
stat_direct_percent=12.5
referrals=[]
keywords=["tools","{\"k\":1}"]
up_visits=false`)
	rows := technologyRows(i)
	if len(rows) != 1 {
		t.Fatalf("%d technologies", len(rows))
	}
	wantShown(t, technologyColumns(), rows[0], "id=2\nname=nginx\nimage_path=n.png\ndescription=server\ncategory=Web servers\n"+
		"group_id=1\ngroup_name=Web\ngroup_important=true")
	wantShown(t, visitsColumns(), i.Visits[0].Cells(), "id=1\ntraffic_data_id=3\ndate_value=2026-10-01\nvalue=500")
	nested := fmt.Sprint(i.TopCountries[0].Name.Value, i.TopCountries[0].SharePercent.Value, i.Visits[0].Value.Value,
		i.Technologies[0].Important.Value, i.Technologies[0].List[0].Category.Value, len(i.Technologies[0].List), i.Graph)
	const want = "GB51.5 500 trueWeb servers1 {[2026-10] [{2026-10-01 {500 true}} {1759276800000 {0 false}} {2026-11-01 {0 false}}] [{2026-10-01 {0.5 true}}] [] []}"
	if nested != want {
		t.Errorf("got  %s\nwant %s", nested, want)
	}
	i.Technologies[0].List = nil
	wantShown(t, technologyColumns(), technologyRows(i)[0], "group_id=1\ngroup_name=Web\ngroup_important=true")
}

func TestOwnershipIsReadWhole(t *testing.T) {
	o, err := decodeOwnership([]byte(`{"shareholders": [{"id": 1, "name": "Holding", "quantity": 100, "currency": "GBP", "share_value": "1.00",
		"created_at": "2020-01-02T03:04:05+02:00", "share_type": "ORD", "share_price": 1.5}], "data": null,
		"group_structure": [{"id": 7, "name": "Parent",  "level": 1}, {"level": 2}]}`))
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, o.CellProblems, "")
	wantShown(t, shareholderColumns(), o.Shareholders[0].Cells(), `id=1
name=Holding
quantity=100
currency=GBP
share_value=1.00
created_at=2020-01-02T01:04:05Z
share_type=ORD
share_price=1.5`)
	wantShown(t, groupColumns(), o.GroupStructure[0].Cells(), "id=7\nentry={\"id\":7,\"level\":1,\"name\":\"Parent\"}")
	wantShown(t, groupColumns(), o.GroupStructure[1].Cells(), `entry={"level":2}`)
	if o.Data != nil || o.Empty() {
		t.Errorf("data %v, empty %t", o.Data, o.Empty())
	}
}

func TestPagesOfSearchResultsAreDecoded(t *testing.T) {
	companies, err := decodeCompanies([]byte(`{"total_results": 2, "total_pages": 1, "data": [{"id": "1", "name": "A", "status": "active",
		"country_code": "GB", "registration_number": "7"}, {"id": 2, "name": "B"}]}`))
	if err != nil || companies.Total != cost.Known(int64(2)) || companies.Pages != cost.Known(int64(1)) || len(companies.Items) != 2 {
		t.Fatalf("%+v, error %v", companies, err)
	}
	wantShown(t, columnsOf(companyItem), companies.Items[0].Cells(), "id=1\nname=A\nstatus=active\ncountry_code=GB\nregistration_number=7")
	employees, err := decodeEmployees([]byte(`{"total_employees": "5", "total_pages": null, "data": [{"id": "1", "name": "A", "company_id": 3, "company_name": "C"}]}`))
	if err != nil || employees.Total.Value != 5 || employees.Pages.Known {
		t.Fatalf("%+v, error %v", employees, err)
	}
	wantShown(t, columnsOf(employeeItem), employees.Items[0].Cells(), "id=1\nname=A\ncompany_id=3\ncompany_name=C")
	people, err := decodePeople([]byte(`{"total_employees": 1, "data": [{"id": "1", "name": "Ada", "job_title": "Analyst",
		"company": {"name": "Acme", "incorporation_date": 1999, "street_address": "1 High St"}}, {"id": "2", "company": null}]}`))
	if err != nil || len(people.Items) != 2 {
		t.Fatalf("%+v, error %v", people, err)
	}
	wantShown(t, PersonColumns(), people.Items[0].Cells(),
		"id=1\nname=Ada\njob_title=Analyst\ncompany_name=Acme\ncompany_incorporation_date=1999\ncompany_street_address=1 High St")
	for body, ok := range map[string]bool{
		`{"data": []}`: true, `{"data": null}`: true, `{"data": {}}`: false, `{}`: false, `[]`: false, `{"total_results": 0}`: false,
	} {
		if _, err := decodeCompanies([]byte(body)); (err == nil) != ok {
			t.Errorf("page %s: error %v", body, err)
		}
	}
	for body, ok := range map[string]bool{`[]`: true, `null`: true, ` [{"id":1}] `: true, `{}`: false, `"a"`: false, ``: false} {
		if _, err := decodeCandidates([]byte(body)); (err == nil) != ok {
			t.Errorf("candidates %s: error %v", body, err)
		}
	}
}

func TestWatchAndUsageAreRead(t *testing.T) {
	list, err := decodeWatched([]byte(`{"data": [{"id": 1, "name": "A", "date": "2026-11-20", "fields": ["name"]}], "total_results": 1, "pages": 1}`))
	if err != nil || list.Pages.Value != 1 || list.Items[0].Fields[0] != "name" || list.Items[0].Date.Value.Day() != 20 {
		t.Errorf("%+v, error %v", list, err)
	}
	events, err := decodeEvents([]byte(`{"data": [{"status": "UPDATED", "message": "m", "date_created": "2026-11-20T10:00:00Z", "event_type": "name"}]}`))
	if err != nil || events.Items[0].Type != cost.Known("name") || events.Items[0].Created.Value.Hour() != 10 {
		t.Errorf("%+v, error %v", events, err)
	}
	fields, problems, err := decodeFieldNames([]byte(`["name", 5, {}]`))
	if err != nil || fmt.Sprint(fields) != "[name 5]" || problems.Count != 1 {
		t.Errorf("%v, problems %s, error %v", fields, problems.Text(), err)
	}
	for body, want := range map[string]string{
		`{"callback": "https://a.example/x"}`: "https://a.example/x true <nil>", `{"callback": null}`: " false <nil>",
		`{"callback": {}}`: " false the callback is not a text",
	} {
		callback, err := decodeCallback([]byte(body))
		if got := fmt.Sprint(callback.Value, " ", callback.Known, " ", err); got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
	groups, problems, err := decodeUsage([]byte(`[{"name": "Data", "codename": "data", "metrics": [{"name": "Companies", "codename": "companies",
		"used": 3, "total": "1000"}, {"codename": "contacts", "used": "many"}]}]`))
	wantProblems(t, problems, "results[0].metrics[1].used is not an integer")
	if err != nil || groups[0].Metrics[0].Used.Value != 3 || groups[0].Metrics[0].Total.Value != 1000 || groups[0].Metrics[1].Used.Known {
		t.Errorf("%+v, error %v", groups, err)
	}
	counts, _, err := decodeContactCounts([]byte(`{"email_count": 0}`))
	if err != nil || counts.Emails != cost.Known(int64(0)) || counts.Phones.Known {
		t.Errorf("%+v, error %v", counts, err)
	}
}

// TestBodiesThatAreNotRecordsAreErrors gives bodies that are no record at all.
func TestBodiesThatAreNotRecordsAreErrors(t *testing.T) {
	for _, body := range []string{``, `null`, `[]`, `"x"`, `7`, `{}`, `{"detail": "x"}`, `<html>`, `{"id": 1`, `{"id": 1} x`} {
		_, company := decodeCompany([]byte(body))
		_, employee := decodeEmployee([]byte(body))
		_, insights := decodeInsights([]byte(body))
		_, ownership := decodeOwnership([]byte(body))
		if company == nil || employee == nil || insights == nil || ownership == nil {
			t.Errorf("%q: %v, %v, %v, %v", body, company, employee, insights, ownership)
		}
	}
}

// technologyRows returns the cells of every technology, in the order of technologyColumns.
func technologyRows(i Insights) (rows [][]enrich.Cell) {
	i.eachTechnology(func(one technologyOf) { rows = append(rows, cellsOf(one, technologyRow)) })
	return rows
}
