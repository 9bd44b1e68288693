package sandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"payonce/io/sandbox/kit"
	"payonce/io/service/v1"
)

// mcpPath is the address of the MCP endpoint (specification v1, "MCP endpoint").
const mcpPath = "/mcp"

// protocolVersion is the one MCP protocol version that is implemented
// (specification v1, "Versioning").
const protocolVersion = "2025-11-25"

// sessionTimeout ends MCP sessions that nobody uses.
const sessionTimeout = 10 * time.Minute

// The keys of what the tools report about themselves and their failures
// (specification v1, "MCP endpoint").
const (
	errorMeta   = "service/error"
	accessMeta  = "service/access"
	pricingMeta = "service/pricing"
)

const statusTool = "service_account_status"

// toolName returns the name of an operation's tool.
func toolName(o v1.Operation) string {
	switch o {
	case v1.FindWorkEmail:
		return "service_find_work_email"
	case v1.FindPhone:
		return "service_find_phone"
	default:
		return "service_enrich_contact"
	}
}

// toolServer is the MCP endpoint: the tools stand on the same questions and
// replies as the REST operations.
type toolServer struct {
	service *Server
	tools   *mcp.Server
	front   http.Handler
}

func newToolServer(s *Server) *toolServer {
	t := &toolServer{service: s}
	t.tools = mcp.NewServer(
		&mcp.Implementation{Name: "sandbox", Title: "Contact enrichment service (SANDBOX)", Version: "1.0.0"},
		&mcp.ServerOptions{
			Instructions:              "This is a sandbox: people, values and money are made up.",
			Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			SupportedProtocolVersions: []string{protocolVersion},
		})
	terms := s.terms()
	t.tools.AddTool(t.statusTool(terms), t.callStatus)
	for _, o := range v1.Operations() {
		t.tools.AddTool(t.lookupTool(o, terms), t.callLookup(o))
	}
	t.tools.AddReceivingMiddleware(t.listAfresh)
	t.front = withExchange(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return t.tools },
		&mcp.StreamableHTTPOptions{
			Stateless:           !s.config.MCP.Sessions,
			JSONResponse:        !s.config.MCP.EventStream,
			SessionTimeout:      sessionTimeout,
			MaxRequestBodyBytes: maxBody,
		}))
	return t
}

// endSessions ends every session: its ID is unknown from now on.
func (t *toolServer) endSessions() {
	for session := range t.tools.Sessions() {
		_ = session.Close() // it is gone either way
	}
}

// lookupTool describes the tool of an operation.
func (t *toolServer) lookupTool(o v1.Operation, terms Terms) *mcp.Tool {
	return &mcp.Tool{
		Name:         toolName(o),
		Title:        operationTitle(o),
		Description:  operationTitle(o) + ". Charged for each returned field. SANDBOX: everything is made up.",
		InputSchema:  SchemaComponent(RequestSchema(o)),
		OutputSchema: SchemaComponent(SchemaEnrichmentResult),
		Meta:         mcp.Meta{accessMeta: terms.Access(o), pricingMeta: terms.Pricing()},
	}
}

func operationTitle(o v1.Operation) string {
	switch o {
	case v1.FindWorkEmail:
		return "Find the work email of one person"
	case v1.FindPhone:
		return "Find the business phone of one person"
	default:
		return "Find the work email, the business phone or both of one person"
	}
}

func (t *toolServer) statusTool(terms Terms) *mcp.Tool {
	return &mcp.Tool{
		Name:         statusTool,
		Title:        "Account status",
		Description:  "Allowances, balance, budget and readiness. Free. SANDBOX: everything is made up.",
		InputSchema:  json.RawMessage(`{"type":"object","additionalProperties":false}`),
		OutputSchema: SchemaComponent(SchemaAccountStatus),
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true},
		Meta:         mcp.Meta{accessMeta: terms.StatusAccess(), pricingMeta: map[string]bool{"free": true}},
	}
}

// listAfresh answers tools/list with the terms that are in force now; those that
// the tools were added with may have changed.
func (t *toolServer) listAfresh(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			terms := t.service.terms()
			list.Tools = []*mcp.Tool{t.statusTool(terms)}
			for _, o := range v1.Operations() {
				list.Tools = append(list.Tools, t.lookupTool(o, terms))
			}
		}
		return result, err
	}
}

func (t *toolServer) callStatus(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	status, code := t.service.ledger.Status(exchangeOf(request).key)
	if code != "" {
		return failed(refusal{code: code}, t.service.otherID()), nil
	}
	return succeeded(status), nil
}

// callLookup returns the handler of an operation's tool.
func (t *toolServer) callLookup(o v1.Operation) mcp.ToolHandler {
	return func(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		e := exchangeOf(request)
		q, problem := parseQuestion(o, request.Params.Arguments)
		// Not the handler's context but the request's: like over REST, it ends when the
		// client leaves, and only then.
		r := t.service.ask(e.ctx, caller{e.key, "mcp"}, q, problem)
		e.reply.Store(&r)
		if r.refusal != nil {
			return failed(*r.refusal, r.requestID), nil
		}
		return succeeded(r.result), nil
	}
}

// succeeded words a result as REST words its body.
func succeeded(body any) *mcp.CallToolResult {
	text := kit.EncodeBody(body)
	return &mcp.CallToolResult{
		StructuredContent: json.RawMessage(text),
		Content:           []mcp.Content{&mcp.TextContent{Text: string(text)}},
	}
}

// failure is the error of a failed data tool (specification v1, "MCP endpoint").
type failure struct {
	Code       ErrorCode `json:"code"`
	Retryable  bool      `json:"retryable"`
	HTTPStatus int       `json:"http_status"`
	RequestID  string    `json:"request_id"`
	RetryAfter int64     `json:"retry_after,omitempty"` // in seconds
}

func failed(r refusal, requestID string) *mcp.CallToolResult {
	meaning := meanings[r.code]
	return &mcp.CallToolResult{
		IsError: true,
		Content: []mcp.Content{&mcp.TextContent{Text: r.message()}},
		Meta: mcp.Meta{errorMeta: failure{
			Code: r.code, Retryable: meaning.retryable, HTTPStatus: meaning.status, RequestID: requestID,
			RetryAfter: kit.WholeSeconds(r.retryAfter),
		}},
	}
}

// exchangeKey is where an exchange stands among the extras of its token.
const exchangeKey = "exchange"

func exchangeOf(request *mcp.CallToolRequest) *exchange {
	return request.Extra.TokenInfo.Extra[exchangeKey].(*exchange)
}

// withExchange hands the exchange in a request's context through to the tools. The
// bearer token's extras are what the SDK carries from a request to the handler of
// its message, in a session as well.
func withExchange(next http.Handler) http.Handler {
	verify := func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		e := ctx.Value(exchangeContext{}).(*exchange)
		return &auth.TokenInfo{Extra: map[string]any{exchangeKey: e}}, nil
	}
	return auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
}
