package v1

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

func FuzzVerdict(f *testing.F) {
	f.Add(200, foundBoth, "")
	f.Add(200, `{"object":"enrichment_result","status":"not_found","data":null,"unresolved_fields":["person"]}`, "")
	f.Add(200, grounded("0000-01-01T00:00:00+23:00"), "")
	f.Add(402, errorBody("credits_exhausted", "false"), "")
	f.Add(429, errorBody("rate_limited", "true"), "60")
	f.Add(503, `{"error":{"code":"\u001b`+testKey+`"}}`, "Fri, 20 Nov 2026 10:00:00 GMT")
	f.Add(307, "", "-1")
	f.Add(307, errorBody("credits_exhausted", "false"), "")
	f.Add(202, errorBody("credits_exhausted", "false"), "")
	f.Add(600, errorBody("credits_exhausted", "false"), "")
	client, err := NewClient(Config{BaseURL: "https://api.example.com", Key: testKey, Now: func() time.Time { return time.Unix(0, 0) }})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, body, wait string) {
		header := http.Header{"Retry-After": {wait}}
		switch verdict := client.settings.verdict(client.settings.replyOf(service.Response{Status: status, Header: header, Body: []byte(body)})).(type) {
		case enrich.Answered:
			checkAnswered(t, status, []byte(body), wantAnswered(t, verdict))
		case enrich.Refused:
			checkRefused(t, status, verdict)
		case enrich.Lost:
			if verdict.Err == nil || verdict.RetryAfter < 0 || verdict.RetryAfter > service.MaxRetryAfter {
				t.Errorf("lost with the error %v, waits %s", verdict.Err, verdict.RetryAfter)
			}
		default:
			t.Errorf("verdict %T on a response", verdict)
		}
	})
}

// checkAnswered reads the body a second way.
func checkAnswered(t *testing.T, status int, body []byte, answer Answer) {
	var result map[string]any
	if err := json.Unmarshal(body, &result); err != nil {
		t.Fatalf("answered by no JSON object: %v", err)
	}
	if status != http.StatusOK || result["object"] != "enrichment_result" || result["status"] != string(answer.Status) || !answer.Status.Valid() {
		t.Errorf("answered by HTTP %d, object %v, status %v", status, result["object"], result["status"])
	}
}

func checkRefused(t *testing.T, status int, refused enrich.Refused) {
	if status < 400 || status > 599 || refused.HTTPStatus != status || refused.Code == "" {
		t.Errorf("HTTP %d is %+v", status, refused)
	}
	if refused.RetryAfter < 0 || refused.RetryAfter > service.MaxRetryAfter {
		t.Errorf("waits %s", refused.RetryAfter)
	}
	if len(refused.Message) > maxMessage || !utf8.ValidString(refused.Message) {
		t.Errorf("message %q", refused.Message)
	}
	if strings.Contains(refused.Code+"\n"+refused.Message+"\n"+refused.RequestID, testKey) {
		t.Errorf("%+v holds the key", refused)
	}
}

func FuzzDecodeAccount(f *testing.F) {
	f.Add([]byte(`{"key_valid":true,"usage_budget":null,"paid_balance":{"included_cents":"4900","prepaid_cents":1e2}}`))
	f.Add([]byte(`{"free_allowance":{"work_emails_remaining":-1e18},"lookup_readiness":{"email":{"can_call":false}}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, body []byte) {
		status, ok := service.ParseObject(body)
		account := settings{Caller: service.Caller{Key: testKey}}.decodeAccount(status)
		if ok && !json.Valid(body) {
			t.Error("an account out of no JSON")
		}
		balance := account.Balance
		for _, amount := range []cost.Optional[cost.Money]{balance.Included, balance.Prepaid, balance.Reserved, account.Budget.Cap} {
			if amount.Value > cost.MaxMoney || amount.Value < -cost.MaxMoney || !amount.Known && amount.Value != 0 {
				t.Errorf("amount %+v", amount)
			}
		}
	})
}
