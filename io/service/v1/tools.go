package v1

import (
	"context"
	"fmt"

	"payonce/io/service"
)

// statusTool is the free tool (specification v1, "Operation choice").
const statusTool = "service_account_status"

// toolOf returns the tool of a lookup.
func toolOf(operation Operation) string {
	switch operation {
	case FindWorkEmail:
		return "service_find_work_email"
	case FindPhone:
		return "service_find_phone"
	default:
		return "service_enrich_contact"
	}
}

func paidTools() []string {
	var tools []string
	for _, operation := range Operations() {
		tools = append(tools, toolOf(operation))
	}
	return tools
}

// Keys of what the tools report beside their results (specification v1, "MCP
// endpoint").
const (
	metaError   = "service/error"
	metaAccess  = "service/access"
	metaPricing = "service/pricing"
)

// decodeTools reads the tools leniently, and reports whether the free one is there.
func (s settings) decodeTools(tools []service.Object) (Description, bool) {
	d := Description{Operations: map[Operation]Offer{}}
	lookups := map[string]Operation{}
	for _, operation := range Operations() {
		lookups[toolOf(operation)] = operation
	}
	free := false
	for _, tool := range tools {
		name := tool.String("name").Value
		operation, isLookup := lookups[name]
		switch {
		case isLookup:
			d.Operations[operation] = s.decodeTool(name, tool)
		case name == statusTool:
			free = true
			fallthrough
		default:
			d.Others = append(d.Others, s.Plain(name, maxName))
		}
	}
	return d, free
}

func (s settings) decodeTool(name string, tool service.Object) Offer {
	meta, _ := tool.Object("_meta")
	offer := Offer{
		Name:   name,
		Access: s.decodeAccess(extension(meta, metaAccess)),
		Prices: decodePrices(extension(meta, metaPricing)),
	}
	offer.input, offer.InputError = service.CompileSchema(tool["inputSchema"], nil)
	return offer
}

// Tools lists the tools of the MCP endpoint, which is free. It does so over either
// transport.
func (c *StatusClient) Tools(ctx context.Context) (Description, error) {
	opened, err := c.mcp.open(ctx)
	if err != nil {
		return Description{}, fmt.Errorf("MCP tools: %w", err)
	}
	defer opened.End()
	return opened.tools, nil
}
