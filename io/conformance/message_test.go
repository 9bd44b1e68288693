package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"payonce/io/service/v1"
)

// Message sends one request as no client of ours would, or as any client has to, and
// says what has to come back.
type Message struct {
	Method string // POST when empty
	Path   string // of the address; the MCP endpoint's when empty
	As     string // the name of the key
	// Header replaces what goes along by itself; "" leaves a header out.
	Header map[string]string
	Body   string

	Status  int
	Shows   members // of the JSON that came back; an MCP message out of its event
	Headers map[string]string
	// Session says that the response may name a session for the messages after it.
	Session bool
	// Arrives says that the ledger counts a lookup.
	Arrives bool
	Charge  Charged
}

func (m Message) play(ctx context.Context, p *play) error {
	request := m.request(p)
	before := p.look(ctx)
	response, err := p.stage.Send(ctx, request)
	if err != nil {
		return err
	}
	if id := response.Header.Get("Mcp-Session-Id"); m.Session && id != "" {
		p.session = id
	}
	after := p.look(ctx)
	if m.Arrives {
		p.arrived++
	}
	problems := []error{m.checkArrival(before, after)}
	if response.Status != m.Status {
		problems = append(problems, fmt.Errorf("HTTP %d, want %d", response.Status, m.Status))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		if got := response.Header.Get(name); got != m.Headers[name] {
			problems = append(problems, fmt.Errorf("the response's %s is %q, want %q", name, got, m.Headers[name]))
		}
	}
	problems = append(problems, m.Shows.check(said(response.Header, response.Body)))
	problems = append(problems, m.Charge.check(found{
		Observation: Observation{Before: before.account, After: after.account, Read: before.err == nil && after.err == nil},
		before:      before, after: after,
	}))
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("%s %s %s: %w", request.Method, m.path(), m.Body, err)
	}
	return nil
}

func (m Message) path() string {
	if m.Path == "" {
		return mcpPath
	}
	return m.Path
}

// request writes the message with what goes along by itself (specification v1,
// "Authentication" and "MCP endpoint").
func (m Message) request(p *play) Request {
	r := Request{Method: m.Method, URL: p.address + m.path(), Header: map[string]string{}, Body: m.Body}
	if r.Method == "" {
		r.Method = http.MethodPost
	}
	if m.As != noKey {
		r.Header["Authorization"] = "Bearer " + p.keys[m.As]
	}
	if m.Body != "" {
		r.Header["Content-Type"] = "application/json"
	}
	if m.path() == mcpPath {
		r.Header["Accept"] = "application/json, text/event-stream"
		r.Header["MCP-Protocol-Version"] = "2025-11-25"
		if p.session != "" {
			r.Header["Mcp-Session-Id"] = p.session
		}
	}
	for name, value := range m.Header {
		if r.Header[name] = value; value == "" {
			delete(r.Header, name)
		}
	}
	return r
}

func (m Message) checkArrival(before, after look) error {
	arrived := after.ledger.Arrivals[len(before.ledger.Arrivals):]
	if (len(arrived) == 1) != m.Arrives || len(arrived) > 1 {
		return fmt.Errorf("%d lookups arrived", len(arrived))
	}
	return nil
}

// Publishes reads what the service publishes about its lookups, which is free.
type Publishes struct {
	Tools bool // of the MCP endpoint; else the OpenAPI document
	// Want says how the description differs from what it has to be.
	Want func(v1.Description) error
}

func (s Publishes) play(ctx context.Context, p *play) error {
	subject, err := p.client(access{})
	if err != nil {
		return err
	}
	var d v1.Description
	if s.Tools {
		d, err = subject.Tools(ctx)
	} else {
		d, err = subject.OpenAPI(ctx)
	}
	if err != nil {
		return err
	}
	return s.Want(d)
}
