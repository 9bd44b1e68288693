// Package dispatch sends the lookups of a run: each once, in their order, never more than the
// journal grants. [Lookups.Run] waits, retries and stops. One goroutine decides, the dispatcher,
// and a worker carries each call. Meanwhile a [Monitor] watches the account, and a [Reconciler]
// settles lost responses; it does so at a start as well. [Precheck] and [CheckPrices] say why the
// account, or its prices, forbid to begin. A [Stop] says why a run ended before its last lookup.
package dispatch
