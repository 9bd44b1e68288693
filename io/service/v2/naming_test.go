package v2_test

import (
	"fmt"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/service/v2"
)

// TestNamingReadsAllThatNamesAndDescribesSubjects compares Naming with Values for answers of each kind, also for answers
// whose members cannot be read.
func TestNamingReadsAllThatNamesAndDescribesSubjects(t *testing.T) {
	company := `{"id":"c1","name":"Acme","registration_number":"12","country_code":"GB","company_phone":["1"],"company_website":"acme.example",` +
		`"brands":"Road","vat_number":"GB12","pro_network":"https://network.example/acme","address_city":"York","sic":[{"id":"1","value":"x"}]}`
	contact := `{"id":"e1","full_name":"Ada Byron","first_name":"Ada","last_name":"Byron","gender":"f","phone":"+441","email":"a@acme.example",` +
		`"company_id":"c1","company_name":"Acme","pro_network":"https://network.example/ada","department":["x"]}`
	bodies := map[v2.Operation][]string{
		v2.OpGetCompany:     {company, `{"id":"c1","name":{}}`, `{"id":7,"address_city":[]}`, `{"address_city":"York"}`},
		v2.OpEnrichEmployee: {contact, `{"id":"e1","phone":{}}`, `{"full_name":"Ada","email":7}`},
		v2.OpGetFinancials:  {`{"2023":{"Turnover":5,"Currency":"GBP"},"2022":{}}`},
		v2.OpGetInsights:    {`{"id":"i1","domain":"acme.example","visits":[{"value":3}]}`},
		v2.OpGetOwnership:   {`{"shareholders":[{"name":"Ada"}],"group_structure":[{"id":"g","parent_id":null}]}`},
	}
	details := v2.Catalogue().Details
	for operation, all := range bodies {
		for _, body := range all {
			answered, err := v2.ReadAnswer(operation, []byte(body), time.Unix(0, 0), v2.Reveal{}, v2.Modules{}, enrich.Company{})
			if err != nil {
				t.Errorf("%s %s: %v", operation, body, err)
				continue
			}
			var want, got enrich.Values
			wantErr, gotErr := v2.Decoder{}.Values(answered, &want), v2.Decoder{}.Naming(answered, &got)
			if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) || want.Fields != got.Fields || want.Status != got.Status {
				t.Errorf("%s %s: %v, %v, want %v, %v", operation, body, got.Fields, gotErr, want.Fields, wantErr)
			}
			for i, detail := range details {
				names := detail.Role != "" || detail.Says != enrich.NoPart
				if got.Details[i] != want.Details[i] && (names || got.Details[i] != "") {
					t.Errorf("%s %s: %s is %q, want %q", operation, body, detail.Name, got.Details[i], want.Details[i])
				}
			}
		}
	}
}
