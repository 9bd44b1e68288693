// This file calls tools of an MCP endpoint, each at most once. It stands below the MCP SDK, which may repeat a
// request: a tool is called only by the [Call] that asks for it, and the verdict comes from the bytes of the
// response.

package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The methods that are sent.
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodListTools   = "tools/list"
	methodCallTool    = "tools/call"
)

// maxCall bounds a message that is sent, in bytes.
const maxCall = 64 << 10

// MCPCarrier carries requests that somebody else made, each once.
type MCPCarrier interface {
	// Carry sends the request once, with the key, and with the body in place of the request's.
	// The flight then says how far it came.
	Carry(request *http.Request, body []byte, flight *Flight) (*http.Response, error)
}

// wire is what the MCP SDK sends HTTP through. It keeps the following,
// whatever the SDK does above it: a tool is called only by the Call that asks for it and
// only once, no redirect is followed, nothing is sent again, and the verdict comes
// from the bytes of the response and not from what the SDK makes of them.
type wire struct {
	carrier MCPCarrier
	tools   []string // that may be called
}

// MCPCall follows the calls that are made on one context, one after the other. It belongs
// to the goroutine that makes them.
type MCPCall struct {
	Tool string // the one that may be called; "" for none
	Sent bool   // it has been handed to the network

	// Of the last call:
	Flight    Flight
	InSession bool     // it named a session
	Response  Response // without the body of a message
	Message   Object   // the JSON-RPC response
	Err       error    // why there is no whole response
}

type callKey struct{}

func (c *MCPCall) on(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// Succeeded reports whether the response is a success.
func (c *MCPCall) Succeeded() bool { return c.Response.Status >= 200 && c.Response.Status <= 299 }

// RoundTrip sends one message. The SDK gets a JSON-RPC response or an error, and
// nothing that makes it give up or repeat on its own.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodDelete { // the end of a session
		return w.carrier.Carry(request, nil, new(Flight))
	}
	message, text, err := readCall(request)
	if err != nil {
		return nil, err
	}
	c, found := request.Context().Value(callKey{}).(*MCPCall)
	if !found {
		return nil, fmt.Errorf("%s is not sent: no call has asked for it", message.Method)
	}
	if err := w.allow(c, message); err != nil {
		return nil, err
	}
	return w.carry(c, request, message, text)
}

// readCall returns the message that a request carries. It takes the body.
func readCall(request *http.Request) (*jsonrpc.Request, []byte, error) {
	if request.Method != http.MethodPost || request.Body == nil {
		return nil, nil, fmt.Errorf("%s is not sent: messages are posted", request.Method)
	}
	defer request.Body.Close()
	text, err := io.ReadAll(io.LimitReader(request.Body, maxCall+1))
	if err != nil || len(text) > maxCall {
		return nil, nil, fmt.Errorf("the message is not sent: it is longer than %d bytes", maxCall)
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, nil, err
	}
	call, ok := message.(*jsonrpc.Request)
	if !ok {
		return nil, nil, errors.New("the message is not sent: it is not a call")
	}
	return call, text, nil
}

// allow refuses what must not leave.
func (w *wire) allow(c *MCPCall, message *jsonrpc.Request) error {
	switch message.Method {
	case methodInitialize, methodInitialized, methodListTools:
		return nil
	case methodCallTool:
	default:
		// The SDK would cancel a call that timed out. What the service does with a
		// lookup must not depend on how long somebody waited here.
		return fmt.Errorf("%s is not sent: it is not part of the interface", message.Method)
	}
	params, _ := ParseObject(message.Params)
	tool := params.String("name").Value
	switch {
	case tool == "" || tool != c.Tool || !slices.Contains(w.tools, tool):
		return errors.New("the tool is not called: no call has asked for it")
	case c.Sent:
		return errors.New("the tool is not called again: it has been called")
	}
	c.Sent = true
	return nil
}

// carry sends the message in one POST and reads the response whole, in the request's
// own time.
func (w *wire) carry(c *MCPCall, request *http.Request, message *jsonrpc.Request, text []byte) (*http.Response, error) {
	c.Flight, c.Response, c.Message, c.Err = Flight{}, Response{}, nil, nil
	c.InSession = request.Header.Get("Mcp-Session-Id") != ""
	response, err := w.carrier.Carry(request, text, &c.Flight)
	if err != nil {
		c.Err = err
		return nil, err
	}
	defer response.Body.Close()
	c.Response = Response{Status: response.StatusCode, Header: response.Header}
	if !c.Succeeded() {
		if c.Response.Body, c.Err = readBody(response, MaxBody); c.Err != nil {
			return nil, c.Err
		}
		c.Message, _ = ParseObject(c.Response.Body)
		return nil, fmt.Errorf("HTTP %d", response.StatusCode)
	}
	if !message.IsCall() {
		return empty(request, response.StatusCode, response.Header), nil
	}
	answer, err := readMessage(response, message.ID)
	if err != nil {
		c.Err = err
		return nil, err
	}
	c.Message, _ = ParseObject(answer)
	return asJSON(request, response, answer), nil
}

// asJSON returns a response that carries a message and nothing else.
func asJSON(request *http.Request, response *http.Response, message []byte) *http.Response {
	plain := empty(request, response.StatusCode, response.Header.Clone())
	plain.Header.Set("Content-Type", "application/json")
	plain.Body, plain.ContentLength = io.NopCloser(bytes.NewReader(message)), int64(len(message))
	return plain
}

func empty(request *http.Request, status int, header http.Header) *http.Response {
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: http.NoBody, Request: request,
	}
}

// readMessage returns the JSON-RPC response to a call, whether it comes alone or in
// a stream of events.
func readMessage(response *http.Response, id jsonrpc.ID) ([]byte, error) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return readEvents(response.Body, func(data []byte) bool { return isResponse(data, id) })
	}
	body, err := readBody(response, MaxBody)
	if err != nil {
		return nil, err
	}
	if !isResponse(body, id) && !isErrorOfNoCall(body) {
		return nil, errors.New("the response is not a JSON-RPC response to the call")
	}
	return body, nil
}

// isResponse reports whether a message is the JSON-RPC response to the call with an ID.
func isResponse(message []byte, id jsonrpc.ID) bool {
	o, ok := ParseObject(message)
	own, err := json.Marshal(id.Raw())
	return ok && o["method"] == nil && err == nil && bytes.Equal(o["id"], own)
}

// isErrorOfNoCall reports whether a message is an error that says of no call that it is
// its own, since the call could not be read. In a stream, the response may follow it.
func isErrorOfNoCall(message []byte) bool {
	o, ok := ParseObject(message)
	_, failed := o.Object("error")
	return ok && failed && o["method"] == nil && (o["id"] == nil || o.IsNull("id"))
}
