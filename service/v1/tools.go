package v1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"payonce/enrich"
)

// Keys of what the tools tell beside their results (specification v1, "MCP
// endpoint").
const (
	metaError   = "service/error"
	metaAccess  = "service/access"
	metaPricing = "service/pricing"
)

// The bounds of a list of tools.
const (
	maxToolPages = 50
	maxTools     = 1000
)

// listTools returns the tools as they were sent, page by page.
func (m mcpEndpoint) listTools(ctx context.Context, e *exchange, sdk *mcp.ClientSession) ([]object, error) {
	var tools []object
	params := &mcp.ListToolsParams{}
	for range maxToolPages {
		e.message = nil
		// The SDK refuses a whole page over one member of one tool that is not as it
		// should be; what was sent is read more leniently.
		_, err := sdk.ListTools(ctx, params)
		result, ok := e.message.object("result")
		if !ok {
			return nil, m.unopened(e, err)
		}
		var page []json.RawMessage
		if json.Unmarshal(result["tools"], &page) != nil {
			return nil, &openError{err: errors.New("the list of tools cannot be read")}
		}
		for _, text := range page {
			if tool, ok := parseObject(text); ok {
				tools = append(tools, tool)
			}
		}
		params.Cursor = result.string("nextCursor").Value
		if params.Cursor == "" {
			return tools, nil
		}
		if len(tools) > maxTools {
			break
		}
	}
	return nil, &openError{err: fmt.Errorf("the list of tools does not end; %d were read", len(tools))}
}

// decodeTools reads the tools leniently, and reports whether the free one is there.
func (s settings) decodeTools(tools []object) (Description, bool) {
	d := Description{Operations: map[enrich.Operation]Offer{}}
	lookups := map[string]enrich.Operation{}
	for _, operation := range enrich.Operations() {
		lookups[toolOf(operation)] = operation
	}
	free := false
	for _, tool := range tools {
		name := tool.string("name").Value
		operation, isLookup := lookups[name]
		switch {
		case isLookup:
			d.Operations[operation] = s.decodeTool(name, tool)
		case name == statusTool:
			free = true
			fallthrough
		default:
			d.Others = append(d.Others, s.plain(name, maxName))
		}
	}
	return d, free
}

func (s settings) decodeTool(name string, tool object) Offer {
	meta, _ := tool.object("_meta")
	offer := Offer{
		Name:   name,
		Access: s.decodeAccess(meta.extension(metaAccess)),
		Prices: decodePrices(meta.extension(metaPricing)),
	}
	offer.input, offer.InputError = compileSchema(tool["inputSchema"], nil)
	return offer
}

// Tools lists the tools of the MCP endpoint, which is free. It does so over either
// transport.
func (c *StatusClient) Tools(ctx context.Context) (Description, error) {
	opened, err := c.mcp.open(ctx)
	if err != nil {
		return Description{}, fmt.Errorf("MCP tools: %w", err)
	}
	defer opened.end()
	return opened.tools, nil
}
