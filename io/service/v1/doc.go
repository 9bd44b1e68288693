// Package v1 is the client of the service's v1 interface, over REST and MCP. It knows the
// operations, the names on the wire, the error codes, the account status and the prices.
// Package service sends its requests.
//
// A lookup is paid for, cannot be repeated without paying again, and its result is never
// shown again. So [Client.Find] sends exactly one POST and says what became of it. The
// verdict says what may be done next:
//
//   - [enrich.Answered]: the result. Keep it before anything else.
//   - [enrich.Refused]: the service said no and charged nothing. The class says whether to
//     stop, to wait, to try again or to give this lookup up.
//   - [enrich.NotSent]: nothing was sent; the lookup may be sent again.
//   - [enrich.Lost]: the lookup may have been charged. Do not send it again before the
//     account status has shown that it was not.
//
// # What is free
//
// [StatusClient] makes the calls that cost nothing, and cannot make any other:
// [StatusClient.Status] reads the account, [StatusClient.OpenAPI] and
// [StatusClient.Tools] read what the service publishes about its lookups with their
// prices, and [StatusClient.Inspect] compares the service with what is assumed of it.
// A [Client] is a StatusClient that can spend as well.
//
// # Two transports
//
// [Config.Transport] chooses REST or MCP. The verdicts are the same over both.
//
// Over MCP the client opens a session for the first lookup and checks its tools before it
// calls any. A session carries one call at a time; the client opens more as it needs them,
// and replaces one that ended. A failed tool and an HTTP status mean the same as over REST.
// A JSON-RPC error is a refusal when it comes before a tool runs (-32700, -32600, -32601,
// and -32602 with HTTP 400); after any other the call is lost.
//
// # What is not sent
//
// A lookup whose body does not fulfil a JSON Schema of the service is [enrich.Refused] and
// Unsent. There are three such schemas:
//
//   - the account's input_condition, as the last Status showed it,
//   - the input schema of an MCP tool,
//   - the request schema of the OpenAPI document, once a REST client has read it.
//
// # Names
//
// The specification leaves some names open. [Names] holds those that requests use;
// [Description.Check] looks for them in what the service publishes.
package v1
