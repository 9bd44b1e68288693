// Package pipeline holds the stages of a run in packages of their own, and the tests of all of
// them together. The stages know neither Badger nor HTTP nor the format of a file: each declares
// what it needs of the journal, the service and the list.
//
//   - [payonce/pipeline/row] says what a row is: columns, person, missing fields, status.
//   - [payonce/pipeline/dedup] finds the distinct persons of a list of any length.
//   - [payonce/pipeline/survey] reads the list and says what will become of each row. It yields
//     the lookups in their order, and an index of the rows for the output.
//   - [payonce/pipeline/dispatch] sends the lookups. One goroutine decides, the dispatcher, and a
//     worker carries each call. A monitor watches the account, and a reconciler settles lost
//     responses. A stop says why a run ended before its last lookup.
//   - [payonce/pipeline/output] writes the list with the answers.
package pipeline
