package v2

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/io/service"
)

// paidCalls returns a call of each operation that uses units.
func paidCalls() map[Operation]Call {
	all := map[Operation]Call{}
	for _, call := range []Call{
		ProspectingCall(CompanyFilters{}, Paging{Page: 1}), OverviewCall(CompanySearch{Name: "Acme"}),
		CompanyCall("4711"), CompanyByURLCall("acme.example"), CompanyByProfileCall("net.example/acme"),
		CompanyByNumberCall(CompanyNumbers{CountryCode: "GB", VATNumber: "GB7"}),
		AutocompleteCall(PartialCompany{Name: "Acme"}), EmployeesCall(EmployeeFilters{CompanyID: "4711"}, Paging{}),
		EmployeeCall("9"), ContactByEmailCall("ada@acme.example", true), ContactByProfileCall("net.example/ada", RevealEverything()),
		ContactCall(PartialContact{FirstName: "Ada", LastName: "Lovelace"}, RevealEverything()), PeopleCall(PeopleSearch{}),
		FinancialsCall("4711", 2024), InsightsSearchCall(NamedCompany{Name: "Acme"}), InsightsCall("4711"),
		OwnershipSearchCall(NamedCompany{Name: "Acme"}), OwnershipCall("4711"), WatchStartCall("4711", []string{"name"}),
	} {
		all[call.Operation] = call
	}
	return all
}

// TestErrorsOfGatewaysAreLost answers a call of every operation as gateways and frameworks on the way do. The call may
// have been counted before any of them.
func TestErrorsOfGatewaysAreLost(t *testing.T) {
	all := paidCalls()
	for _, o := range Operations() {
		if _, found := all[o]; o.Paid() && !found {
			t.Errorf("%s is not tried", o)
		}
	}
	bodies := []string{
		`{"errors":["upstream request timeout"]}`, `{"warnings":["the response is late"]}`, `{"message":["x"]}`, `{"detail":["x"]}`,
		`{"error":"timeout"}`, `{"detail":"Not Found"}`, `{"message":"no Route matched with those values"}`, `{"code":502,"msg":"x"}`,
		`{"fault":{"faultstring":"x"}}`, `{"data":null,"errors":["x"]}`, `{"id":"ray-7","message":"blocked"}`,
		`{"name":"Timeout","message":"x","code":504,"className":"timeout"}`, `{"timestamp":"x","status":500,"error":"x","path":"/v2"}`,
		`{"error":{"code":504,"status":"DEADLINE_EXCEEDED"}}`, `{"type":"about:blank","title":"Bad Gateway","status":502}`,
		`<html><title>Bad Gateway</title></html>`, `{"errors":["cut`, `[]`, `["x"]`, `null`, `"x"`, ``,
	}
	client := newStand(t, respond(200, "")).client()
	for o, call := range all {
		for _, status := range []int{200, 202, 400, 403, 404, 405, 407, 408, 410, 413, 422, 499, 500, 502, 503, 504, 520, 524} {
			for _, body := range bodies {
				// The answers of searches are arrays, and null is an empty one.
				isAnswer := status == 200 && (body == "[]" || body == "null") && (o == OpInsightsSearch || o == OpOwnershipSearch)
				if isAnswer {
					continue
				}
				verdict := client.settings.verdict(call, service.Response{Status: status, Body: []byte(body)}, noon())
				lost, is := verdict.(enrich.Lost)
				if !is || (lost.Stop != "") != (status == http.StatusNotFound) {
					t.Errorf("%s: HTTP %d %s: %T %+v, want Lost", o, status, body, verdict, verdict)
				} else if !strings.HasPrefix(lost.Err.Error(), fmt.Sprintf("HTTP %d with ", status)) {
					t.Errorf("%s: HTTP %d %s: the cause is %q", o, status, body, lost.Err)
				}
			}
		}
	}
}

