package v1

import (
	"context"
	"errors"
	"fmt"

	"payonce/enrich"
	"payonce/io/service"
)

// mcpReads makes the free calls over MCP.
type mcpReads struct{ mcpEndpoint }

func newMCPReads(s settings, reader *service.Reader) *mcpReads {
	return &mcpReads{newMCPEndpoint(s, reader, []string{statusTool})}
}

// status calls the free tool in a separate session.
func (m *mcpReads) status(ctx context.Context) (reply, error) {
	opened, err := m.open(ctx)
	var failed *openError
	if errors.As(err, &failed) && failed.answers() {
		return failed.reply, nil
	}
	if err != nil {
		return reply{}, err
	}
	defer opened.End()
	if !opened.free {
		return reply{}, fmt.Errorf("the service has no tool %s", statusTool)
	}
	ctx, cancel := context.WithTimeout(ctx, m.Timeout)
	defer cancel()
	call := &service.MCPCall{Tool: statusTool}
	opened.Call(ctx, call, map[string]any{})
	return m.read(ctx, call)
}

// read returns the reply to the free tool, or why there is none.
func (m *mcpReads) read(ctx context.Context, call *service.MCPCall) (reply, error) {
	said, verdict := m.called(call, ctx.Err())
	switch v := verdict.(type) {
	case nil:
		return said, nil
	case enrich.Refused:
		return reply{}, fmt.Errorf("%s: %s", v.Code, v.Message)
	case enrich.NotSent:
		return reply{}, v.Err
	case enrich.Lost:
		return reply{}, v.Err
	}
	return reply{}, errors.New("no reply")
}
