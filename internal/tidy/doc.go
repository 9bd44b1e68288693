// Package tidy is the architecture as a test. It parses every Go file of the
// module and fails the build when
//
//   - a package imports one that is not below it (see layers.go),
//   - enrich imports anything but the standard library, x/text and x/net,
//   - a function outside tests has more than 70 lines,
//   - a package has more than 25 files or 3,500 lines, tests aside,
//   - anything but io/service sends HTTP or dials a network outside tests,
//   - anything but checkpoint/badgerstore imports Badger,
//   - a Go file lies directly in io/, where it would shadow the library's package,
//   - anything but the main files of cmd/batch and bench ends the process outside tests,
//   - anything sleeps, tests included,
//   - a fraction is computed in cost or checkpoint outside tests,
//   - there is an init function outside tests,
//   - a text of a package that works with any interface names a field or an operation of v1, or a
//     text outside io/service/v2, the sandbox and the wiring names what only v2 has,
//   - an import is dotted, since a dot hides from these checks where a name is from.
//
// The checks read a tree of files, so that they can be tried on small trees that
// break them: testdata holds at least one for each rule.
package tidy
