package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// MCPVersion is the one version of MCP that is spoken.
const MCPVersion = "2025-11-25"

// The bounds of a list of tools.
const (
	maxToolPages = 50
	maxTools     = 1000
)

// MCPEndpoint opens sessions.
type MCPEndpoint struct {
	address Address
	caller  Caller
	wire    *wire
}

// NewMCPEndpoint returns an endpoint of which only the given tools are ever called.
func NewMCPEndpoint(address Address, caller Caller, carrier MCPCarrier, tools []string) MCPEndpoint {
	return MCPEndpoint{address, caller, &wire{carrier, tools}}
}

// MCPSession is one MCP session. It carries one call at a time: the SDK ends a session,
// and every call in it, over a single response that it cannot read.
type MCPSession struct {
	sdk   *sdk.ClientSession
	Tools []Object // as they were sent
}

// Open begins a session and lists its tools. An error is an *OpenError.
func (e MCPEndpoint) Open(ctx context.Context) (*MCPSession, error) {
	ctx, cancel := context.WithTimeout(ctx, e.caller.Timeout)
	defer cancel()
	c := new(MCPCall)
	ctx = c.on(ctx)
	name, version, _ := strings.Cut(e.caller.UserAgent, "/")
	if version == "" {
		version = "unknown"
	}
	client := sdk.NewClient(&sdk.Implementation{Name: name, Version: version}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}, // it would call a tool again
	})
	connected, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: e.address.String(), HTTPClient: newHTTPClient(e.wire), MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: MaxBody,
	}, &sdk.ClientSessionOptions{ProtocolVersion: MCPVersion})
	if err != nil {
		return nil, e.unopened(c, err)
	}
	session := &MCPSession{sdk: connected}
	if err := e.checkVersion(connected.InitializeResult().ProtocolVersion); err != nil {
		session.End()
		return nil, err
	}
	if session.Tools, err = e.listTools(ctx, c, connected); err != nil {
		session.End()
		return nil, err
	}
	return session, nil
}

// checkVersion refuses every version but the one that is spoken.
func (e MCPEndpoint) checkVersion(negotiated string) error {
	if negotiated == MCPVersion {
		return nil
	}
	return &MCPOpenError{Code: CodeMCPVersion, err: fmt.Errorf("%s speaks version %q of MCP and this program %s",
		e.address.Host, e.caller.Plain(negotiated, maxVersion), MCPVersion)}
}

// listTools returns the tools as they were sent, page by page.
func (e MCPEndpoint) listTools(ctx context.Context, c *MCPCall, connected *sdk.ClientSession) ([]Object, error) {
	var tools []Object
	params := &sdk.ListToolsParams{}
	for range maxToolPages {
		c.Message = nil
		// The SDK refuses a whole page over one member of one tool that is not as it
		// should be; what was sent is read more leniently.
		_, err := connected.ListTools(ctx, params)
		result, ok := c.Message.Object("result")
		if !ok {
			return nil, e.unopened(c, err)
		}
		var page []json.RawMessage
		if json.Unmarshal(result["tools"], &page) != nil {
			return nil, &MCPOpenError{err: errors.New("the list of tools cannot be read")}
		}
		for _, text := range page {
			if tool, ok := ParseObject(text); ok {
				tools = append(tools, tool)
			}
		}
		params.Cursor = result.String("nextCursor").Value
		if params.Cursor == "" {
			return tools, nil
		}
		if len(tools) > maxTools {
			break
		}
	}
	return nil, &MCPOpenError{err: fmt.Errorf("the list of tools does not end; %d were read", len(tools))}
}

// End ends the session; it takes a few seconds at most.
func (s *MCPSession) End() { _ = s.sdk.Close() } // it is over either way

// Call calls a tool once. What became of it is in c. It reports whether the session can
// be used again.
func (s *MCPSession) Call(ctx context.Context, c *MCPCall, arguments any) bool {
	_, err := s.sdk.CallTool(c.on(ctx), &sdk.CallToolParams{Name: c.Tool, Arguments: arguments})
	_, refused := c.Message.Object("error")
	return err == nil || refused && c.Succeeded() && c.Message["id"] != nil && !c.Message.IsNull("id")
}
