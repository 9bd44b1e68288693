package v2

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/service"
)

// Bodies of failures (specification v2, "Errors").
const (
	invalidTokenBody = `{"detail": "Invalid token."}`
	invalidBody      = `{"url": ["This field is required.", "Really."], "page": ["Too large."]}`
	noFieldsBody     = `{"fields": ["One or more of name, registration_number."]}`
	notFoundBody     = `{"detail": "Not found."}`
	serverErrorBody  = `{"detail": "A server error occurred."}`
	tooFastBody      = `{"detail": "Request was throttled."}`
)

func limitBody(guard, module string) string {
	return fmt.Sprintf(`{"access": {"permission": "p", "permission_name": "P", "module": %q, "module_name": "M", "app": "a", "app_name": "A"},
		"error_guard": %q, "message_guard": "The limit is reached."}`, module, guard)
}

// outcome is a verdict in words.
func outcome(verdict enrich.Verdict) string {
	switch v := verdict.(type) {
	case enrich.Answered:
		return fmt.Sprintf("answered %s, used %d", v.Status, sum(v.Consumed))
	case enrich.Refused:
		text := fmt.Sprintf("%s, %s", v.Class, v.Code)
		if v.Pause || v.RetryAfter > 0 {
			text += fmt.Sprintf(", wait %s", v.RetryAfter)
		}
		if v.Limit != (enrich.Limit{}) {
			text += fmt.Sprintf(", limit of %s (%s)", v.Limit.Meter, v.Limit.Module)
			if !v.Limit.Until.IsZero() {
				text += " until " + v.Limit.Until.Format(time.RFC3339)
			}
		}
		return text
	case enrich.Lost:
		if v.Stop != "" {
			return "lost, " + v.Stop
		}
		return "lost"
	}
	return fmt.Sprintf("%T", verdict)
}

func sum(amounts []int64) (total int64) {
	for _, amount := range amounts {
		total += amount
	}
	return total
}

