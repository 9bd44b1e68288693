package v1

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
)

const billing = `{"currency":"USD","options":[
	{"name":"payg","title":"Pay as you go","monthly_included_usd":"0","work_email_usd":"0.15","business_phone_usd":"0.25"},
	{"name":"core","title":"Core","monthly_included_usd":49.00,"work_email_usd":0.15,"business_phone_usd":0.250000}]}`

// openAPI returns a document in which enrich has the extensions.
func openAPI(extensions string) string {
	post := func(schema, extensions string) string {
		return fmt.Sprintf(`{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/%s"}}}}%s}}`, schema, extensions)
	}
	return `{"openapi":"3.1.0","info":{"title":"Contacts","version":"1.2"},"paths":{
		"/account/status":{"get":{}},
		"/contacts/find-work-email":` + post("Person", "") + `,
		"/contacts/find-phone":` + post("Person", "") + `,
		"/contacts/enrich":` + post("Enrich", extensions) + `},
		"components":{"schemas":{
			"Person":` + closedSchema(nil, DefaultNames().bodyOf(FindPhone)...) + `,
			"Enrich":` + closedSchema([]string{"include_email"}, everyMember()...) + `}}}`
}

func describe(t *testing.T, document string) (Description, error) {
	t.Helper()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/openapi.json" || r.Method != http.MethodGet || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s with the key %q", r.Method, r.URL.Path, r.Header.Get("Authorization"))
		}
		_, _ = w.Write([]byte(document))
	})
	return clientOf(t, server).OpenAPI(t.Context())
}

func TestOpenAPI(t *testing.T) {
	d, err := describe(t, openAPI(`,"x-service-billing":`+billing+`,"x-service-access":{"plans":["payg",7,"core"],"available":true},
		"x-service-pricing":{"work_email_usd":"0.15","business_phone_usd":"0.25"}`))
	if err != nil {
		t.Fatal(err)
	}
	prices := cost.Prices{WorkEmail: 15 * cost.Cent, BusinessPhone: 25 * cost.Cent}
	wantCard := cost.RateCard{Options: []cost.Option{
		{Name: "payg", Title: "Pay as you go", Prices: prices},
		{Name: "core", Title: "Core", MonthlyIncluded: 49 * cost.Dollar, Prices: prices},
	}}
	if diff := cmp.Diff(wantCard, d.Card); diff != "" {
		t.Errorf("rate card (-want +got):\n%s", diff)
	}
	offer := d.Operations[EnrichContact]
	if diff := cmp.Diff(Access{Plans: []string{"payg", "core"}, Available: cost.Known(true)}, offer.Access); diff != "" {
		t.Errorf("access (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(prices, offer.Prices); diff != "" {
		t.Errorf("prices (-want +got):\n%s", diff)
	}
	if d.Title != "Contacts" || d.Version != "1.2" || !cmp.Equal(d.Others, []string{"/account/status"}) || len(d.Operations) != 3 {
		t.Errorf("description %+v", d)
	}
	for _, assumed := range d.Check(Names{}) {
		if !assumed.Found {
			t.Errorf("%s was not found in %s", assumed.Name, assumed.Where)
		}
	}
	missing := 0
	for _, assumed := range d.Check(Names{LastName: "surname", Enrich: "people"}) {
		if !assumed.Found && assumed.Name != "surname" {
			t.Errorf("%s was not found in %s", assumed.Name, assumed.Where)
		}
		if !assumed.Found {
			missing++
		}
	}
	if missing != 3 {
		t.Errorf("%d names missing, want surname in three lookups", missing)
	}
}

// What is missing or is not what it should be is unknown, and never zero.
func TestOpenAPILeniently(t *testing.T) {
	option := func(members string) string { return `,"x-service-billing":{"options":[{` + members + `}]}` }
	one := func(o cost.Option) cost.RateCard { return cost.RateCard{Options: []cost.Option{o}} }
	for name, test := range map[string]struct {
		extensions string
		want       cost.RateCard
	}{
		"none":              {"", cost.RateCard{}},
		"null":              {`,"x-service-billing":null`, cost.RateCard{}},
		"no list":           {`,"x-service-billing":{"options":{}}`, cost.RateCard{}},
		"no objects":        {`,"x-service-billing":{"options":[1,null,"payg"]}`, cost.RateCard{}},
		"no name":           {option(`"monthly_included_usd":"0","work_email_usd":"0.15"`), cost.RateCard{}},
		"no monthly amount": {option(`"name":"x","work_email_usd":"0.15"`), cost.RateCard{}},
		"negative monthly":  {option(`"name":"x","monthly_included_usd":-1`), cost.RateCard{}},
		"price missing":     {option(`"name":"x","monthly_included_usd":"0","work_email_usd":"0.15"`), one(cost.Option{Name: "x", Prices: cost.Prices{WorkEmail: 15 * cost.Cent}})},
		"price null":        {option(`"name":"x","monthly_included_usd":0,"work_email_usd":null,"business_phone_usd":false`), one(cost.Option{Name: "x", Prices: cost.Prices{}})},
		"price of zero":     {option(`"name":"x","monthly_included_usd":0,"work_email_usd":"0.00"`), one(cost.Option{Name: "x", Prices: cost.Prices{WorkEmail: 0}})},
		"prices that are no amount": {
			option(`"name":"x","monthly_included_usd":0,"work_email_usd":"free","business_phone_usd":1e-1`),
			one(cost.Option{Name: "x", Prices: cost.Prices{}}),
		},
		"more decimals than there are": {option(`"name":"x","monthly_included_usd":0,"work_email_usd":0.1234567`), one(cost.Option{Name: "x", Prices: cost.Prices{}})},
		"another currency":             {`,"x-service-billing":{"currency":"EUR","options":[{"name":"x","monthly_included_usd":0}]}`, cost.RateCard{}},
		"title with escapes":           {option(`"name":"x","title":"\u001b[31mX\n","monthly_included_usd":0`), one(cost.Option{Name: "x", Title: "[31mX", Prices: cost.Prices{}})},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := describe(t, openAPI(test.extensions))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, d.Card); diff != "" {
				t.Errorf("rate card (-want +got):\n%s", diff)
			}
		})
	}
}

