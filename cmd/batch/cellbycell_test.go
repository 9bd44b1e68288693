package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"payonce/io/sandbox"
	sandboxv2 "payonce/io/sandbox/v2"
)

// object is an object of the service's JSON.
type jsonObject map[string]json.RawMessage

// column is where a member of an object stands, and its type.
type memberColumn struct {
	name string
	kind memberKind
}

// comparing compares outputs with what the service says over HTTP.
type comparing struct {
	*testing.T
	url, dir string
	vars     map[string]string
	cells    int // that were compared
}

func newComparing(t *testing.T) *comparing {
	t.Helper()
	config := sandbox.DefaultConfig()
	config.Window.Limit, config.V2.Window.Limit = 100_000, 100_000
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	server := httptest.NewServer(service.Handler())
	t.Cleanup(server.Close)
	return &comparing{T: t, url: server.URL, dir: t.TempDir(), vars: map[string]string{
		"SERVICE_API_KEY": sandbox.DefaultKey, "SERVICE_BASE_URL": server.URL + "/api/v1",
		"SERVICE_V2_API_KEY": sandboxv2.DefaultKey, "SERVICE_V2_BASE_URL": server.URL + "/v2",
	}}
}

// ask returns what the service answers, nil when it finds nothing.
func (c *comparing) ask(method, path, authorization string, body any) json.RawMessage {
	c.Helper()
	var payload bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&payload).Encode(body); err != nil {
			c.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(c.Context(), method, c.url+path, &payload)
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	if response.StatusCode == http.StatusNotFound {
		return nil
	}
	if response.StatusCode != http.StatusOK {
		c.Fatalf("%s %s: %d %s", method, path, response.StatusCode, answer)
	}
	return answer
}

// second asks the second interface.
func (c *comparing) second(method, path string, body any) json.RawMessage {
	c.Helper()
	return c.ask(method, "/v2"+path, "Token "+sandboxv2.DefaultKey, body)
}

// decoded reads JSON.
func decoded[T any](c *comparing, raw json.RawMessage) (value T) {
	c.Helper()
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &value); err != nil {
			c.Fatalf("%v: %s", err, raw)
		}
	}
	return value
}

