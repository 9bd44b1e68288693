package v2

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"payonce/enrich"
	"payonce/io/service"
)

// FuzzVerdict reads hostile responses to every paid operation.
func FuzzVerdict(f *testing.F) {
	for _, seed := range []struct {
		status     int
		body, wait string
	}{
		{200, companyBody, ""},
		{200, "{}", "x"},
		{404, notFoundBody, ""},
		{400, invalidBody, ""},
		{429, limitBody("limits.daily", "companies"), "60"},
		{429, tooFastBody, "Fri, 20 Nov 2026 10:00:00 GMT"},
		{500, `{"detail":"\u001b` + testKey + `"}`, "-1"},
		{302, invalidBody, "9e9"},
		{200, `{"company_phone":["` + testKey + `"]}`, ""},
		{201, "", ""},
		{400, `{"` + testKey + `":["x"]}`, ""},
		{200, `{"error_guard":7}`, ""},
		{504, `{"errors":["upstream request timeout"]}`, "30"},
		{404, `{"detail":"Not Found"}`, ""},
		{400, `{"id":["x"]}`, ""},
		{400, "\uFEFF{\"id\":[\"x\"]}", ""},
	} {
		for o := range Operations() {
			f.Add(uint8(o), seed.status, seed.body, seed.wait)
		}
	}
	client, err := NewClient(Config{BaseURL: "https://api.example.com/v2", Key: testKey, Now: noon})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, number uint8, status int, body, wait string) {
		o := Operation(int(number) % len(Operations()))
		response := service.Response{Status: status, Header: http.Header{"Retry-After": {wait}}, Body: []byte(body)}
		switch v := client.settings.verdict(Call{Operation: o, ID: "1"}, response, noon()).(type) {
		case enrich.Answered:
			success := isSuccess(o, status)
			if answer, err := DecodeAnswer(v); err != nil || !v.Status.Valid() || !success && (status != 404 || len(answer.Body) > 0) {
				t.Errorf("HTTP %d is an answer: %+v, error %v", status, v, err)
			}
			for _, amount := range v.Consumed {
				if amount < 0 || amount > 0 && !success {
					t.Errorf("HTTP %d used %v", status, v.Consumed)
				}
			}
		case enrich.Refused:
			checkRefused(t, status, v)
		case enrich.Lost:
			if v.Err == nil || v.RetryAfter < 0 || v.RetryAfter > service.MaxRetryAfter || strings.Contains(v.Err.Error(), testKey) {
				t.Errorf("lost with the error %v, waits %s", v.Err, v.RetryAfter)
			}
		default:
			t.Errorf("verdict %T on a response", v)
		}
	})
}

func checkRefused(t *testing.T, status int, refused enrich.Refused) {
	if refused.HTTPStatus != status || refused.Code == "" || refused.Unsent || status < 400 || status > 499 || status == http.StatusRequestTimeout {
		t.Errorf("HTTP %d is %+v", status, refused)
	}
	if refused.RetryAfter < 0 || refused.RetryAfter > service.MaxRetryAfter || refused.RetryAfter > 0 && refused.Class != enrich.SlowDown {
		t.Errorf("waits %s as %s", refused.RetryAfter, refused.Class)
	}
	if len(refused.Message) > maxMessage || !utf8.ValidString(refused.Message) || len(refused.Limit.Module) > maxName {
		t.Errorf("message %q, module %q", refused.Message, refused.Limit.Module)
	}
	if strings.Contains(refused.Code+"\n"+refused.Message+"\n"+refused.Limit.Module, testKey) {
		t.Errorf("%+v holds the key", refused)
	}
	if until := refused.Limit.Until; !until.IsZero() && (!until.After(noon()) || until.Sub(noon()) > 24*time.Hour) {
		t.Errorf("the limit ends at %s", until)
	}
}