// TestTheCauseOfALostCallSaysWhatCame looks at the reasons that are kept with a call in doubt.
func TestTheCauseOfALostCallSaysWhatCame(t *testing.T) {
	byEmail, byID := ContactByEmailCall("ada@acme.example", true), CompanyCall("4711")
	const neither = ", which is neither an answer nor a refusal of the service"
	const noRoute = ": the service does not have company at this address, or says in other words that it found nothing"
	for _, test := range []struct {
		call       Call
		status     int
		body, want string
	}{
		{byID, 504, `{"errors":["upstream request timeout"]}`, `HTTP 504 with a JSON object with errors ("upstream request timeout")` + neither},
		{byID, 502, "<html><title>x</title>", "HTTP 502 with a page of HTML or XML" + neither},
		{byID, 503, " \n", "HTTP 503 with no body" + neither},
		{byID, 500, `{"e":1,"d":2,"c":3,"b":4,"a":5,"f":6}`, "HTTP 500 with a JSON object with a, b, c, d, e and others" + neither},
		{byID, 403, `{"message":"key ` + testKey + `"}`, `HTTP 403 with a JSON object with message ("key [key]")` + neither},
		{byID, 400, `{"errors":`, "HTTP 400 with JSON that is cut off or damaged" + neither},
		{byID, 400, "blocked", "HTTP 400 with a text that is not JSON" + neither},
		{byID, 400, `["x"]`, "HTTP 400 with a JSON array" + neither},
		{byID, 400, `"x"`, "HTTP 400 with a JSON value that is not an object" + neither},
		{byID, 400, "{}", "HTTP 400 with an empty JSON object" + neither},
		{byID, 404, `{"detail":"Not Found"}`, `HTTP 404 with a JSON object with detail ("Not Found")` + noRoute},
		{byID, 200, `{"warnings":["Acme is slow"]}`, "HTTP 200 with a JSON object with warnings, which is not an answer: the body has no member of a company record"},
		{byID, 200, "\xFF\xFE{\x00}\x00", "HTTP 200 with a text in UTF-16, which is not an answer: the body is not a JSON object, so it is not a company record"},
		{byID, 200, "\x1f\x8b\x08", "HTTP 200 with packed data that cannot be unpacked, which is not an answer: the body is not a JSON object, so it is not a company record"},
		// A cause does not repeat what was asked for: it can name a person.
		{byEmail, 500, `{"detail":"no mailbox ADA@acme.example"}`, "HTTP 500 with a JSON object with detail" + neither},
		{byID, 500, `{"detail":"company 4711 failed"}`, "HTTP 500 with a JSON object with detail" + neither},
	} {
		err := wantLost(t, newStand(t, respond(test.status, test.body)).client().Send(t.Context(), test.call))
		if err.Error() != test.want {
			t.Errorf("HTTP %d %q:\n%s, want\n%s", test.status, test.body, err, test.want)
		}
	}
}

