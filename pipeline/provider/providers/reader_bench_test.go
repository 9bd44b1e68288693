package providers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/io/service/v2"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
)

// BenchmarkFacts reads what answers of each interface say about persons, as forget does with every answer of a journal.
func BenchmarkFacts(b *testing.B) {
	var owners, people []string
	for i := range 25 {
		owners = append(owners, fmt.Sprintf(`{"id":%d,"name":"Holder %d","quantity":5,"currency":"EUR","share_value":"5.00","created_at":"2020-01-01T09:00:00Z","share_type":"Ordinary","share_price":1.5}`, i, i))
		people = append(people, fmt.Sprintf(`{"id":"%d","first_name":"Ann","last_name":"Smith","name":"Ann Smith","job_title":"CEO","pro_network":"https://p.example/in/ann-%d","company":{"name":"Acme","website":"https://acme.example"}}`, i, i))
	}
	answerOf := func(o v2.Operation, body string) enrich.Answered {
		answered, err := v2.ReadAnswer(o, []byte(body), time.Now(), v2.RevealEverything(), v2.Modules{}, enrich.Company{})
		if err != nil {
			b.Fatal(err)
		}
		return answered
	}
	for _, test := range []struct {
		name, of string
		answered enrich.Answered
	}{
		{"v1", "v1", v1.EncodeAnswer(v1.Answer{Status: enrich.Matched, FullName: "Ann Smith", WorkEmail: "ann@acme.example", BusinessPhone: "+15550100"})},
		{"contact", "v2", answerOf(v2.OpEnrichEmail, `{"id":"1","full_name":"Ann Smith","first_name":"Ann","last_name":"Smith","email":"ann@acme.example","pro_network":"https://p.example/in/ann","company_name":"Acme"}`)},
		{"company", "v2", answerOf(v2.OpGetCompany, `{"id":1,"name":"Acme","registration_number":"1","country_code":"GB","company_phone":["+44"],"company_email":["info@acme.example"],"company_website":"https://acme.example","address_street":"1 Mill Lane","industry":[{"id":1,"type":"industry_focus","value":"Software"}]}`)},
		{"25 shareholders", "v2", answerOf(v2.OpGetOwnership, `{"shareholders":[`+strings.Join(owners, ",")+`]}`)},
		{"25 people", "v2", answerOf(v2.OpEnrichEmployeeSearch, `{"data":[`+strings.Join(people, ",")+`]}`)},
	} {
		reader := provider.All(providers.All()).Named(test.of).NewReader()
		b.Run(test.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := reader.Facts(test.answered); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
