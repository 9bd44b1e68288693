package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// poster sends POSTs to one address.
type poster struct {
	client *http.Client
	url    string
}

func newPoster(url string) poster {
	return poster{url: url, client: &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a redirect is not an acceptance
		},
	}}
}

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 64 << 10

// post sends a body. Any answer but 2xx is an error.
func (p poster) post(ctx context.Context, to, contentType string, body []byte, header http.Header) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address cannot be used") // the error shows it
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("User-Agent", "payonce")
	response, err := p.client.Do(request)
	if err != nil {
		if full, ok := errors.AsType[*url.Error](err); ok {
			err = full.Err // the error itself shows the address
		}
		return fmt.Errorf("the receiver cannot be reached: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // the status says everything
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxAnswer))
	switch status := response.StatusCode; {
	case status >= 200 && status <= 299:
		return nil
	case status == http.StatusGone:
		return ErrGone
	case status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return &RefusedError{status}
	default:
		return errors.New(answered(status))
	}
}

// postJSON sends a value.
func (p poster) postJSON(ctx context.Context, value any, header func(body []byte) (http.Header, error)) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	headers := http.Header{}
	if header != nil {
		if headers, err = header(body); err != nil {
			return err
		}
	}
	return p.post(ctx, p.url, "application/json", body, headers)
}

// webhook sends messages that are signed as Standard Webhooks says.
type webhook struct {
	poster
	signer *standardwebhooks.Webhook
}

func (w webhook) Send(ctx context.Context, m Message) error {
	event := map[string]any{"type": "job." + string(m.Kind), "timestamp": m.At, "data": m}
	return w.postJSON(ctx, event, func(body []byte) (http.Header, error) {
		now := time.Now() // that of this attempt, which a receiver compares with its clock
		signature, err := w.signer.Sign(m.ID, now, body)
		header := http.Header{}
		header.Set(standardwebhooks.HeaderWebhookID, m.ID)
		header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
		header.Set(standardwebhooks.HeaderWebhookSignature, signature)
		return header, err
	})
}

// slack sends messages to an incoming webhook of Slack.
type slack struct{ poster }

func (s slack) Send(ctx context.Context, m Message) error {
	return s.postJSON(ctx, map[string]any{
		"text": m.title(), // what a notification shows
		"blocks": []any{
			map[string]any{"type": "header", "text": map[string]any{"type": "plain_text", "text": m.title()}},
			map[string]any{"type": "section", "text": map[string]any{"type": "plain_text", "text": m.body()}},
			map[string]any{"type": "context", "elements": []any{map[string]any{"type": "plain_text", "text": m.ID}}},
		},
	}, nil)
}

// teams sends messages to a workflow of Teams, as an adaptive card.
type teams struct{ poster }

func (t teams) Send(ctx context.Context, m Message) error {
	facts := []any{}
	for _, figure := range m.Figures {
		facts = append(facts, map[string]string{"title": figure.Name, "value": figure.readable()})
	}
	body := []any{map[string]any{"type": "TextBlock", "weight": "Bolder", "wrap": true, "text": m.title()}}
	for line := range strings.Lines(m.Text) { // a block has no line ends, and a command has a line of its own
		body = append(body, map[string]any{"type": "TextBlock", "wrap": true, "text": strings.TrimSuffix(line, "\n")})
	}
	body = append(body, map[string]any{"type": "FactSet", "facts": facts},
		map[string]any{"type": "TextBlock", "isSubtle": true, "wrap": true, "text": m.ID})
	card := map[string]any{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body,
	}
	return t.postJSON(ctx, map[string]any{"type": "message", "attachments": []any{
		map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "content": card},
	}}, nil)
}

// ping tells a service such as healthchecks that a job started, succeeded or failed. Other messages are logged
// there, and change nothing.
type ping struct{ poster }

func (p ping) Send(ctx context.Context, m Message) error {
	path := map[Kind]string{Started: "/start", Success: "", Failure: "/fail", Approval: "/fail", NoRun: "/fail"}
	suffix, known := path[m.Kind]
	if !known {
		suffix = "/log"
	}
	return p.post(ctx, p.url+suffix, "text/plain; charset=utf-8", []byte(m.title()+"\n"+m.body()+"\n"), nil)
}