// TestResponsesAreClassifiedByStatusAndShape is the table of responses to a paid call.
func TestResponsesAreClassifiedByStatusAndShape(t *testing.T) {
	const (
		badKey   = "stop, invalid_api_key"
		badInput = "invalid input, invalid_request"
		slow     = "slow down, rate_limited, wait 17s"
		daily    = "stop, limits.daily, limit of companies (companies) until 2026-11-21T00:00:00Z"
		total    = "stop, limit, limit of companies (companies)"
		nothing  = "answered not_found, used 0"
		noRoute  = "lost, unknown_route"
	)
	limit := limitBody("limit", "companies")
	tests := []struct {
		status int
		body   string
		want   string
	}{
		{200, companyBody, "answered matched, used 1"},
		{200, `{"name": null, "id": null}`, "answered not_found, used 1"},
		{200, `{"company_phone": ["+44 1"]}`, "answered not_found, used 1"},
		{200, `{"company_phone": []}`, "answered not_found, used 1"},
		// A limit has a shape that nobody else sends.
		{429, limitBody("limits.daily", "companies"), daily},
		{403, limitBody("limits.daily", "companies"), daily},
		{402, limit, total},
		{401, limit, total},
		{429, limit, total},
		{429, limitBody("limit", "other"), "stop, limit, limit of  (other)"},
		{429, limitBody("limits.hourly", "companies"), "stop, limits.hourly, limit of companies (companies)"},
		{408, limit, "lost"},
		{500, limit, "lost"},
		{200, limit, "lost"},
		{403, `{"error_guard": "limit"}`, "lost"},
		{403, strings.Replace(limit, "{", `{"request_id": "r", `, 1), "lost"},
		{403, strings.Replace(limit, `"app": "a"`, `"app": "a", "trace": "t"`, 1), "lost"},
		{403, strings.Replace(limit, `"app": "a"`, `"app": 7`, 1), "lost"},
		{403, strings.Replace(limit, `"app": "a"`, `"app": "a", "app": "a"`, 1), "lost"},
		{403, strings.Replace(limit, `"error_guard"`, `"error_guard": "x", "error_guard"`, 1), "lost"},
		// 429 is a refusal whatever its body is. What it has of a limit counts.
		{429, `{"error_guard": "limit"}`, "stop, limit"},
		{429, strings.Replace(limit, "{", `{"request_id": "r", `, 1), total},
		{429, tooFastBody, slow},
		{429, "<html>", slow},
		{429, "", slow},
		{429, `{"message": "API rate limit exceeded"}`, slow},
		{429, `{"url": ["x"]}`, slow},
		// So is 401.
		{401, invalidTokenBody, badKey},
		{401, `{"detail": "No credentials."}`, badKey},
		{401, `{"message": "Unauthorized"}`, badKey},
		{401, "<html>", badKey},
		{401, "", badKey},
		{403, invalidTokenBody, "lost"},
		{407, invalidTokenBody, "lost"},
		{500, invalidTokenBody, "lost"},
		{200, invalidTokenBody, "lost"},
		// An invalid request names parameters of the request.
		{400, `{"id": ["A valid integer is required.", "Really."]}`, badInput},
		{422, `{"id": ["A valid integer is required."]}`, badInput},
		{400, noFieldsBody, badInput},
		{400, `{"fields": "One or more."}`, badInput},
		{400, `{"id": ["x"], "fields": ["y"]}`, badInput},
		{400, invalidBody, "lost"},
		{400, `{"id": ["x"], "errors": ["y"]}`, "lost"},
		{400, `{"id": ["x"], "id": ["y"]}`, "lost"},
		{400, `{"id": "x"}`, "lost"},
		{400, `{"id": []}`, "lost"},
		{400, `{"id": [{"code": 1}]}`, "lost"},
		{400, `{"errors": ["request blocked"]}`, "lost"},
		{400, `{"non_field_errors": ["x"]}`, "lost"},
		{400, `{"company_phone": ["+44 1"]}`, "lost"},
		{400, `{"detail": "JSON parse error"}`, "lost"},
		{400, "<html>", "lost"},
		{400, "{}", "lost"},
		{403, `{"id": ["x"]}`, "lost"},
		{408, `{"id": ["x"]}`, "lost"},
		{409, `{"id": ["x"]}`, "lost"},
		{500, `{"id": ["x"]}`, "lost"},
		{504, `{"fields": ["x"]}`, "lost"},
		{200, `{"id": ["x"]}`, "lost"},
		{200, `{"country_code": ["x"], "name": ["y"]}`, "lost"},
		// Nothing was found if the service says so in its own words.
		{404, notFoundBody, nothing},
		{404, " {\n\"detail\":\t\"Not found.\"}\n", nothing},
		{404, `{"detail": "Not Found"}`, noRoute},
		{404, `{"detail": "not found."}`, noRoute},
		{404, `{"detail": "Not found. "}`, noRoute},
		{404, `{"detail": "Not found.", "detail": "Not found."}`, noRoute},
		{404, `{"detail": "Not found.", "status": 404}`, noRoute},
		{404, `{"message": "no Route matched with those values"}`, noRoute},
		{404, `{"errors": ["Not found."]}`, noRoute},
		{404, `{"id": ["Not found."]}`, noRoute},
		{404, "<html>", noRoute},
		{404, "", noRoute},
		{400, notFoundBody, "lost"},
		{410, notFoundBody, "lost"},
		{200, notFoundBody, "lost"},
		// Everything else is lost: errors of gateways, of frameworks and of the service.
		{400, `{"errors": {"id": ["x"]}}`, "lost"},
		{403, `{"detail": "You may not."}`, "lost"},
		{403, `{"message": "Forbidden"}`, "lost"},
		{403, "<html>", "lost"},
		{402, "{}", "lost"},
		{408, `{"errors": ["timeout"]}`, "lost"},
		{409, serverErrorBody, "lost"},
		{499, `{"errors": ["client closed request"]}`, "lost"},
		{500, serverErrorBody, "lost"},
		{500, `{"errors": ["x"]}`, "lost"},
		{500, `{"detail": "Unexpected token < in JSON"}`, "lost"},
		{500, "", "lost"},
		{502, `{"errors": ["bad gateway"]}`, "lost"},
		{503, "<html>", "lost"},
		{504, `{"errors": ["upstream request timeout"]}`, "lost"},
		{200, serverErrorBody, "lost"},
		{200, `{"warnings": ["deprecated"]}`, "lost"},
		{200, `{"errors": ["x"]}`, "lost"},
		{200, invalidBody, "lost"},
		{200, "", "lost"},
		{200, "null", "lost"},
		{200, "{}", "lost"},
		{200, "<html>", "lost"},
		{200, companyBody[:20], "lost"},
		{200, `{"status_of_all": "ok"}`, "lost"},
		{201, companyBody, "lost"},
		{202, companyBody, "lost"},
		{204, "", "lost"},
		{302, invalidBody, "lost"},
		{307, limit, "lost"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, " ", test.body), func(t *testing.T) {
			stand := newStand(t, respond(test.status, test.body, "Retry-After", "17"))
			if got := outcome(companyJSON(stand.client())); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if arrived := stand.arrived(); len(arrived) != 1 {
				t.Errorf("%d requests arrived, want 1", len(arrived))
			}
		})
	}
}

