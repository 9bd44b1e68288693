package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"payonce/io/sandbox/crm"
)

// TestTheCRMIsServedBesideTheService has one address for both, faults of the CRM alone, and its admin calls.
func TestTheCRMIsServedBesideTheService(t *testing.T) {
	fault, err := ParseFault("INTERNAL_ERROR:path=/crm/v8/Contacts,max=1")
	if err != nil {
		t.Fatal(err)
	}
	config := DefaultConfig()
	config.Faults = []Fault{fault}
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server, admin := httptest.NewServer(s.Handler()), httptest.NewServer(s.AdminHandler("admin"))
	defer server.Close()
	defer admin.Close()
	call := func(method, address, authorization, body string) (int, string) {
		r, err := http.NewRequest(method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", authorization)
		if strings.Contains(body, "grant_type") {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		said, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer said.Body.Close()
		text, err := io.ReadAll(said.Body)
		if err != nil || said.Header.Get("X-Sandbox") != "true" {
			t.Error(err, said.Header)
		}
		return said.StatusCode, string(text)
	}
	_, text := call("POST", server.URL+crm.TokenPath, "", url.Values{
		"grant_type": {"refresh_token"}, "client_id": {crm.DefaultClientID}, "client_secret": {crm.DefaultClientSecret}, "refresh_token": {crm.DefaultRefreshToken},
	}.Encode())
	var token struct {
		Access string `json:"access_token"`
		API    string `json:"api_domain"`
	}
	if err := json.Unmarshal([]byte(text), &token); err != nil || token.API != server.URL {
		t.Fatal(text, err)
	}
	token.Access = "Zoho-oauthtoken " + token.Access
	id := s.CRM().Contacts()[0].ID
	read := server.URL + crm.Path + "Contacts?fields=Title&ids=" + id
	if status, text := call("GET", read, token.Access, ""); status != 500 || !strings.Contains(text, "INTERNAL_ERROR") {
		t.Errorf("the fault: %d %s", status, text)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"PUT", "/crm/contacts/" + id, `{"values":{"Title":"By hand"},"locked":true}`, 200},
		{"PUT", "/crm/contacts/1", `{"values":{"Title":"By hand"}}`, 404},
		{"PUT", "/crm/contacts/1", `{"locked":true}`, 404},
		{"PUT", "/crm/credits/many", "", 400},
		{"PUT", "/crm/credits/1000", "", 200},
		{"GET", "/crm/contacts", "", 200},
		{"GET", "/crm/audit", "", 200},
	} {
		if status, text := call(c.method, admin.URL+c.path, "Bearer admin", c.body); status != c.status {
			t.Errorf("%s %s: %d %s", c.method, c.path, status, text)
		}
	}
	if status, text := call("GET", read, token.Access, ""); status != 200 || !strings.Contains(text, "By hand") {
		t.Errorf("the edited contact: %d %s", status, text)
	}
	if contact := s.CRM().Contacts()[0]; !contact.Locked {
		t.Error("the contact is not locked")
	}
	call("DELETE", admin.URL+"/crm/contacts/"+id, "Bearer admin", "")
	if status, _ := call("GET", read, token.Access, ""); status != 204 {
		t.Errorf("the deleted contact: %d", status)
	}
	call("DELETE", admin.URL+"/crm/tokens", "Bearer admin", "")
	if status, _ := call("GET", read, token.Access, ""); status != 401 {
		t.Errorf("the token that ended: %d", status)
	}
}
