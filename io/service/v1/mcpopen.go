package v1

import (
	"context"
	"errors"
	"net/http"

	"payonce/enrich"
	"payonce/io/service"
)

// mcpEndpoint opens sessions.
type mcpEndpoint struct {
	settings
	endpoint service.MCPEndpoint
}

func newMCPEndpoint(s settings, carrier service.MCPCarrier, tools []string) mcpEndpoint {
	return mcpEndpoint{settings: s, endpoint: service.NewMCPEndpoint(s.mcp, s.Caller, carrier, tools)}
}

// session is one MCP session whose tools have been looked at.
type session struct {
	*service.MCPSession
	tools Description
	free  bool // it has the free tool
}

// open begins a session and discovers its tools, all of which is free.
func (m mcpEndpoint) open(ctx context.Context) (*session, error) {
	begun, err := m.endpoint.Open(ctx)
	var failed *service.MCPOpenError
	if errors.As(err, &failed) {
		return nil, &openError{failed, m.replyOf(failed.Response)}
	}
	if err != nil {
		return nil, err
	}
	opened := &session{MCPSession: begun}
	opened.tools, opened.free = m.decodeTools(begun.Tools)
	return opened, nil
}

// openError says why there is no session. Nothing has been spent.
type openError struct {
	*service.MCPOpenError
	reply reply // what the endpoint said instead; status 0 for nothing
}

func (e *openError) Error() string {
	text := e.MCPOpenError.Error()
	if message := e.reply.said.message; message != "" {
		text += ": " + message
	}
	return text
}

func (e *openError) Unwrap() error { return e.MCPOpenError }

// answers reports whether what the endpoint said answers whoever asked, too. That there
// is nothing at its address says nothing but that.
func (e *openError) answers() bool {
	status := e.reply.Status
	return status != http.StatusNotFound && (e.reply.said.isServices(status) || refusesAlone(status))
}

// unopenedVerdict is what follows for a lookup from a session that could not be
// opened.
func (s settings) unopenedVerdict(err error) enrich.Verdict {
	var failed *openError
	if !errors.As(err, &failed) {
		return enrich.NotSent{Err: err}
	}
	if failed.Code != "" {
		return enrich.Refused{Class: enrich.StopRun, Unsent: true, Code: failed.Code, Message: failed.Error()}
	}
	refused, ok := s.refusal(failed.reply)
	if wait := s.RetryAfter(failed.reply.Header); !ok && wait > 0 {
		return askedToWait(failed.reply.said.codeOr(failed.reply.Status), wait)
	}
	if failed.reply.Status == 0 || !ok || refused.Class == enrich.InvalidInput {
		return enrich.NotSent{Err: err} // the lookup itself is not at fault
	}
	refused.Unsent = true
	return refused
}