// run runs a command, which has to succeed.
func (c *comparing) run(args ...string) {
	c.Helper()
	args = append(args, "--state", filepath.Join(c.dir, "state"), "--json")
	if stdout, stderr, code := executeIn(c.Context(), quietEnvironment(c.vars), args...); code != exitDone {
		c.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// outputs runs a list and writes its output in every format. It returns the rows by the ending of the file's name, and
// those of the tables by the ending and the name of the table.
func (c *comparing) outputs(name, content string, flags ...string) (lists map[string]typedRows, tables map[string]map[string]typedRows) {
	c.Helper()
	path := filepath.Join(c.dir, name+".csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.Fatal(err)
	}
	run := append([]string{"run", path, "--name", name, "--yes", "--rate-v2", "100000/1s", "-o", filepath.Join(c.dir, name+".out.csv")}, flags...)
	hasTables := slices.Contains(flags, "company,financials,insights,ownership")
	if hasTables {
		run = append(run, "--tables", c.tables(name, "csv"), "--tables-format", "csv")
	}
	c.run(run...)
	lists, tables = map[string]typedRows{}, map[string]map[string]typedRows{}
	for _, ending := range []string{".csv", ".jsonl", ".parquet", ".xlsx"} {
		out := filepath.Join(c.dir, name+".out"+ending)
		write := []string{"write", name, "-o", out}
		if hasTables && ending == ".parquet" {
			write = append(write, "--tables", c.tables(name, "parquet"))
		}
		if ending != ".csv" {
			c.run(write...)
		}
		lists[ending] = readTyped(c.T, out)
		if !hasTables || ending != ".csv" && ending != ".parquet" {
			continue
		}
		tables[ending] = map[string]typedRows{}
		files, err := filepath.Glob(filepath.Join(c.tables(name, ending[1:]), "*"))
		if err != nil || len(files) == 0 {
			c.Fatalf("no tables, %v", err)
		}
		for _, file := range files {
			tables[ending][strings.TrimSuffix(filepath.Base(file), ending)] = readTyped(c.T, file)
		}
	}
	return lists, tables
}

func (c *comparing) tables(name, format string) string {
	return filepath.Join(c.dir, name+".tables."+format)
}

// row compares a row with an object. A member that stands in no column has to be among those that stand elsewhere, with
// the reason.
func (c *comparing) row(where, format string, row map[string]any, from jsonObject, columns map[string]memberColumn, elsewhere map[string]string) {
	c.Helper()
	for _, member := range slices.Sorted(maps.Keys(from)) {
		at, has := columns[member]
		switch {
		case has:
			c.cell(where, format, row, at.name, wanted(c.T, format, at.kind, from[member]))
		case elsewhere[member] == "":
			c.Errorf("%s: the member %s of the answer is in no column", where, member)
		}
	}
}

// cell compares one cell.
func (c *comparing) cell(where, format string, row map[string]any, column string, want any) {
	c.Helper()
	got, there := row[column]
	if n, isNumber := got.(json.Number); isNumber {
		f, err := n.Float64()
		if err != nil {
			c.Error(err)
		}
		got = json.Number(fmt.Sprint(cellOf(".csv", "", f)))
	}
	if c.cells++; !there || !gocmp.Equal(got, want) {
		c.Errorf("%s: %s in %s is %s (there: %t), the service says %s", where, column, format, describe(got), there, describe(want))
	}
}

// members returns columns that have the names of their members.
func members(kinds map[memberKind]string) map[string]memberColumn { return prefixed("", kinds) }

// prefixed returns columns whose names are those of members with a prefix, which they do not have twice.
func prefixed(prefix string, kinds map[memberKind]string) map[string]memberColumn {
	columns := map[string]memberColumn{}
	for kind, names := range kinds {
		for name := range strings.FieldsSeq(names) {
			columns[name] = memberColumn{prefix + strings.TrimPrefix(name, prefix), kind}
		}
	}
	return columns
}

// companyColumns are those of a company record (specification v2, "Company record").
func companyColumns() map[string]memberColumn {
	return prefixed("company_", map[memberKind]string{
		textMember: `id name registration_number country_code company_website company_legal_form status brands address_street
			address_location address_city country_region zip_code country_name size vat_number microblog pro_network social`,
		listMember: "company_phone company_email company_fax", dateMember: "founding_date",
	})
}

// figureKind returns the type of a figure (specification v2, "Financial figures").
func figureKind(name string) memberKind {
	switch name {
	case "Reported-Date":
		return dateMember
	case "Currency", "Company-Accounts-Status", "Consolidated-Accounts", "Share-of-Profit-in-Associates-or-Joint-Ventures":
		return textMember
	case "Accounting-From-Date", "Employee-Numbers":
		return integerMember
	}
	return numberMember
}

// insightsColumns are those of a digital insights record (specification v2, "Digital insights record").
func insightsColumns() map[string]memberColumn {
	return members(map[memberKind]string{
		textMember: `domain domain_name nameservers ip isp_name isp_country raw redirect_url icon_url id contact_city contact_country contact_email
			contact_name contact_phone contact_postalcode contact_state contact_street contact_organization engagement_time_on_site`,
		listMember: "mx_list referrals keywords referrals_destination", dateTimeMember: "expiration_date created_at traffic_date",
		dateMember: "domain_creation_date", flagMember: "up_visits", plainMember: "top_country_shares graph",
		integerMember: `engagement_total_visits global_rank category_rank country_rank legacy_rank total_traffic stat_organic_search stat_direct
			stat_referral`,
		numberMember: `engagement_bounce_rate engagement_page_views engagement_total_relative_change global_rank_change category_rank_change
			country_rank_change stat_organic_search_percent stat_direct_percent stat_referral_percent`,
	})
}

// TestEveryMemberOfAnswersAboutCompaniesIsInItsCell asks the service about companies, runs a list of them with all fields,
// and compares each member with its cell in all formats of lists and tables.
func TestEveryMemberOfAnswersAboutCompaniesIsInItsCell(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newComparing(t)
	answers, rows := map[string][4]jsonObject{}, "company_id\n"
	for _, id := range []string{"1", "6", "13", "21", "27", "34", "47", "55"} {
		company := c.second(http.MethodGet, "/companies/"+id, nil)
		if company == nil {
			continue
		}
		rows += id + "\n"
		answers[id] = [4]jsonObject{
			decoded[jsonObject](c, company), decoded[jsonObject](c, c.second(http.MethodGet, "/financial/"+id, nil)),
			decoded[jsonObject](c, c.second(http.MethodGet, "/digital-insights/"+id, nil)), decoded[jsonObject](c, c.second(http.MethodGet, "/ownership/"+id, nil)),
		}
	}
	lists, tables := c.outputs("companies", rows, "--fields", "company,financials,insights,ownership", "--figures", "Turnover,EBITDA,Employee-Numbers,Reported-Date",
		"--years", "2023-2024", "--max-units", "companies=50", "--max-units", "financials=50", "--max-units", "digital_insights=50", "--max-units", "ownership=50")
	for format, rows := range lists {
		if len(rows) != len(answers) {
			t.Fatalf("%d rows of %d", len(rows), len(answers))
		}
		for _, row := range rows {
			id := fmt.Sprint(row["company_id"])
			c.companyRow(id, format, row, answers[id])
		}
	}
	for format, all := range tables {
		c.companyTables(format, all, answers)
	}
	var found [4]int
	for _, answer := range answers {
		for i := range answer {
			found[i] += min(len(answer[i]), 1)
		}
	}
	if slices.Min(found[:]) < 2 || c.cells < 5000 {
		t.Errorf("%v answers with a record, %d cells; this compares too little", found, c.cells)
	}
	t.Logf("%d cells of %v records were compared", c.cells, found)
}

// companyRow compares a row of the list.
func (c *comparing) companyRow(id, format string, row map[string]any, answer [4]jsonObject) {
	c.Helper()
	where := "company " + id
	c.row(where, format, row, answer[0], companyColumns(), map[string]string{
		"industry": "a list of objects: the column has their values, the table classifications the rest", "sic": "as industry",
	})
	for _, member := range []string{"industry", "sic"} {
		values := []json.RawMessage{}
		for _, one := range decoded[[]jsonObject](c, answer[0][member]) {
			values = append(values, one["value"])
		}
		encoded, err := json.Marshal(values)
		if err != nil {
			c.Fatal(err)
		}
		c.cell(where, format, row, "company_"+member, wanted(c.T, format, listMember, encoded))
	}
	if len(answer[1]) > 0 {
		latest := slices.Max(slices.Collect(maps.Keys(answer[1])))
		c.cell(where, format, row, "financials_year", wanted(c.T, format, integerMember, json.RawMessage(latest)))
		for column, figure := range map[string]string{"currency": "Currency", "turnover": "Turnover", "employees": "Employee-Numbers"} {
			c.cell(where, format, row, "financials_"+column, wanted(c.T, format, figureKind(figure), decoded[jsonObject](c, answer[1][latest])[figure]))
		}
	}
	for _, year := range []string{"2023", "2024"} {
		figures := decoded[jsonObject](c, answer[1][year])
		for column, figure := range map[string]string{
			"currency": "Currency", "turnover": "Turnover", "ebitda": "EBITDA", "employee_numbers": "Employee-Numbers", "reported_date": "Reported-Date",
		} {
			c.cell(where, format, row, "financials_"+column+"_"+year, wanted(c.T, format, figureKind(figure), figures[figure]))
		}
	}
	shareholders := decoded[[]jsonObject](c, answer[3]["shareholders"])
	if len(answer[3]) > 0 {
		c.cell(where, format, row, "ownership", wanted(c.T, format, integerMember, json.RawMessage(fmt.Sprint(len(shareholders)))))
	}
	first := jsonObject{}
	if len(shareholders) > 0 {
		first = shareholders[0]
	}
	for member, kind := range map[string]memberKind{"name": textMember, "quantity": integerMember, "share_type": textMember, "share_value": textMember, "currency": textMember} {
		c.cell(where, format, row, "ownership_shareholder_"+member, wanted(c.T, format, kind, first[member]))
	}
	parent := jsonObject{}
	for _, entry := range decoded[[]jsonObject](c, answer[3]["group_structure"]) {
		if string(entry["parent_id"]) == "null" {
			parent = entry
		}
	}
	c.cell(where, format, row, "ownership_parent_id", wanted(c.T, format, textMember, parent["id"]))
	c.cell(where, format, row, "ownership_parent_name", wanted(c.T, format, textMember, parent["name"]))
}

// companyTables compares all tables. Every row of a table has to be that of an element of an answer.
func (c *comparing) companyTables(format string, tables map[string]typedRows, answers map[string][4]jsonObject) {
	c.Helper()
	took := map[string]int{}
	// next compares the next row of a company in a table.
	next := func(table, id string, from jsonObject, columns map[string]memberColumn, elsewhere map[string]string) {
		c.Helper()
		var of typedRows
		for _, row := range tables[table] {
			if row["company_id"] == id {
				of = append(of, row)
			}
		}
		at := took[table+" "+id]
		if at >= len(of) {
			c.Errorf("%s has %d rows of company %s, and the service more", table, len(of), id)
			return
		}
		took[table+" "+id]++
		took[table]++
		c.row(fmt.Sprintf("%s of company %s, row %d", table, id, at+1), format, of[at], from, columns, elsewhere)
	}
	for id, answer := range answers {
		for _, member := range []string{"industry", "sic"} {
			for _, one := range decoded[[]jsonObject](c, answer[0][member]) {
				one["list"] = json.RawMessage(`"` + member + `"`)
				next("classifications", id, one, members(map[memberKind]string{textMember: "list id type value"}), nil)
			}
		}
		for _, year := range slices.Sorted(maps.Keys(answer[1])) {
			figures, columns := decoded[jsonObject](c, answer[1][year]), map[string]memberColumn{"year": {"year", integerMember}}
			for name := range figures {
				columns[name] = memberColumn{name, figureKind(name)}
			}
			figures["year"] = json.RawMessage(year)
			next("financials", id, figures, columns, nil)
		}
		if len(answer[2]) > 0 {
			next("insights", id, answer[2], insightsColumns(), map[string]string{"visits": "a table of that name", "technologies": "a table of that name"})
			c.insightsTables(id, answer[2], next)
		}
		c.ownershipTables(id, answer[3], next)
	}
	for name, rows := range tables {
		if len(rows) != took[name] {
			c.Errorf("%s as %s has %d rows, and the service %d", name, format, len(rows), took[name])
		}
	}
}

// comparedRow compares the next row of a company in a table.
type comparedRow func(table, id string, from jsonObject, columns map[string]memberColumn, elsewhere map[string]string)

func (c *comparing) insightsTables(id string, record jsonObject, next comparedRow) {
	c.Helper()
	for _, month := range decoded[[]jsonObject](c, record["visits"]) {
		next("visits", id, month, members(map[memberKind]string{textMember: "id traffic_data_id", dateMember: "date_value", integerMember: "value"}), nil)
	}
	for _, share := range decoded[[]jsonObject](c, record["top_country_shares"]) {
		next("traffic_shares", id, share, members(map[memberKind]string{textMember: "id traffic_country_id name traffic_data_id", numberMember: "share_percent share_change"}), nil)
	}
	for _, group := range decoded[[]jsonObject](c, record["technologies"]) {
		groupColumns := map[string]memberColumn{
			"id": {"group_id", textMember}, "name": {"group_name", textMember}, "parent_id": {"group_parent_id", textMember}, "important": {"group_important", flagMember},
		}
		for _, one := range decoded[[]jsonObject](c, group["list"]) {
			columns := members(map[memberKind]string{textMember: "id name image_path description category"})
			for member, raw := range group {
				if member != "list" { // its elements are the rows
					one["group "+member], columns["group "+member] = raw, groupColumns[member]
				}
			}
			next("technologies", id, one, columns, nil)
		}
	}
	graph := decoded[map[string]jsonObject](c, record["graph"])
	for _, series := range []struct{ name, of, member string }{
		{"visits", "visits", "data"}, {"organic", "sources", "organic"}, {"direct", "sources", "direct"}, {"referral", "sources", "referral"},
	} {
		for _, point := range decoded[[][2]json.RawMessage](c, graph[series.of][series.member]) {
			next("traffic_graph", id, jsonObject{"series": json.RawMessage(`"` + series.name + `"`), "date": point[0], "value": point[1]},
				members(map[memberKind]string{textMember: "series date", numberMember: "value"}), nil)
		}
	}
	known := map[string]string{"categories": "labels of the dates; the column graph has them", "data": "", "organic": "", "direct": "", "referral": ""}
	for name, of := range graph {
		for member := range of {
			if _, is := known[member]; !is {
				c.Errorf("company %s: graph.%s.%s is in no row", id, name, member)
			}
		}
	}
}

func (c *comparing) ownershipTables(id string, record jsonObject, next comparedRow) {
	c.Helper()
	for _, owner := range decoded[[]jsonObject](c, record["shareholders"]) {
		next("shareholders", id, owner, members(map[memberKind]string{
			textMember: "id name currency share_value share_type", integerMember: "quantity", timestampMember: "created_at", numberMember: "share_price",
		}), nil)
	}
	for _, entry := range decoded[[]jsonObject](c, record["group_structure"]) {
		whole, err := json.Marshal(entry) // with the members in the order of their names
		if err != nil {
			c.Fatal(err)
		}
		next("group_structure", id, jsonObject{"id": entry["id"], "entry": whole}, members(map[memberKind]string{textMember: "id", plainMember: "entry"}), nil)
	}
	for _, entry := range decoded[[]json.RawMessage](c, record["data"]) {
		next("ownership_data", id, jsonObject{"entry": entry}, members(map[memberKind]string{plainMember: "entry"}), nil)
	}
	for member := range record {
		if !slices.Contains([]string{"shareholders", "group_structure", "data"}, member) {
			c.Errorf("company %s: the member %s of ownership is in no table", id, member)
		}
	}
}

// TestEveryMemberOfAnswersAboutPersonsIsInItsCell does the same for contacts of the second interface: of a list of ids, and
// of a run for people of companies.
func TestEveryMemberOfAnswersAboutPersonsIsInItsCell(t *testing.T) {
	t.Parallel()
	c := newComparing(t)
	const perCompany = 3
	companies, answers, rows := []string{"6", "13", "27"}, map[string]jsonObject{}, "contact_id\n"
	for _, company := range companies {
		found := decoded[struct{ Data []jsonObject }](c, c.second(http.MethodPost, "/employees", map[string]any{"filters": `{"company_id": ` + company + `}`}))
		for _, item := range found.Data[:min(perCompany, len(found.Data))] {
			id := decoded[string](c, item["id"])
			answers[id] = decoded[jsonObject](c, c.second(http.MethodGet, "/employees/"+id, nil))
			rows += id + "\n"
		}
	}
	limits := []string{"--fields", "contact", "--max-units", "contacts=50", "--max-units", "email_count=50", "--max-units", "phone_count=50"}
	byID, _ := c.outputs("contacts", rows, limits...)
	// A run for people of companies searches them, and so has the same rows.
	ofCompanies, _ := c.outputs("people", "company_id\n"+strings.Join(companies, "\n")+"\n", append(limits, "--people", strconv.Itoa(perCompany))...)
	for _, lists := range []map[string]typedRows{byID, ofCompanies} {
		for format, rows := range lists {
			if len(rows) != len(answers) {
				t.Errorf("%d rows in %s, want %d", len(rows), format, len(answers))
			}
			for _, row := range rows {
				id := fmt.Sprint(row["contact_id"])
				answer, columns := answers[id], prefixed("contact_", map[memberKind]string{
					textMember: `full_name first_name last_name patronime_name gender function_original_name phone email nationality company_id company_name
						microblog pro_network social`,
					listMember: "seniority_level department",
				})
				columns["id"] = memberColumn{"contact_id_2", textMember} // the list has a column of that name
				c.row("contact "+id, format, row, answer, columns, nil)
				for column, member := range map[string]string{"email": "email", "phone": "phone"} {
					c.cell("contact "+id, format, row, column, wanted(t, format, textMember, answer[member]))
				}
			}
		}
	}
	if len(answers) < 5 || c.cells < 600 {
		t.Errorf("%d answers, %d cells; this compares too little", len(answers), c.cells)
	}
}

// TestEveryMemberOfAnswersOfTheFirstInterfaceIsInItsCell does the same for emails and phones.
func TestEveryMemberOfAnswersOfTheFirstInterfaceIsInItsCell(t *testing.T) {
	t.Parallel()
	c := newComparing(t)
	type person struct {
		First   string `json:"first_name"`
		Last    string `json:"last_name"`
		Company string `json:"company_domain"`
		Email   bool   `json:"include_email"`
		Phone   bool   `json:"include_phone"`
	}
	answers, rows := map[string]jsonObject{}, "First name,Last name,Company domain\n"
	for i := range 8 {
		p := person{fmt.Sprintf("Ann%c", 'a'+i), "Lee", "acme.example", true, true}
		answers[p.First] = decoded[jsonObject](c, c.ask(http.MethodPost, "/api/v1/contacts/enrich", "Bearer "+sandbox.DefaultKey, p))
		rows += fmt.Sprintf("%s,%s,%s\n", p.First, p.Last, p.Company)
	}
	lists, _ := c.outputs("persons", rows, "--fields", "email,phone", "--max-spend", "100", "--rate", "100000/1s")
	found := 0
	for format, rows := range lists {
		for _, row := range rows {
			name := fmt.Sprint(row["First name"])
			c.row(name, format, row, answers[name], members(nil), map[string]string{
				"object": "always the same", "operation": "of the call", "request_id": "another one for each call", "status": "below",
				"data": "below", "unresolved_fields": "enrich_reason says what was not found", "grounding": "below",
			})
			data := decoded[jsonObject](c, answers[name]["data"])
			c.row(name, format, row, data, members(map[memberKind]string{textMember: "full_name work_email business_phone phone_type"}), nil)
			c.row(name, format, row, decoded[jsonObject](c, answers[name]["grounding"]), map[string]memberColumn{"source_provenance": {"enrich_provenance", textMember}},
				map[string]string{"retrieved_at": "the time of the call"})
			if status := decoded[string](c, answers[name]["status"]); cmp.Or(status, "-") == "matched" {
				found++
				c.cell(name, format, row, "enrich_status", status)
			}
		}
	}
	if found < 4 || c.cells < 50 {
		t.Errorf("%d matched rows, %d cells; this compares too little", found, c.cells)
	}
}

// TestEveryMemberOfSearchResultsIsInItsCell asks the service for results of searches, and compares each member with its
// cell in the lists that the searches write.
func TestEveryMemberOfSearchResultsIsInItsCell(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	c := newComparing(t)
	const site = "falcon-logistics-2.example"
	data := func(answer json.RawMessage) []jsonObject { return decoded[struct{ Data []jsonObject }](c, answer).Data }
	ids, sites := filepath.Join(c.dir, "ids.csv"), filepath.Join(c.dir, "sites.csv")
	writeFile(t, ids, "company_id\n102\n")
	writeFile(t, sites, "Website\n"+site+"\n")

	people := data(c.second(http.MethodPost, "/enrichment/employee/search", map[string]any{"domain_list": []string{site}, "page": 1}))
	for _, one := range people {
		for member, raw := range decoded[jsonObject](c, one["company"]) {
			one["company "+member] = raw
		}
		delete(one, "company") // its members are compared
	}
	peopleColumns := map[string]memberColumn{
		"id": {"contact_id", textMember}, "name": {"full_name", textMember}, "pro_network": {"profile_url", textMember},
		"country": {"contact_country", textMember}, "state": {"contact_state", textMember}, "city": {"contact_city", textMember},
		"company pro_network": {"company_profile_url", textMember}, "company incorporation_date": {"company_incorporation_date", integerMember},
	}
	for name := range strings.FieldsSeq("first_name last_name seniority_level job_title microblog social") {
		peopleColumns[name] = memberColumn{name, textMember}
	}
	for name := range strings.FieldsSeq("name website country state city postal_code phone microblog social street_address") {
		peopleColumns["company "+name] = memberColumn{"company_" + name, textMember}
	}
	for _, test := range []struct {
		search  []string
		found   []jsonObject
		columns map[string]memberColumn
		least   int // results, so that this compares something
	}{
		{
			[]string{"companies", "--where", "company_status=2", "--max", "10", "--per-page", "10", "--max-units", "companies=20"},
			data(c.second(http.MethodPost, "/prospecting", map[string]any{"filters": `{"company_status":[2]}`, "page": 1, "per_page": 10})),
			map[string]memberColumn{"id": {"company_id", textMember}, "name": {"company_name", textMember}},
			2,
		},
		{
			[]string{"overview", "--where", "name=Harbor Logistics 3 PLC", "--max-units", "companies=20"},
			data(c.second(http.MethodPost, "/overview", map[string]any{"name": "Harbor Logistics 3 PLC", "page": 1})),
			map[string]memberColumn{
				"id": {"company_id", textMember}, "name": {"company_name", textMember}, "status": {"company_status", textMember},
				"country_code": {"company_country", textMember}, "registration_number": {"registration_number", textMember},
			},
			2,
		},
		{
			[]string{"employees", ids, "--max-units", "contacts=20"},
			data(c.second(http.MethodPost, "/employees", map[string]any{"filters": `{"company_id":102}`, "page": 1})),
			map[string]memberColumn{
				"id": {"contact_id", textMember}, "name": {"full_name", textMember}, "company_id": {"company_id", textMember}, "company_name": {"company_name", textMember},
			},
			2,
		},
		{[]string{"people", "--domain", site, "--max-units", "contacts=20"}, people, peopleColumns, 2},
	} {
		for _, format := range []string{".csv", ".jsonl", ".parquet", ".xlsx"} {
			out := filepath.Join(c.dir, test.search[0]+format)
			c.run(append([]string{"search"}, append(test.search, "--yes", "-o", out)...)...)
			rows := readTyped(t, out)
			if len(rows) < test.least || len(rows) < len(test.found) {
				t.Fatalf("%q wrote %d rows as %s, and the first page has %d results", test.search, len(rows), format, len(test.found))
			}
			for i, from := range test.found {
				c.row(fmt.Sprintf("%s, row %d", test.search[0], i+1), format, rows[i], from, test.columns, nil)
			}
		}
	}
	t.Logf("%d cells were compared", c.cells)
}
