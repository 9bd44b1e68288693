package v1

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

func fuzzSettings(f *testing.F) settings {
	f.Helper()
	s, err := Config{BaseURL: "https://api.example.com", Transport: MCP, Key: testKey, Now: func() time.Time { return time.Unix(0, 0) }}.check()
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// FuzzCalled reads what an endpoint can say to the call of a tool: the message of a
// success, or the body of another status.
func FuzzCalled(f *testing.F) {
	f.Add(200, rpcResult([]byte("3"), toolResult(foundBoth)), "")
	f.Add(200, rpcResult([]byte("3"), toolFailure(serviceError(429, "rate_limited", "true"))), "17")
	f.Add(200, rpcResult([]byte("3"), toolFailure(`{"code":"\u001b`+testKey+`","retry_after":1e300,"http_status":-1,"retryable":true}`)), "")
	f.Add(200, rpcResult([]byte("3"), `{"content":[{"type":"text","text":"{}"}],"isError":null}`), "")
	f.Add(200, rpcError([]byte("null"), -32700), "")
	f.Add(404, "session not found", "")
	f.Add(503, errorBody("temporarily_unavailable", "true"), "Fri, 20 Nov 2026 10:00:00 GMT")
	m := mcpEndpoint{settings: fuzzSettings(f)}
	f.Fuzz(func(t *testing.T, status int, body, wait string) {
		call := &service.MCPCall{Tool: "x", Sent: true, InSession: true, Response: service.Response{Status: status, Header: http.Header{"Retry-After": {wait}}}}
		call.Message, _ = service.ParseObject([]byte(body))
		if !call.Succeeded() {
			call.Response.Body = []byte(body)
		}
		if status == 0 {
			return // no response has it
		}
		said, verdict := m.called(call, nil)
		if verdict == nil {
			verdict = m.verdict(said)
		}
		switch v := verdict.(type) {
		case enrich.Answered:
			if !call.Succeeded() && status != http.StatusOK || !wantAnswered(t, v).Status.Valid() {
				t.Errorf("answered %+v by HTTP %d", v, status)
			}
		case enrich.Refused:
			if v.Code == "" || v.Unsent || v.RetryAfter < 0 || v.RetryAfter > service.MaxRetryAfter || len(v.Message) > maxMessage ||
				strings.Contains(v.Code+"\n"+v.Message+"\n"+v.RequestID, testKey) {
				t.Errorf("HTTP %d: %+v", status, v)
			}
		case enrich.Lost:
			if v.Err == nil || strings.Contains(v.Err.Error(), testKey) {
				t.Errorf("lost: %v", v.Err)
			}
		default:
			t.Errorf("verdict %T on a response", verdict)
		}
	})
}

func FuzzDecodeOpenAPI(f *testing.F) {
	f.Add([]byte(openAPI(`,"x-service-billing":` + billing)))
	f.Add([]byte(openAPI(`,"x-service-access":{"plans":"x","available":1},"x-service-pricing":{"work_email_usd":1e999}`)))
	f.Add([]byte(`{"paths":{"/contacts/enrich":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#"}}}}}}},"components":{}}`))
	s := fuzzSettings(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := s.decodeOpenAPI(body)
		if err != nil {
			return
		}
		checkDescription(t, d)
	})
}

func FuzzDecodeTools(f *testing.F) {
	f.Add([]byte(toolList(openSchema)))
	f.Add([]byte(toolList(`{"required":["x"],"properties":{"first_name":false},"additionalProperties":false}`)))
	f.Add([]byte(`{"tools":[{"name":"service_find_phone","_meta":7}]}`))
	s := fuzzSettings(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		result, _ := service.ParseObject(body)
		var texts []json.RawMessage
		if json.Unmarshal(result["tools"], &texts) != nil {
			return
		}
		var tools []service.Object
		for _, text := range texts {
			tool, _ := service.ParseObject(text)
			tools = append(tools, tool)
		}
		d, _ := s.decodeTools(tools)
		checkDescription(t, d)
	})
}

func checkDescription(t *testing.T, d Description) {
	for _, option := range d.Card.Options {
		if option.Name == "" || option.MonthlyIncluded < 0 || option.MonthlyIncluded > cost.MaxMoney {
			t.Errorf("option %+v", option)
		}
	}
	for operation, offer := range d.Operations {
		if (offer.InputError == nil) != (offer.input != nil) {
			t.Errorf("input %v with the error %v", offer.input, offer.InputError)
		}
		for _, price := range offer.Prices {
			if price < 0 || price > cost.MaxMoney {
				t.Errorf("price %s", price)
			}
		}
		_ = d.misfit(operation, DefaultNames())
	}
	_ = d.Check(Names{})
}
