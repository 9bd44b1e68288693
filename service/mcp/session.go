package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"payonce/service/jsonobject"
	"payonce/service/paidhttp"
)

// Version is the one version of MCP that is spoken.
const Version = "2025-11-25"

// The bounds of a list of tools.
const (
	maxToolPages = 50
	maxTools     = 1000
)

// Endpoint opens sessions.
type Endpoint struct {
	address paidhttp.Address
	caller  paidhttp.Caller
	wire    *wire
}

// NewEndpoint returns an endpoint of which only the given tools are ever called.
func NewEndpoint(address paidhttp.Address, caller paidhttp.Caller, carrier Carrier, tools []string) Endpoint {
	return Endpoint{address, caller, &wire{carrier, tools}}
}

// Session is one MCP session. It carries one call at a time: the SDK ends a session,
// and every call in it, over a single response that it cannot read.
type Session struct {
	sdk   *sdk.ClientSession
	Tools []jsonobject.Object // as they were sent
}

// Open begins a session and lists its tools. An error is an *OpenError.
func (e Endpoint) Open(ctx context.Context) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, e.caller.Timeout)
	defer cancel()
	c := new(Call)
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
		Endpoint: e.address.String(), HTTPClient: paidhttp.NewHTTPClient(e.wire), MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: paidhttp.MaxBody,
	}, &sdk.ClientSessionOptions{ProtocolVersion: Version})
	if err != nil {
		return nil, e.unopened(c, err)
	}
	session := &Session{sdk: connected}
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
func (e Endpoint) checkVersion(negotiated string) error {
	if negotiated == Version {
		return nil
	}
	return &OpenError{Code: CodeVersion, err: fmt.Errorf("%s speaks version %q of MCP and this program %s",
		e.address.Host, e.caller.Plain(negotiated, maxVersion), Version)}
}

// listTools returns the tools as they were sent, page by page.
func (e Endpoint) listTools(ctx context.Context, c *Call, connected *sdk.ClientSession) ([]jsonobject.Object, error) {
	var tools []jsonobject.Object
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
			return nil, &OpenError{err: errors.New("the list of tools cannot be read")}
		}
		for _, text := range page {
			if tool, ok := jsonobject.Parse(text); ok {
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
	return nil, &OpenError{err: fmt.Errorf("the list of tools does not end; %d were read", len(tools))}
}

// End ends the session; it takes a few seconds at most.
func (s *Session) End() { _ = s.sdk.Close() } // it is over either way

// Call calls a tool once. What became of it is in c. It reports whether the session can
// be used again.
func (s *Session) Call(ctx context.Context, c *Call, arguments any) bool {
	_, err := s.sdk.CallTool(c.on(ctx), &sdk.CallToolParams{Name: c.Tool, Arguments: arguments})
	_, refused := c.Message.Object("error")
	return err == nil || refused && c.Succeeded() && c.Message["id"] != nil && !c.Message.IsNull("id")
}