// TestARefusalIsWholeAndPlain looks at all that a refusal has.
func TestARefusalIsWholeAndPlain(t *testing.T) {
	stand := newStand(t, respond(400, `{"name": ["bad\n`+testKey+`", "worse"], "page": ["x"]}`))
	want := enrich.Refused{
		Class: enrich.InvalidInput, HTTPStatus: 400, Code: CodeInvalidRequest, Message: "name: bad [key] worse; page: x",
	}
	search := OverviewCall(CompanySearch{Name: "Acme"})
	if diff := cmp.Diff(enrich.Verdict(want), stand.client().Send(t.Context(), search)); diff != "" {
		t.Errorf("invalid request (-want +got):\n%s", diff)
	}
	stand = newStand(t, respond(429, limitBody("limits.daily", "contacts"), "Retry-After", "17"))
	want = enrich.Refused{
		Class: enrich.StopRun, HTTPStatus: 429, Code: "limits.daily", Message: "The limit is reached.",
		Limit: enrich.Limit{Meter: "contacts", Module: "contacts", Until: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)},
	}
	if diff := cmp.Diff(enrich.Verdict(want), companyJSON(stand.client())); diff != "" {
		t.Errorf("limit (-want +got):\n%s", diff)
	}
}

// TestADailyLimitEndsAtMidnightUTC tries times of a day, in other zones too.
func TestADailyLimitEndsAtMidnightUTC(t *testing.T) {
	for at, want := range map[string]string{
		"2026-11-20T00:00:00Z":      "2026-11-21T00:00:00Z",
		"2026-11-20T23:59:59Z":      "2026-11-21T00:00:00Z",
		"2026-11-20T23:30:00-05:00": "2026-11-22T00:00:00Z",
		"2026-12-31T12:00:00Z":      "2027-01-01T00:00:00Z",
	} {
		asked, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := (settings{}).limit(complaint{guard: CodeDailyLimit}, asked).Until.Format(time.RFC3339); got != want {
			t.Errorf("a limit at %s ends at %s, want %s", at, got, want)
		}
	}
}

// TestADailyLimitThatArrivesAfterMidnightEndsWithTheDayOfTheCall: the module is not blocked for another day.
func TestADailyLimitThatArrivesAfterMidnightEndsWithTheDayOfTheCall(t *testing.T) {
	midnight := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	s := settings{Caller: service.Caller{Now: func() time.Time { return midnight.Add(time.Second) }}}
	response := service.Response{Status: http.StatusTooManyRequests, Body: []byte(limitBody("limits.daily", "companies"))}
	verdict := s.verdict(CompanyCall("1"), response, midnight.Add(-time.Second))
	if refused, ok := verdict.(enrich.Refused); !ok || !refused.Limit.Until.Equal(midnight) {
		t.Errorf("%+v, want a limit until %s", verdict, midnight)
	}
}

