// Package v1 is the client of the enrichment service over REST and MCP. It is
// the one place that sends HTTP outward.
//
// A lookup is paid for, cannot be repeated without paying again, and its result is
// never shown again. So [Client.Find] sends exactly one POST and says what became of
// it; neither this package nor anything below it tries again or follows a redirect.
// The verdict tells what may be done next:
//
//   - [enrich.Answered]: here is the result. Keep it before anything else.
//   - [enrich.Refused]: the service said no and charged nothing. Its class says
//     whether to stop, to wait, to try again or to give this one lookup up.
//   - [enrich.NotSent]: nothing has left; it may be sent again.
//   - [enrich.Lost]: nobody knows. It may have been charged, so do not send it again
//     before the account status has shown that it was not.
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
// [Config.Transport] chooses REST or MCP; everything else is the same, down to the
// verdicts. Over MCP a session is begun for the first lookup, its tools are looked
// at before any is called, and each session carries one call at a time; more are
// begun as they are needed, and one that ends is begun again. What the service says
// of a failed tool, and what the endpoint itself says over HTTP, means the same as
// over REST. An error of JSON-RPC is a refusal where it comes before a tool runs
// (-32700, -32600, -32601, and -32602 with HTTP 400); after any other the call is lost.
//
// # What is not sent
//
// A lookup whose body does not fulfil a JSON Schema that the service has published is
// [enrich.Refused] and Unsent. There are three: the account's input_condition, known
// from the last Status; the input schema of an MCP tool; and the request schema of
// the OpenAPI document, once it has been read over a client that speaks REST.
//
// # Names
//
// The specification leaves some names open. [Names] holds those that requests use;
// [Description.Check] looks for them in what the service publishes.
package v1
