// Package v2 is the client of the v2 interface: companies, contacts, figures, ownership, and the
// companies that an account watches. Package paidhttp sends its requests.
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
// Package calls makes the paid calls, and says before anything is sent what they can use up.
// [Client.Send] sends one in exactly one request, and says what became of it. The other methods of
// [Client] send one call each and return its record as well. Whoever holds a Client has to ask the
// journal before each call, as the dispatcher does.
//
// The verdict says what may be done next:
//
//   - [enrich.Answered]: the answer, in the form that package answers reads. Keep it before
//     anything else. An answer to a call about something unknown has no values and used nothing.
//   - [enrich.Refused]: the service said no and counted nothing.
//   - [enrich.NotSent]: nothing was sent; the call may be sent again.
//   - [enrich.Lost]: the call may have been counted. Do not send it again before the counters of
//     the account have shown that it was not.
//
// # How a response is read
//
// The shape of the body decides, and the HTTP status only where the body has no known shape:
//
//   - An object with error_guard is a limit. limits.daily ends at the 00:00 UTC after the start of the call,
//     any other when the owner of the account changes it. It holds for one module; others go on.
//   - An object whose members are all arrays of messages is a refused input.
//   - An object with detail alone is an invalid token, something that was not found, a request to
//     slow down, or a failure of the server. Its status shows which.
//   - Without a known shape, HTTP 400, 401, 403 and 429 are refusals.
//
// A failure of the server says nothing about the counters: it is Lost, like everything else.
package v2
