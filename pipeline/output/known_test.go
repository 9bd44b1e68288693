package output

import (
	"crypto/md5"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline/scan"
)

// named is an account with answers about companies, one for each attempt from 1 on.
type named struct {
	scan.Recorder
	answers []namedAnswer
}

type namedAnswer struct {
	asked enrich.Identity
	body  string
	state attempt.FieldState // of the company
}

func keyOfID(id enrich.Identity) enrich.Key { return md5.Sum([]byte(id.Canonical())) }

func (n named) answer(i int) enrich.Answered {
	answered, err := v2.ReadAnswer(v2.OpGetCompany, []byte(n.answers[i].body), time.Unix(0, 0), v2.Reveal{}, v2.Modules{}, enrich.Company{})
	if err != nil {
		panic(err)
	}
	return answered
}

func (n named) RecordOf(key enrich.Key, fields enrich.Fields) (record attempt.Record, err error) {
	for i, a := range n.answers {
		if keyOfID(a.asked) == key && fields.Has(v2.FieldCompany) {
			record.States[v2.FieldCompany], record.Attempts[v2.FieldCompany] = a.state, attempt.ID(i+1)
		}
	}
	return record, nil
}

func (n named) Aliases(key enrich.Key) (all []attempt.Alias, err error) {
	for i, a := range n.answers {
		if a.body == "" {
			continue
		}
		alias, keys := attempt.AsAliases(keyOfID(a.asked), attempt.ID(i+1), n.answer(i).Names, keyOfID)
		for _, of := range keys {
			if of == key {
				all = append(all, alias)
			}
		}
	}
	return all, nil
}

func (n named) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		for _, id := range ids {
			answered := n.answer(int(id) - 1)
			known = append(known, attempt.Outcome{ID: id, Who: n.answers[id-1].asked, Ended: attempt.Resolution{
				State: attempt.Settled, Status: answered.Status, Returned: answered.Returned, Data: answered.Data,
			}})
		}
		return known, nil
	}
}