// TestABodyIsReadBelowAByteOrderMark puts byte order marks before bodies, which then mean the same.
func TestABodyIsReadBelowAByteOrderMark(t *testing.T) {
	for _, test := range []struct {
		status     int
		body, want string
	}{
		{200, companyBody, "answered matched, used 1"},
		{200, `{"warnings": ["x"]}`, "lost"},
		{404, notFoundBody, "answered not_found, used 0"},
		{403, limitBody("limit", "companies"), "stop, limit, limit of companies (companies)"},
		{400, `{"id": ["x"]}`, "invalid input, invalid_request"},
	} {
		for _, mark := range []string{"", "\uFEFF", "\uFEFF\uFEFF"} {
			for _, kind := range []string{"application/json", "text/html; charset=utf-8", "text/plain"} {
				stand := newStand(t, respond(test.status, mark+test.body, "Content-Type", kind))
				if got := outcome(companyJSON(stand.client())); got != test.want {
					t.Errorf("HTTP %d %s %q: %s, want %s", test.status, kind, mark+test.body, got, test.want)
				}
			}
		}
	}
	stand := newStand(t, respond(http.StatusOK, "\uFEFF"+companyBody))
	record, verdict := stand.client().Company(t.Context(), "4711")
	wantAnswered(t, verdict)
	if record.Name.Value != "Acme Ltd" {
		t.Errorf("the company is %q", record.Name.Value)
	}
	stand = newStand(t, respond(http.StatusOK, "\uFEFF[\"name\"]"))
	if names, err := stand.client().WatchFields(t.Context(), "4711"); err != nil || len(names) != 1 {
		t.Errorf("a free call returns %q, %v", names, err)
	}
	stand = newStand(t, respond(http.StatusOK, "\uFEFF"+itemsBody))
	page, verdict := stand.client().OwnershipSearch(t.Context(), NamedCompany{Name: "Acme"})
	if wantAnswered(t, verdict); len(page.Items) != 1 {
		t.Errorf("a search finds %d companies", len(page.Items))
	}
}

// TestAPackedAnswerIsUnpacked packs bodies with gzip, which nothing here asks for.
func TestAPackedAnswerIsUnpacked(t *testing.T) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write([]byte("\uFEFF" + companyBody)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	whole := packed.String()
	for _, test := range []struct {
		status               int
		body, encoding, want string
	}{
		{200, whole, "gzip", "answered matched, used 1"},
		{200, whole, "GZIP", "answered matched, used 1"},
		{200, whole[:len(whole)-1], "gzip", "lost"},
		{200, whole, "", "lost"},
		{200, companyBody, "gzip", "answered matched, used 1"},
		{401, whole[:9], "gzip", "stop, invalid_api_key"},
		{504, whole, "gzip", "lost"},
	} {
		headers := []string{"Content-Encoding", test.encoding}
		if test.encoding == "" {
			headers = nil
		}
		if got := outcome(companyJSON(newStand(t, respond(test.status, test.body, headers...)).client())); got != test.want {
			t.Errorf("HTTP %d, %d bytes of %q: %s, want %s", test.status, len(test.body), test.encoding, got, test.want)
		}
	}
	// What is longer than a response may be when it is unpacked is lost, and takes no more memory.
	packed.Reset()
	writer = gzip.NewWriter(&packed)
	for range maxBody>>20 + 1 {
		if _, err := writer.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	stand := newStand(t, respond(http.StatusOK, packed.String(), "Content-Encoding", "gzip"))
	if got := outcome(companyJSON(stand.client())); got != "lost" {
		t.Errorf("a body that is too long: %s", got)
	}
}

// TestTheTextOfNothingFoundIsThatOfTheConfiguration gives the service another text.
func TestTheTextOfNothingFoundIsThatOfTheConfiguration(t *testing.T) {
	const text = "No Company matches the given query."
	stand := newStand(t, respond(http.StatusNotFound, `{"detail":"`+text+`"}`))
	client, err := NewClient(Config{BaseURL: stand.url + "/v2", Key: testKey, Now: noon, NotFound: text})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if got := outcome(companyJSON(client)); got != "answered not_found, used 0" {
		t.Errorf("the text of the configuration is %s", got)
	}
	if _, err := client.WatchFields(t.Context(), "4711"); err == nil || !err.(*Error).NotFound() {
		t.Errorf("of a free call it is %v", err)
	}
	stand.answer = respond(http.StatusNotFound, notFoundBody)
	if got := outcome(companyJSON(client)); got != "lost, unknown_route" {
		t.Errorf("the assumed text is %s", got)
	}
	for _, wrong := range []string{" ", `{"detail":"x"}`, strings.Repeat("x", maxMessage+1)} {
		if _, err := NewClient(Config{BaseURL: stand.url, Key: testKey, NotFound: wrong}); err == nil {
			t.Errorf("%.20q is accepted", wrong)
		}
	}
}
