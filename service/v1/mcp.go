package v1

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"payonce/enrich"
)

// protocolVersion is the one version of MCP that is spoken (specification v1,
// "Versioning").
const protocolVersion = "2025-11-25"

// statusTool is the free tool (specification v1, "Operation choice").
const statusTool = "service_account_status"

// toolOf returns the tool of a lookup.
func toolOf(operation enrich.Operation) string {
	switch operation {
	case enrich.FindWorkEmail:
		return "service_find_work_email"
	case enrich.FindPhone:
		return "service_find_phone"
	default:
		return "service_enrich_contact"
	}
}

func paidTools() []string {
	var tools []string
	for _, operation := range enrich.Operations() {
		tools = append(tools, toolOf(operation))
	}
	return tools
}

// mcpEndpoint opens sessions.
type mcpEndpoint struct {
	settings
	http *http.Client
}

func newMCPEndpoint(s settings, transport http.RoundTripper, tools []string) mcpEndpoint {
	client := newHTTPClient(&wire{settings: s, http: transport, tools: tools})
	return mcpEndpoint{settings: s, http: client}
}

// session is one MCP session. It carries one call at a time: the SDK ends a session,
// and every call in it, over a single response that it cannot read.
type session struct {
	sdk   *mcp.ClientSession
	tools Description
	free  bool // it has the free tool
}

// open begins a session and discovers its tools, all of which is free.
func (m mcpEndpoint) open(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	e := new(exchange)
	ctx = e.on(ctx)
	name, version, _ := strings.Cut(m.userAgent, "/")
	if version == "" {
		version = "unknown"
	}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: version}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, // it would call a tool again
	})
	sdk, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: m.mcp.String(), HTTPClient: m.http, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxBody,
	}, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion})
	if err != nil {
		return nil, m.unopened(e, err)
	}
	opened := &session{sdk: sdk}
	if err := m.examine(ctx, e, opened); err != nil {
		opened.end()
		return nil, err
	}
	return opened, nil
}

// examine checks the version that was negotiated and reads the list of tools.
func (m mcpEndpoint) examine(ctx context.Context, e *exchange, s *session) error {
	if err := m.checkVersion(s.sdk.InitializeResult().ProtocolVersion); err != nil {
		return err
	}
	tools, err := m.listTools(ctx, e, s.sdk)
	if err != nil {
		return m.unopened(e, err)
	}
	s.tools, s.free = m.decodeTools(tools)
	return nil
}

// checkVersion refuses every version but the one that is spoken.
func (m mcpEndpoint) checkVersion(negotiated string) error {
	if negotiated == protocolVersion {
		return nil
	}
	return &openError{code: "mcp_protocol_version", err: fmt.Errorf("%s speaks version %q of MCP and this program %s; use --transport rest",
		m.mcp.Host, m.plain(negotiated, maxName), protocolVersion)}
}

// end ends the session; it takes a few seconds at most.
func (s *session) end() { _ = s.sdk.Close() } // it is over either way

// call calls a tool once. What became of it stands in the exchange. It reports
// whether the session can be used again.
func (s *session) call(ctx context.Context, e *exchange, arguments any) bool {
	_, err := s.sdk.CallTool(e.on(ctx), &mcp.CallToolParams{Name: e.tool, Arguments: arguments})
	_, refused := e.message.object("error")
	return err == nil || refused && e.succeeded() && e.message["id"] != nil && !e.message.isNull("id")
}