// TestACompanyIsKnownByWhatItsAnswersSay decides about rows beside two companies of a group, which share a website, a
// VAT number and nearly a name.
func TestACompanyIsKnownByWhatItsAnswersSay(t *testing.T) {
	number := func(country, number string) enrich.Company {
		return enrich.Company{Country: country, RegistrationNumber: number}
	}
	asked := func(c enrich.Company) enrich.Identity { return c.Names()[0] }
	holding := namedAnswer{
		asked(number("GB", "01234567")), `{"id":5,"name":"Acme Holding Ltd","country_code":"GB","registration_number":"01234567",
		"vat_number":"GB111222333","company_website":"https://www.acme.example","pro_network":"https://linkedin.com/company/acme"}`, attempt.Found,
	}
	logistics := namedAnswer{
		asked(enrich.Company{ID: "6"}), `{"id":6,"name":"Acme Logistics GmbH","country_code":"DE","registration_number":"HRB 77",
		"vat_number":"GB111222333","company_website":"http://acme.example/de"}`, attempt.Found,
	}
	twin := namedAnswer{
		asked(enrich.Company{ID: "7"}), `{"id":7,"name":"Acme Holding Ltd","country_code":"GB","registration_number":"09999999"}`, attempt.Found,
	}
	website := func(name, country string) enrich.Company {
		return enrich.Company{Website: "acme.example", Name: name, Country: country}
	}
	depot := namedAnswer{
		asked(enrich.Company{ID: "8"}), `{"id":8,"name":"Acme Depot Ltd","country_code":"GB","vat_number":"GB111222333"}`, attempt.Found,
	}
	name := func(name, country string) enrich.Company { return enrich.Company{Name: name, Country: country} }
	withoutAnswer := func(id enrich.Identity, state attempt.FieldState) namedAnswer {
		return namedAnswer{asked: id, state: state}
	}
	for title, tt := range map[string]struct {
		known []namedAnswer
		row   enrich.Company
		want  int // the number of the answer from 1, 0 for none
	}{
		"an id is that of the answer":                   {[]namedAnswer{holding}, enrich.Company{ID: "5"}, 1},
		"a number is that of the answer":                {[]namedAnswer{logistics}, number("Germany", "hrb-77"), 1},
		"a number of another country is another one":    {[]namedAnswer{logistics}, number("AT", "HRB 77"), 0},
		"a VAT number is that of the only answer":       {[]namedAnswer{holding}, enrich.Company{VATNumber: "GB 111 222 333"}, 1},
		"a VAT number of two companies names neither":   {[]namedAnswer{holding, depot}, enrich.Company{VATNumber: "GB111222333"}, 0},
		"a website that nothing contradicts":            {[]namedAnswer{holding}, website("", ""), 1},
		"a website with the name and the country":       {[]namedAnswer{holding, logistics}, website("Acme Logistics", "Germany"), 2},
		"a website with another country":                {[]namedAnswer{holding}, website("", "FR"), 0},
		"a website with another name":                   {[]namedAnswer{holding, logistics}, website("Acme Catering SARL", "FR"), 0},
		"a website with a name that may be another one": {[]namedAnswer{holding}, website("Acme Catering", "GB"), 0},
		"a website with the name, the country and a wrong number": {
			[]namedAnswer{holding}, enrich.Company{Website: "acme.example", Name: "Acme Holding Ltd", Country: "GB", RegistrationNumber: "99999999"}, 1,
		},
		"a website with another name and number": {
			[]namedAnswer{holding}, enrich.Company{Website: "acme.example", Name: "Acme Catering", Country: "GB", RegistrationNumber: "99999999"}, 0,
		},
		"a profile":                                         {[]namedAnswer{holding}, enrich.Company{ProfileURL: "linkedin.com/company/acme/"}, 1},
		"a name and country of one company":                 {[]namedAnswer{holding, logistics}, name("ACME HOLDING LTD", "GB"), 1},
		"a name and country of two companies":               {[]namedAnswer{holding, twin}, name("Acme Holding Ltd", "GB"), 0},
		"a name without a country":                          {[]namedAnswer{holding}, name("Acme Holding Ltd", ""), 0},
		"a website that was asked itself keeps its answer":  {[]namedAnswer{holding, withoutAnswer(asked(website("", "")), attempt.Found)}, website("", ""), 0},
		"a website that may have been charged is not known": {[]namedAnswer{holding, withoutAnswer(asked(website("", "")), attempt.OutcomeUnknown)}, website("", ""), 0},
		"a website that found nothing is known":             {[]namedAnswer{holding, withoutAnswer(asked(website("", "")), attempt.Missing)}, website("", ""), 1},
		"an answer that is not known any more":              {[]namedAnswer{{holding.asked, holding.body, attempt.Missing}}, website("", ""), 0},
	} {
		account := named{answers: tt.known}
		k := &KnownCompanies{Account: account, Catalogue: v2.Catalogue(), Decoder: v2.Decoder{}, Wanted: enrich.FieldsOf(v2.FieldCompany)}
		id, reason := tt.row.Identify(enrich.ByID)
		if tt.row.Website != "" {
			id, reason = tt.row.Identify(enrich.ByWebsite)
		}
		if reason != "" {
			t.Fatalf("%s: %s", title, reason)
		}
		row := enrich.Described{}
		row[enrich.PartCompanyName], row[enrich.PartCountry], row[enrich.PartWebsite] = tt.row.Name, tt.row.Country, tt.row.Website
		row[enrich.PartCompanyProfile], row[enrich.PartRegistration] = tt.row.ProfileURL, tt.row.RegistrationNumber
		got, err := k.As(id, keyOfID(id), func(d *enrich.Described) { *d = row })
		want := id
		if tt.want > 0 {
			want = tt.known[tt.want-1].asked
		}
		if err != nil || got != want {
			t.Errorf("%s: %s is known as %s, want %s; %v", title, id, got, want, err)
		}
	}
}
