package v1

import (
	"errors"
	"fmt"
	"net/http"

	"payonce/enrich"
)

// openError says why there is no session. Nothing has been spent.
type openError struct {
	code  string // of what has to be changed here or there first; "" for a passing fault
	reply reply  // what the endpoint said instead; status 0 for nothing
	err   error
}

func (e *openError) Error() string { return e.err.Error() }
func (e *openError) Unwrap() error { return e.err }

// answers reports whether what the endpoint said answers whoever asked, too. That there
// is nothing at its address says nothing but that.
func (e *openError) answers() bool {
	status := e.reply.status
	return status != http.StatusNotFound && (e.reply.said.isServices(status) || refusesAlone(status))
}

// unopened explains why the last call of a session that was being opened failed.
func (m mcpEndpoint) unopened(e *exchange, err error) error {
	host := m.mcp.Host
	var failed *openError
	switch {
	case errors.As(err, &failed):
		return failed
	case e.err != nil && e.reply.status == 0 && !e.flight.connected():
		return &openError{err: fmt.Errorf("%s cannot be reached; check the network and --mcp-url: %w", host, e.flight.cause(e.err))}
	case e.err != nil && e.reply.status == 0:
		return &openError{err: fmt.Errorf("no response from %s: %w", host, e.flight.cause(e.err))}
	case e.err != nil:
		return &openError{err: fmt.Errorf("HTTP %d of the MCP endpoint: %w", e.reply.status, e.err)}
	case e.reply.redirects():
		return &openError{err: fmt.Errorf("HTTP %d of the MCP endpoint: %s", e.reply.status, m.redirected(e.reply))}
	case e.reply.status != 0 && !e.succeeded():
		text := fmt.Sprintf("HTTP %d of the MCP endpoint; check --mcp-url", e.reply.status)
		if message := e.reply.said.message; message != "" {
			text += ": " + message
		}
		return &openError{reply: e.reply, err: errors.New(text)}
	case e.message == nil:
		return &openError{err: errors.New("the MCP session could not be begun")}
	}
	result, _ := e.message.object("result")
	if version := result.string("protocolVersion"); version.Known {
		if err := m.checkVersion(version.Value); err != nil {
			return err
		}
	}
	fault, ok := e.message.object("error")
	if !ok {
		return &openError{err: fmt.Errorf("%s answers MCP in a way that cannot be read; check --mcp-url", host)}
	}
	return &openError{err: fmt.Errorf("%s refuses an MCP session: %s", host, m.plain(fault.text("message"), maxMessage))}
}

// unopenedVerdict is what follows for a lookup from a session that could not be
// opened.
func (s settings) unopenedVerdict(err error) enrich.Verdict {
	var failed *openError
	if !errors.As(err, &failed) {
		return enrich.NotSent{Err: err}
	}
	if failed.code != "" {
		return enrich.Refused{Class: enrich.StopRun, Unsent: true, Code: failed.code, Message: failed.Error()}
	}
	refused, ok := s.refusal(failed.reply)
	if wait := retryAfter(failed.reply.header, s.now()); !ok && wait > 0 {
		return askedToWait(failed.reply.said.codeOr(failed.reply.status), wait)
	}
	if failed.reply.status == 0 || !ok || refused.Class == enrich.InvalidInput {
		return enrich.NotSent{Err: err} // the lookup itself is not at fault
	}
	refused.Unsent = true
	return refused
}
