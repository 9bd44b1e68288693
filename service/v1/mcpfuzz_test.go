package v1

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
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
		e := &exchange{tool: "x", called: true, inSession: true, reply: reply{status: status, header: http.Header{"Retry-After": {wait}}}}
		e.message, _ = parseObject([]byte(body))
		if !e.succeeded() {
			e.reply.body, e.reply.said = []byte(body), m.decodeComplaint([]byte(body))
		}
		if status == 0 {
			return // no response has it
		}
		said, verdict := m.called(e, nil)
		if verdict == nil {
			verdict = m.judge(said)
		}
		switch v := verdict.(type) {
		case enrich.Answered:
			if !e.succeeded() && status != http.StatusOK || !v.Answer.Status.Valid() {
				t.Errorf("answered %+v by HTTP %d", v.Answer, status)
			}
			if _, err := json.Marshal(v.Answer); err != nil {
				t.Errorf("the answer cannot be kept: %v", err)
			}
		case enrich.Refused:
			if v.Code == "" || v.Unsent || v.RetryAfter < 0 || v.RetryAfter > maxRetryAfter || len(v.Message) > maxMessage ||
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

// FuzzEvents compares what is read from a stream with the lines that are in it.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\r\nid: 1\r\ndata: {\"id\":3}\r\n\r\n"))
	f.Add([]byte(": comment\n\ndata\ndata:\n\ndata: {\ndata: \"id\":3}\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		data, err := readEvents(bytes.NewReader(stream), func(data []byte) bool { return isObject(data) })
		if err != nil {
			if data != nil {
				t.Errorf("data %q with the error %v", data, err)
			}
			return
		}
		if !isObject(data) {
			t.Errorf("data %q was not wanted", data)
		}
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if !bytes.Contains(stream, bytes.TrimRight(line, "\r")) {
				t.Errorf("line %q is not in the stream", line)
			}
		}
	})
}

func isObject(data []byte) bool {
	_, ok := parseObject(data)
	return ok
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
		result, _ := parseObject(body)
		var texts []json.RawMessage
		if json.Unmarshal(result["tools"], &texts) != nil {
			return
		}
		var tools []object
		for _, text := range texts {
			tool, _ := parseObject(text)
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

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"required":["first_name"],"properties":{"first_name":{"pattern":"^A"}}}`), []byte(nil))
	f.Add([]byte(`{"$ref":"#/components/a","unevaluatedProperties":false}`), []byte(`{"a":{"anyOf":[{"$ref":"#/components/b"},true]},"b":{"not":{}}}`))
	f.Add([]byte(closedSchema(nil, "first_name")), []byte(`{}`))
	body := map[string]any{"first_name": "secret-Ada", "include_email": true}
	f.Fuzz(func(t *testing.T, text, components []byte) {
		s, err := compileSchema(text, components)
		if err != nil {
			if s != nil {
				t.Error("a schema with an error")
			}
			return
		}
		if err := s.check(body); err != nil && strings.Contains(err.Error(), "secret-Ada") && !bytes.Contains(text, []byte("secret-Ada")) && !bytes.Contains(components, []byte("secret-Ada")) {
			t.Errorf("error %q holds a value", err)
		}
		s.members()
		s.misfits([]string{"first_name"})
	})
}
