package v2

import "testing"

func TestANotificationNamesACompanyOrNone(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"company_data":{"id":81,"name":"A"},"field":"company_email","status":"UPDATE","new_value":"x","old_value":null}`: "81",
		`{"company_data":{"id":"ab-81"}}`:  "ab-81",
		`{"company_data":{"id":0}}`:        "0",
		`{"company_data":{"id":1,"id":2}}`: "2",
		``:                                 "",
		`null`:                             "",
		`[]`:                               "",
		`{}`:                               "",
		`{"id":81}`:                        "",
		`{"company_data":81}`:              "",
		`{"company_data":{}}`:              "",
		`{"company_data":{"id":null}}`:     "",
		`{"company_data":{"id":true}}`:     "",
		`{"company_data":{"id":-1}}`:       "",
		`{"company_data":{"id":8.1}}`:      "",
		`{"company_data":{"id":8e1}}`:      "",
		`{"company_data":{"id":99999999999999999999}}`:          "",
		`{"company_data":{"id":""}}`:                            "",
		`{"company_data":{"id":".."}}`:                          "",
		`{"company_data":{"id":"1/watch/stop"}}`:                "",
		`{"company_data":{"id":["81"]}}`:                        "",
		`{"company_data":{"id":81}} {"company_data":{"id":82}}`: "",
		`{"company_data":{"id":81}`:                             "",
	} {
		if id, ok := NotifiedCompany([]byte(body)); ok != (want != "") || ok && id != want {
			t.Errorf("%s: %q, %t, want %q", body, id, ok, want)
		}
	}
}

func FuzzNotifiedCompany(f *testing.F) {
	f.Add([]byte(`{"company_data":{"id":81}}`))
	f.Add([]byte(`{"company_data":{"id":"81"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if id, ok := NotifiedCompany(body); ok && checkID(id) != nil {
			t.Errorf("%q", id)
		}
	})
}
