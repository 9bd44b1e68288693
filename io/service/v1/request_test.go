package v1

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// sent is a request as the server sees it.
type sent struct {
	Method, Path, Query, Proto string
	Header                     http.Header
	Body                       string
}

func TestFindSendsTheNarrowestOperation(t *testing.T) {
	const profile = "https://network.example/in/ada"
	byDomain := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "example.com"}
	byCompany := enrich.Identity{FirstName: "Zoë", LastName: "O'Neil", CompanyName: "Smith & Sons <Ltd>"}
	tests := []struct {
		name     string
		identity enrich.Identity
		fields   enrich.Fields
		path     string
		body     string
	}{
		{
			"email of a profile",
			enrich.Identity{ProfileURL: profile},
			enrich.FieldsOf(WorkEmail),
			"/api/v1/contacts/find-work-email", `{"pro_network_url":"https://network.example/in/ada"}`,
		},
		{
			"phone by domain", byDomain, enrich.FieldsOf(BusinessPhone),
			"/api/v1/contacts/find-phone", `{"company_domain":"example.com","first_name":"Ada","last_name":"Lovelace"}`,
		},
		{
			"email by company", byCompany, enrich.FieldsOf(WorkEmail),
			"/api/v1/contacts/find-work-email",
			`{"company_name":"Smith \u0026 Sons \u003cLtd\u003e","first_name":"Zoë","last_name":"O'Neil"}`,
		},
		{
			"both of a profile",
			enrich.Identity{ProfileURL: profile},
			AllFields,
			"/api/v1/contacts/enrich",
			`{"include_email":true,"include_phone":true,"include_profile":false,"pro_network_url":"https://network.example/in/ada"}`,
		},
		{
			"both by domain", byDomain, AllFields,
			"/api/v1/contacts/enrich",
			`{"company_domain":"example.com","first_name":"Ada","include_email":true,"include_phone":true,"include_profile":false,"last_name":"Lovelace"}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			requests := make(chan sent, 2)
			client := clientOf(t, serve(t, record(requests, respond(http.StatusOK, foundBoth))))
			verdict := client.Find(context.Background(), enrich.Lookup{Identity: test.identity, Fields: test.fields})
			wantAnswered(t, verdict)
			close(requests)
			got := <-requests
			got.Header.Del("Content-Length")
			want := sent{
				Method: http.MethodPost, Path: test.path, Proto: "HTTP/1.1", Body: test.body,
				// The whole set: a header that calls the request idempotent lets
				// net/http and proxies send it again.
				Header: http.Header{
					"Accept":        {"application/json"},
					"Authorization": {"Bearer " + testKey},
					"Content-Type":  {"application/json"},
					"User-Agent":    {"payonce"},
				},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if _, more := <-requests; more {
				t.Error("a second request was sent")
			}
		})
	}
}

// record passes on to handler and keeps what was sent.
func record(requests chan<- sent, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- sent{r.Method, r.URL.Path, r.URL.RawQuery, r.Proto, r.Header.Clone(), string(body)}
		handler(w, r)
	}
}

func TestFindSendsNoLookupWithoutFieldsOrIdentity(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") })
	client := clientOf(t, server)
	named := ada().Identity
	for name, lookup := range map[string]enrich.Lookup{
		"no field":      {Identity: named},
		"unknown field": {Identity: named, Fields: 1 << 7},
		"nobody":        {Fields: AllFields},
		"no last name":  {Identity: enrich.Identity{FirstName: "Ada", CompanyName: "Example"}, Fields: AllFields},
		"no company":    {Identity: enrich.Identity{FirstName: "Ada", LastName: "Lovelace"}, Fields: AllFields},
	} {
		t.Run(name, func(t *testing.T) { wantNotSent(t, client.Find(context.Background(), lookup)) })
	}
}

func TestStatusRequest(t *testing.T) {
	requests := make(chan sent, 1)
	client := clientOf(t, serve(t, record(requests, respond(http.StatusOK, `{}`))))
	if _, err := client.Status(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := sent{
		Method: http.MethodGet, Path: "/api/v1/account/status", Proto: "HTTP/1.1",
		Header: http.Header{
			"Accept":        {"application/json"},
			"Authorization": {"Bearer " + testKey},
			"Connection":    {"close"},
			"User-Agent":    {"payonce"},
		},
	}
	if diff := cmp.Diff(want, <-requests); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}
