// Package service sends requests that cost money, each at most once. It is the only
// package that sends requests to a service, and knows nothing of what is asked.
//
// A [Sender] sends a request once, whatever its method, and says whether it can have reached the service:
//
//   - A [Response] is what the service, or something before it, said.
//   - [enrich.NotSent]: no byte of the request left.
//   - [enrich.Lost]: the request may have arrived, and there is no whole response.
//
// Nothing below it sends a request again: a body cannot be rewound, no header calls a
// request idempotent, redirects are not followed, and HTTP/2, which repeats requests on
// its own, is not spoken. net/http would repeat a GET without a body, so that has an empty
// one. A gateway or a balancer of the service may repeat a GET all the same; no client can
// keep it from that. A [Reader] sends free requests, and no POST.
package service