// TestALimitNamesTheMeterOfItsModule uses other codenames.
func TestALimitNamesTheMeterOfItsModule(t *testing.T) {
	modules, err := ParseModules(nil, map[string]string{"companies": "company_data"})
	if err != nil {
		t.Fatal(err)
	}
	s := settings{modules: modules, Caller: service.Caller{Now: noon}}
	for module, want := range map[string]string{"company_data": "companies", "contacts": "contacts", "companies": ""} {
		if limit := s.limit(complaint{guard: CodeLimit, module: module}, noon()); limit.Meter != want || limit.Module != module {
			t.Errorf("module %s: %+v, want meter %q", module, limit, want)
		}
	}
}

// TestSearchesAndWatchingAreClassified tries shapes that only some operations have.
func TestSearchesAndWatchingAreClassified(t *testing.T) {
	search := OverviewCall(CompanySearch{Name: "Acme"})
	owners := OwnershipSearchCall(NamedCompany{Name: "Acme"})
	watch := WatchStartCall("4711", nil)
	prospects := ProspectingCall(CompanyFilters{}, Paging{Page: 1})
	contact := ContactCall(PartialContact{Email: "a@b.example"}, Reveal{Phone: true})
	for _, test := range []struct {
		call   Call
		status int
		body   string
		want   string
	}{
		{search, 200, `{"data": [], "total_results": 0}`, "answered not_found, used 1"},
		{search, 200, `{"data": null}`, "answered not_found, used 1"},
		{search, 200, `{"total_results": 5}`, "lost"},
		{search, 200, `{"data": ["x"]}`, "lost"},
		{search, 200, `{"data": ["x", {"id": 1}]}`, "answered matched, used 1"},
		{search, 200, `{"name": ["x"]}`, "lost"},
		{search, 400, `{"name": ["x"], "pro_network": ["y"]}`, "invalid input, invalid_request"},
		{search, 400, `{"url": ["x"]}`, "lost"},
		{search, 200, `[]`, "lost"},
		{search, 404, notFoundBody, "answered not_found, used 0"},
		{owners, 200, `[]`, "answered not_found, used 1"},
		{owners, 200, `{}`, "lost"},
		{owners, 200, `["This field is required."]`, "lost"},
		{owners, 400, `["This field is required."]`, "lost"},
		{owners, 400, noFieldsBody, "invalid input, invalid_request"},
		{OwnershipCall("1"), 200, `{"shareholders": [], "data": [], "group_structure": []}`, "answered not_found, used 1"},
		{OwnershipCall("1"), 200, `{"data": ["x"]}`, "answered matched, used 1"},
		{FinancialsCall("1", 0), 200, `{}`, "answered not_found, used 1"},
		{FinancialsCall("1", 0), 200, `{"2024": ["x"]}`, "lost"},
		{FinancialsCall("1", 0), 200, `{"warnings": ["x"]}`, "lost"},
		{FinancialsCall("1", 0), 400, `{"year": ["x"]}`, "invalid input, invalid_request"},
		{InsightsCall("1"), 200, `{"mx_list": ["mx"]}`, "answered matched, used 1"},
		{watch, 201, ``, "answered matched, used 1"},
		{watch, 201, `{"status": "ok"}`, "answered matched, used 1"},
		{watch, 200, `{"status": "ok"}`, "lost"},
		{watch, 200, `{"warnings": ["x"]}`, "lost"},
		{watch, 201, `<html>`, "lost"},
		{watch, 202, ``, "lost"},
		{watch, 400, `{"fields": ["\"x\" is not a valid choice."]}`, "invalid input, invalid_request"},
		{contact, 200, `{"id": 1, "email": null, "phone": "+44 1"}`, "answered matched, used 2"},
		{contact, 200, `{"id": 1, "email": "a@b.example"}`, "answered partial, used 2"},
		{contact, 200, `{"id": null}`, "answered not_found, used 1"},
		{contact, 200, `{"email": ["Enter a valid email address."]}`, "lost"},
		{contact, 400, `{"email": ["Enter a valid email address."]}`, "invalid input, invalid_request"},
		{prospects, 400, `{"filters": ["x"]}`, "invalid input, invalid_request"},
		{prospects, 400, `{"sic_code_gb": ["x"]}`, "invalid input, invalid_request"},
	} {
		stand := newStand(t, respond(test.status, test.body))
		if got := outcome(stand.client().Send(t.Context(), test.call)); got != test.want {
			t.Errorf("%s: HTTP %d %s: %s, want %s", test.call.Operation, test.status, test.body, got, test.want)
		}
	}
}

