package v1

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

func TestFindAnswered(t *testing.T) {
	const result = `{"object":"enrichment_result",`
	const email = "ada@example.com"
	retrieved := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		body string
		want Answer
	}{
		{"both requested fields present", foundBoth, Answer{
			Status: enrich.Matched, Operation: "contact_enrichment", RequestID: "req_1", FullName: "Ada Lovelace",
			WorkEmail: email, BusinessPhone: "+44 20 7946 0000", PhoneType: "unknown",
			RetrievedAt: retrieved, Provenance: "not_available",
		}},
		{
			"one requested field present",
			result + `"status":"partial","data":{"full_name":"Ada Lovelace","work_email":"ada@example.com"},"unresolved_fields":["business_phone"]}`,
			Answer{Status: enrich.Partial, FullName: "Ada Lovelace", WorkEmail: email, Unresolved: []string{"business_phone"}},
		},
		{
			"person identified, no requested field present",
			result + `"status":"partial","data":{"full_name":"Ada Lovelace"},"unresolved_fields":["work_email","business_phone"]}`,
			Answer{Status: enrich.Partial, FullName: "Ada Lovelace", Unresolved: []string{"work_email", "business_phone"}},
		},
		{
			"no person found",
			result + `"status":"not_found","data":null,"unresolved_fields":["person"]}`,
			Answer{Status: enrich.NotFound, Unresolved: []string{"person"}},
		},
		{"not found without data", result + `"status":"not_found"}`, Answer{Status: enrich.NotFound}},
		{"not found with data of another type", result + `"status":"not_found","data":[]}`, Answer{Status: enrich.NotFound}},
		{
			"not found with a value",
			result + `"status":"not_found","data":{"work_email":"ada@example.com"}}`,
			Answer{Status: enrich.NotFound, WorkEmail: email},
		},
		{
			"values are trimmed and composed",
			result + `"status":"matched","data":{"full_name":" Zoe\u0308\n","work_email":"\tada@example.com "}}`,
			Answer{Status: enrich.Matched, FullName: "Zoë", WorkEmail: email},
		},
		{
			"empty and null values are not returned",
			result + `"status":"partial","data":{"work_email":" ","business_phone":null}}`,
			Answer{Status: enrich.Partial},
		},
		{
			"what is not charged for is read leniently",
			result + `"operation":7,"request_id":null,"status":"matched","data":{"full_name":[],"phone_type":1,"work_email":"ada@example.com"},
				"unresolved_fields":["",3,null,{},"work_email"],"grounding":{"retrieved_at":"yesterday","source_provenance":{}}}`,
			Answer{Status: enrich.Matched, WorkEmail: email, Unresolved: []string{"work_email"}},
		},
		{
			"unknown members are ignored",
			result + `"status":"matched","extra":{"a":[1]},"data":{"profile":{"title":"x"},"work_email":"ada@example.com"},"unresolved_fields":"none","grounding":[]}`,
			Answer{Status: enrich.Matched, WorkEmail: email, Profile: `{"title":"x"}`},
		},
		{"time with an offset", grounded("2026-11-20T12:00:00.000+02:00"), Answer{Status: enrich.NotFound, RetrievedAt: retrieved}},
		{"time with a short offset", grounded("2026-11-20T12:00:00+0200"), Answer{Status: enrich.NotFound, RetrievedAt: retrieved}},
		{"time without a zone", grounded("2026-11-20T10:00:00"), Answer{Status: enrich.NotFound, RetrievedAt: retrieved}},
		{"time with a space", grounded("2026-11-20 10:00:00"), Answer{Status: enrich.NotFound, RetrievedAt: retrieved}},
		{"date alone", grounded("2026-11-20"), Answer{Status: enrich.NotFound, RetrievedAt: retrieved.Truncate(24 * time.Hour)}},
		{"time before the first year", grounded("0000-01-01T00:00:00+23:00"), Answer{Status: enrich.NotFound}},
		{"time after the last year", grounded("9999-12-31T23:59:59-23:00"), Answer{Status: enrich.NotFound}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client := clientOf(t, serve(t, respond(http.StatusOK, test.body)))
			if diff := cmp.Diff(test.want, wantAnswered(t, find(client))); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func grounded(retrievedAt string) string {
	return fmt.Sprintf(`{"object":"enrichment_result","status":"not_found","grounding":{"retrieved_at":%q}}`, retrievedAt)
}

// A field that was not asked for stays in the answer.
func TestFindKeepsFieldsNotAskedFor(t *testing.T) {
	client := clientOf(t, serve(t, respond(http.StatusOK, foundBoth)))
	lookup := ada()
	lookup.Fields = enrich.FieldsOf(WorkEmail)
	answer := wantAnswered(t, client.Find(t.Context(), lookup))
	if answer.BusinessPhone != "+44 20 7946 0000" {
		t.Errorf("business phone %q was dropped", answer.BusinessPhone)
	}
}

// large is a result with a megabyte of text in it. A part of it is such as JSON writes as
// six times as many bytes.
func large(t *testing.T) string {
	t.Helper()
	long := strings.Repeat("<é\u2028\n", 10_000)
	result := map[string]any{
		"object": "enrichment_result", "operation": long, "request_id": "req_" + long, "status": "matched",
		"data": map[string]string{
			"full_name": "Ada " + long, "work_email": "ada@example.com" + long, "business_phone": "+44 20 7946 0000", "phone_type": long,
		},
		"unresolved_fields": []string{"person", long, long},
		"grounding":         map[string]string{"source_provenance": "https://example.com/" + long},
	}
	text, err := json.Marshal(result)
	if err != nil || len(text) < 1<<20 {
		t.Fatalf("%d bytes, error %v", len(text), err)
	}
	return string(text)
}

// TestALargeAnswerIsKeptInShort has texts for which a commit of the journal has no room:
// the answer was paid for, so it counts, and its values are there as far as they may be any.
func TestALargeAnswerIsKeptInShort(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	clients := map[string]*Client{"REST": clientOf(t, serve(t, respond(http.StatusOK, large(t))))}
	f := newFakeMCP(t)
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, toolResult(large(t))) })
	clients["MCP"] = mcpClient(t, f)
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			answer := wantAnswered(t, find(client))
			if record, err := json.Marshal(answer); err != nil || len(record) > 3<<10 {
				t.Errorf("the answer takes %d bytes in a record, error %v; want at most 3 KB", len(record), err)
			}
			if answer.Status != enrich.Matched || answer.Returned() != AllFields {
				t.Errorf("status %s, returned %s: something that was paid for is gone", answer.Status, answer.Returned())
			}
			for text, beginning := range map[string]string{
				answer.WorkEmail: "ada@example.com<é", answer.RequestID: "req_<", answer.FullName: "Ada <", answer.Provenance: "https://example.com/<",
			} {
				if !strings.HasPrefix(text, beginning) || !strings.HasSuffix(text, cutMark) {
					t.Errorf("%q, want the beginning %q and the mark of a cut", text, beginning)
				}
			}
			if diff := cmp.Diff([]string{"person"}, answer.Unresolved); diff != "" || answer.BusinessPhone != "+44 20 7946 0000" {
				t.Errorf("phone %q, unresolved fields (-want +got):\n%s", answer.BusinessPhone, diff)
			}
		})
	}
}

func TestCutShortensTextToALimitOfJSONBytes(t *testing.T) {
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"aéé", 4, "aé…"},
		{"<<", 12, "<<"},
		{"<<", 11, "<…"},
		{"\x01a", 5, "…"},
	} {
		if got := cut(test.text, test.limit); got != test.want {
			t.Errorf("%q cut to %d bytes of JSON is %q, want %q", test.text, test.limit, got, test.want)
		}
	}
}

// TestAResultIsNotReadAsAnError sends a lookup whose result has an error besides.
func TestAResultIsNotReadAsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"enrichment_result","status":"not_found","error":{"code":"rate_limited"}}`)
	}))
	defer server.Close()
	client, err := NewClient(Config{BaseURL: server.URL, Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	q, err := client.settings.question(ada())
	if err != nil {
		t.Fatal(err)
	}
	said, verdict := client.lookups.send(t.Context(), q)
	if verdict != nil || said.said != (complaint{}) {
		t.Errorf("verdict %v, complaint %+v", verdict, said.said)
	}
	wantAnswered(t, client.settings.verdict(said))
}
