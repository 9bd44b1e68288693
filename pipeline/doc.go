// Package pipeline is a run: what becomes of the rows of a list, from the first look at
// them to the output. What it needs of the journal, the service and the list it declares
// itself, so that it knows neither Badger nor HTTP nor the format of a file.
//
// A run goes through these stages; cmd/batch wires them:
//
//   - [MapColumns] finds out what the columns of the list mean.
//   - [Scope.Take] reads the list once, and its [Survey] says what will become of each row.
//   - [Precheck] and [CheckPrices] say why the account, or its prices, forbid to begin.
//   - [Lookups.Run] sends the lookups that [Scope.Lookups] yields. One goroutine decides,
//     the dispatcher, and a worker carries each call. Meanwhile a [Monitor] watches the
//     account, and a [Reconciler] settles lost responses; it does so at a start as well.
//   - [Scope.CallRoll] finds out who the rows are about, in a [Roster], and
//     [Output.Write] writes the list with the answers.
//
// A [Stop] says why a run ended before its last lookup.
package pipeline
