package v1

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

// The methods that leave over MCP (specification v1, "MCP endpoint").
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodListTools   = "tools/list"
	methodCallTool    = "tools/call"
)

// maxCall bounds a message that is sent, in bytes.
const maxCall = 64 << 10

// wire is what the MCP SDK sends HTTP through. It holds what the promises rest on,
// whatever the SDK does above it: a tool is called only by the exchange that asks for
// it and only once, no redirect is followed, nothing is sent again, and the response
// is judged by its own bytes and not by what the SDK makes of them.
type wire struct {
	settings
	http  http.RoundTripper
	tools []string // that may be called
}

// exchange follows the calls that are made on one context, one after the other. It
// belongs to the goroutine that makes them.
type exchange struct {
	tool   string // the one that may be called; "" for none
	called bool   // it has been handed to the network

	// Of the last call:
	flight    flight
	inSession bool   // it named a session
	reply     reply  // status and header, and the body of a response that is no message
	message   object // the JSON-RPC response
	err       error  // why there is no whole response
}

type exchangeKey struct{}

func (e *exchange) on(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// RoundTrip sends one message. The SDK gets a JSON-RPC response or an error, and
// nothing that makes it give up or repeat on its own.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodDelete { // the end of a session
		outgoing := request.Clone(request.Context())
		w.sign(outgoing.Header)
		return w.http.RoundTrip(outgoing)
	}
	call, text, err := readCall(request)
	if err != nil {
		return nil, err
	}
	e, found := request.Context().Value(exchangeKey{}).(*exchange)
	if !found {
		return nil, fmt.Errorf("%s is not sent: nobody has asked for it", call.Method)
	}
	if err := w.allow(e, call); err != nil {
		return nil, err
	}
	return w.carry(e, request, call, text)
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
		return nil, nil, errors.New("the message is not sent: it is no call")
	}
	return call, text, nil
}

// allow refuses what must not leave.
func (w *wire) allow(e *exchange, call *jsonrpc.Request) error {
	switch call.Method {
	case methodInitialize, methodInitialized, methodListTools:
		return nil
	case methodCallTool:
	default:
		// The SDK would cancel a call that timed out. What the service does with a
		// lookup must not depend on how long somebody waited here.
		return fmt.Errorf("%s is not sent: it is no part of the interface", call.Method)
	}
	params, _ := parseObject(call.Params)
	tool := params.string("name").Value
	switch {
	case tool == "" || tool != e.tool || !slices.Contains(w.tools, tool):
		return errors.New("the tool is not called: nobody has asked for it")
	case e.called:
		return errors.New("the tool is not called again: it has been called")
	}
	e.called = true
	return nil
}

// carry sends the message in one POST and reads the response whole, in the request's
// own time.
func (w *wire) carry(e *exchange, request *http.Request, call *jsonrpc.Request, text []byte) (*http.Response, error) {
	e.flight, e.reply, e.message, e.err = flight{}, reply{}, nil, nil
	e.inSession = request.Header.Get("Mcp-Session-Id") != ""
	outgoing := request.Clone(e.flight.watch(request.Context()))
	w.sign(outgoing.Header)
	// As over REST: what cannot be rewound cannot be sent again.
	outgoing.Body, outgoing.GetBody = io.NopCloser(bytes.NewReader(text)), nil
	response, err := w.http.RoundTrip(outgoing)
	if err != nil {
		e.err = err
		return nil, err
	}
	defer response.Body.Close()
	e.reply = reply{status: response.StatusCode, header: response.Header}
	if !e.succeeded() {
		if e.reply.body, e.err = readBody(response, maxBody); e.err != nil {
			return nil, e.err
		}
		e.reply.said = w.decodeComplaint(e.reply.body)
		e.message, _ = parseObject(e.reply.body)
		return nil, fmt.Errorf("HTTP %d", response.StatusCode)
	}
	if !call.IsCall() {
		return empty(request, response.StatusCode, response.Header), nil
	}
	message, err := readMessage(response, call.ID)
	if err != nil {
		e.err = err
		return nil, err
	}
	e.message, _ = parseObject(message)
	return asJSON(request, response, message), nil
}

func (e *exchange) succeeded() bool { return e.reply.status >= 200 && e.reply.status <= 299 }

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
	body, err := readBody(response, maxBody)
	if err != nil {
		return nil, err
	}
	if !isResponse(body, id) && !isErrorOfNoCall(body) {
		return nil, errors.New("the response is no JSON-RPC response to the call")
	}
	return body, nil
}

// isResponse reports whether a message is the JSON-RPC response to the call with an ID.
func isResponse(message []byte, id jsonrpc.ID) bool {
	o, ok := parseObject(message)
	own, err := json.Marshal(id.Raw())
	return ok && o["method"] == nil && err == nil && bytes.Equal(o["id"], own)
}

// isErrorOfNoCall reports whether a message is an error that says of no call that it is
// its own, since the call could not be read. In a stream, the response may follow it.
func isErrorOfNoCall(message []byte) bool {
	o, ok := parseObject(message)
	_, failed := o.object("error")
	return ok && failed && o["method"] == nil && (o["id"] == nil || o.isNull("id"))
}
