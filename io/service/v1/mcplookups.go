package v1

import (
	"context"
	"sync"

	"payonce/enrich"
	"payonce/io/service"
)

// mcpLookups sends lookups over MCP.
type mcpLookups struct {
	mcpEndpoint
	sender *service.Sender

	mu     sync.Mutex
	idle   []*session
	closed bool
	ending sync.WaitGroup // of sessions that are being ended; none begins once closed
}

func newMCPLookups(s settings, sender *service.Sender) *mcpLookups {
	return &mcpLookups{mcpEndpoint: newMCPEndpoint(s, sender, paidTools()), sender: sender}
}

// send calls the tool of the question once.
func (m *mcpLookups) send(ctx context.Context, q question) (reply, enrich.Verdict) {
	s, err := m.take(ctx)
	if err != nil {
		return reply{}, m.unopenedVerdict(err)
	}
	if err := s.tools.misfit(q.operation, m.names); err != nil {
		m.giveBack(s)
		return reply{}, enrich.Refused{Class: enrich.StopRun, Unsent: true, Code: "mcp_tool_changed", Message: m.Plain(err.Error(), maxMessage)}
	}
	if unfit := fitsEndpoint(s.tools.Operations[q.operation].input, q); unfit != nil {
		m.giveBack(s)
		return reply{}, unfit.refused()
	}
	ctx, cancel := context.WithTimeout(ctx, m.Timeout)
	defer cancel()
	call := &service.MCPCall{Tool: toolOf(q.operation)}
	reusable := s.Call(ctx, call, q.body)
	said, verdict := m.called(call, ctx.Err())
	if reusable {
		m.giveBack(s)
	} else {
		m.drop(s, call)
	}
	return said, verdict
}

// take returns a session that nobody else uses.
func (m *mcpLookups) take(ctx context.Context) (*session, error) {
	m.mu.Lock()
	last := len(m.idle) - 1
	if last >= 0 {
		s := m.idle[last]
		m.idle = m.idle[:last]
		m.mu.Unlock()
		return s, nil
	}
	m.mu.Unlock()
	return m.open(ctx)
}

func (m *mcpLookups) giveBack(s *session) {
	m.mu.Lock()
	if !m.closed {
		m.idle = append(m.idle, s)
		s = nil
	}
	m.mu.Unlock()
	if s != nil {
		go s.End() // nobody waits for it any more
	}
}

// drop ends a session that failed. When the endpoint does not know it any more, the
// idle ones will hardly be better off: the next lookup begins a new one.
func (m *mcpLookups) drop(s *session, call *service.MCPCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dropped := []*session{s}
	if call.Response.Status != 0 && !call.Succeeded() {
		dropped, m.idle = append(dropped, m.idle...), nil
	}
	if m.closed {
		go s.End() // nobody waits for it any more
		return
	}
	for _, s := range dropped {
		m.ending.Go(s.End) // it holds nobody up
	}
}

// close ends the sessions that are idle; a lookup under way ends its own.
func (m *mcpLookups) close() {
	m.mu.Lock()
	for _, s := range m.idle {
		m.ending.Go(s.End)
	}
	m.idle, m.closed = nil, true
	m.mu.Unlock()
	m.ending.Wait()
	m.sender.Close()
}
