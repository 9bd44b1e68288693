// Package v2 is the client of the v2 interface: companies, contacts, figures, ownership, and the
// companies that an account watches. Package service sends its requests.
//
// # What is paid for
//
// Three types make the calls, so that code can be given no more than it needs:
//
//   - [StatusClient] reads what is free: the counters of the account, the watched companies with
//     their fields and events, and the callback. It changes nothing.
//   - [WatchClient] also changes what is watched, which is free.
//   - [Client] also makes the calls that use units: all others, GETs included.
//
// A [Call] is a paid call; it says before anything is sent what it can use up.
// [Client.Send] sends one in exactly one request, and says what became of it. The other methods of
// [Client] send one call each and return its record as well. Whoever holds a Client has to ask the
// journal before each call, as the dispatcher does.
//
// The verdict says what may be done next:
//
//   - [enrich.Answered]: the answer, in the form that [DecodeAnswer] reads. Keep it before
//     anything else. An answer to a call about something unknown has no values and used nothing.
//   - [enrich.Refused]: the service said no and counted nothing.
//   - [enrich.NotSent]: nothing was sent; the call may be sent again.
//   - [enrich.Lost]: the call may have been counted. Do not send it again before the counters of
//     the account have shown that it was not.
//
// # How a response is read
//
// The service does not publish its status codes, and gateways and frameworks on the way answer in JSON too. So the
// status and the shape of the body decide together. These are refusals:
//
//   - A limit, at 4xx other than 408: an object with access, error_guard and message_guard, which nobody else
//     sends. limits.daily ends at the 00:00 UTC after the start of the call, any other when the owner of the
//     account changes it. It holds for one module; others go on.
//   - 401, whatever the body is: the key is not valid.
//   - 429, whatever the body is: everybody waits.
//   - A refused input, at 400 or 422: an object whose members are arrays of messages, and whose names are those of
//     parameters of the request, or "fields".
//
// A 404 with exactly the text of Config.NotFound says that nothing was found, which uses nothing. Any other 404 may be
// that of an address that the service does not have. It is Lost and stops a run.
//
// Everything else is Lost: the call may have been counted, and the counters decide. So are failures of the server,
// and a success whose body is not an answer. Byte order marks before a body do not count, and its Content-Type
// neither.
package v2
