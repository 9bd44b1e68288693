package service

import (
	"errors"
	"fmt"
)

// CodeMCPVersion is the code of an endpoint that speaks another version of MCP.
const CodeMCPVersion = "mcp_protocol_version"

// How much of the endpoint's texts is kept, in bytes.
const (
	maxVersion = 100
	maxMessage = 300
)

// MCPOpenError says why there is no session. Nothing has been spent.
type MCPOpenError struct {
	Code     string   // of what has to be changed on one side first; "" for a passing fault
	Response Response // what the endpoint said instead; status 0 for nothing
	err      error
}

func (e *MCPOpenError) Error() string { return e.err.Error() }
func (e *MCPOpenError) Unwrap() error { return e.err }

// unopened explains why the last call of a session that was being opened failed.
func (e MCPEndpoint) unopened(c *MCPCall, err error) error {
	host := e.address.Host
	var failed *MCPOpenError
	switch {
	case errors.As(err, &failed):
		return failed
	case c.Err != nil && c.Response.Status == 0 && !c.Flight.Connected():
		return &MCPOpenError{err: &UnreachableError{Address: e.address, Err: c.Flight.Cause(c.Err)}}
	case c.Err != nil && c.Response.Status == 0:
		return &MCPOpenError{err: fmt.Errorf("no response from %s: %w", host, c.Flight.Cause(c.Err))}
	case c.Err != nil:
		return &MCPOpenError{err: fmt.Errorf("HTTP %d of the MCP endpoint: %w", c.Response.Status, c.Err)}
	case c.Response.Redirects():
		return &MCPOpenError{err: fmt.Errorf("HTTP %d of the MCP endpoint: %s", c.Response.Status, e.caller.Redirected(c.Response.Header))}
	case c.Response.Status != 0 && !c.Succeeded():
		return &MCPOpenError{Response: c.Response, err: fmt.Errorf("HTTP %d of the MCP endpoint", c.Response.Status)}
	case c.Message == nil:
		return &MCPOpenError{err: errors.New("the MCP session could not be begun")}
	}
	result, _ := c.Message.Object("result")
	if version := result.String("protocolVersion"); version.Known {
		if err := e.checkVersion(version.Value); err != nil {
			return err
		}
	}
	fault, ok := c.Message.Object("error")
	if !ok {
		return &MCPOpenError{err: fmt.Errorf("%s answers MCP in a way that cannot be read", host)}
	}
	return &MCPOpenError{err: fmt.Errorf("%s refuses an MCP session: %s", host, e.caller.Plain(fault.Text("message"), maxMessage))}
}