// The rate card may stand at the top, and the paths may have the prefix of the base
// URL.
func TestTheRateCardIsFoundAtTheTopOfTheDocument(t *testing.T) {
	document := strings.ReplaceAll(openAPI(""), `"/contacts`, `"/api/v1/contacts`)
	document = strings.Replace(document, `"info"`, `"x-service-billing":`+billing+`,"info"`, 1)
	d, err := describe(t, document)
	if err != nil || len(d.Card.Options) != 2 || d.Operations[FindPhone].Name != "/api/v1/contacts/find-phone" {
		t.Errorf("description %+v, %v", d, err)
	}
}

func TestOpenAPIErrors(t *testing.T) {
	for name, document := range map[string]string{
		"empty": "", "page": "<html>", "list": "[]", "null": "null", "no paths": `{"openapi":"3.1.0"}`, "paths are a list": `{"paths":[]}`,
		"cut off": openAPI("")[:200], "over the limit": openAPI("") + strings.Repeat(" ", maxDocument),
	} {
		if d, err := describe(t, document); err == nil {
			t.Errorf("%s: description %+v", name, d)
		}
	}
	for _, status := range []int{401, 404, 500, 302} {
		_, err := clientOf(t, serve(t, respond(status, openAPI("")))).OpenAPI(t.Context())
		var missing *DocumentError
		if !errors.As(err, &missing) || missing.HTTPStatus != status {
			t.Errorf("HTTP %d: error %v", status, err)
		}
	}
}

// References out of the document are not followed, and what cannot be checked is
// left to the service.
func TestOpenAPIFollowsNoReference(t *testing.T) {
	document := strings.ReplaceAll(openAPI(""), "#/components/schemas/Enrich", "https://example.com/schema.json")
	d, err := describe(t, document)
	if err != nil {
		t.Fatal(err)
	}
	if d.Operations[EnrichContact].InputError == nil || d.Operations[FindPhone].InputError != nil {
		t.Errorf("input errors %v, %v", d.Operations[EnrichContact].InputError, d.Operations[FindPhone].InputError)
	}
	for _, assumed := range d.Check(Names{}) {
		if strings.Contains(assumed.Where, "/contacts/enrich") {
			t.Errorf("%+v was looked for in a schema that cannot be applied", assumed)
		}
	}
}

// Once the document is known, what its schemas do not allow is not sent.
func TestOpenAPIBindsLookups(t *testing.T) {
	posts := 0
	document := openAPI("")
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(document))
			return
		}
		posts++
		_, _ = w.Write([]byte(foundBoth))
	})
	client := clientOf(t, server)
	for _, step := range []struct {
		document string
		refuses  bool
	}{
		{openAPI(""), false},
		{strings.ReplaceAll(openAPI(""), "company_domain", "companyDomain"), true},
		{`{"paths":{}}`, false},
	} {
		document = step.document
		if _, err := client.OpenAPI(t.Context()); err != nil {
			t.Fatal(err)
		}
		posts = 0
		verdict := find(client)
		refused, ok := verdict.(enrich.Refused)
		if ok != step.refuses || ok && (refused.Code != "input_schema" || !refused.Unsent || posts != 0) || !ok && posts != 1 {
			t.Errorf("verdict %+v after %d lookups", verdict, posts)
		}
	}
}

// A document in a file means what the same one means when the service sends it,
// whether its paths stand with or without the prefix.
func TestParseOpenAPI(t *testing.T) {
	document := openAPI(`,"x-service-billing":` + billing)
	want, err := describe(t, document)
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"", "/api/v1"} {
		got, err := ParseOpenAPI([]byte(strings.ReplaceAll(document, `"/contacts/`, `"`+prefix+`/contacts/`)), Names{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Card, got.Card); diff != "" || len(got.Operations) != len(want.Operations) {
			t.Errorf("%q: %d operations, rate card (-want +got):\n%s", prefix, len(got.Operations), diff)
		}
	}
	if _, err := ParseOpenAPI([]byte(`[]`), Names{}); err == nil || !strings.HasPrefix(err.Error(), "OpenAPI document: ") {
		t.Errorf("%v", err)
	}
}