// TestNothingIsSentWithinTheWaitOfALostResponse sends a call after a gateway asked to wait.
func TestNothingIsSentWithinTheWaitOfALostResponse(t *testing.T) {
	now := noon()
	stand := newStand(t, respond(http.StatusBadGateway, "<html>maintenance</html>", "Retry-After", "120"))
	client, err := NewClient(Config{BaseURL: stand.url + "/v2", Key: testKey, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	wantLost(t, companyJSON(client))
	now = now.Add(119 * time.Second)
	refused, ok := companyJSON(client).(enrich.Refused)
	if !ok || !refused.Unsent || refused.Class != enrich.SlowDown || refused.RetryAfter != time.Second {
		t.Errorf("verdict %+v, want one that is not sent for 1s", refused)
	}
	now = now.Add(time.Second)
	stand.answer = respond(http.StatusOK, companyBody)
	wantAnswered(t, companyJSON(client))
	if n := len(stand.arrived()); n != 2 {
		t.Errorf("%d requests arrived, want 2", n)
	}
}

// TestFreeCallsFailWithTheirCause is the table of responses to a free call.
func TestFreeCallsFailWithTheirCause(t *testing.T) {
	for _, test := range []struct {
		status            int
		body, want        string
		refused, notFound bool
	}{
		{401, invalidTokenBody, "watch-fields: HTTP 401 invalid_api_key: Invalid token.", true, false},
		{200, invalidTokenBody, "watch-fields: HTTP 200 invalid_api_key: Invalid token.", true, false},
		{404, notFoundBody, "watch-fields: HTTP 404 not_found: Not found.", false, true},
		{404, "<html>", "watch-fields: HTTP 404 http_404: it came with a page of HTML or XML: the service does not have watch-fields at this address", false, false},
		{404, `{"detail": "Not Found"}`, `watch-fields: HTTP 404 http_404: it came with a JSON object with detail ("Not Found"): the service does not have watch-fields at this address`, false, false},
		{403, "<html>", "watch-fields: HTTP 403 access_restricted", true, false},
		{500, serverErrorBody, "watch-fields: HTTP 500 http_500: A server error occurred.", false, false},
		{429, limitBody("limit", "watch"), "watch-fields: HTTP 429 limit: The limit is reached.", false, false},
		{200, "<html>", "watch-fields: HTTP 200 unreadable: the body is not a JSON array", false, false},
		{200, `{"a": 1}`, "watch-fields: HTTP 200 unreadable: the body is not a JSON array", false, false},
		{302, "", "watch-fields: HTTP 302 http_302: redirected to an unreadable address, which is not followed", false, false},
	} {
		_, err := newStand(t, respond(test.status, test.body)).client().WatchFields(t.Context(), "4711")
		failure, ok := err.(*Error)
		if !ok || err.Error() != test.want || failure.Refused() != test.refused || failure.NotFound() != test.notFound {
			t.Errorf("HTTP %d %s: %v, want %s", test.status, test.body, err, test.want)
		}
	}
}
