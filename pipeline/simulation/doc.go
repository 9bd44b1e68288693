// Package simulation tries to break the guarantees of the program. Its tests run the
// real pipeline, journal and client against the real sandbox in virtual time, over
// a network and a disk that exist in memory alone. One seed decides everything
// that happens: the list, the latencies, what the service does wrong, when the
// process dies and what its disk keeps, and what the user changes between two
// starts. A checker looks at every request that arrives, every charge, every
// record of the journal and every row of the output.
//
// A run is a pure function of its seed: every step happens at a different time, so that
// no two happen at the same instant and the order of goroutines decides nothing.
// With a shared journal, timers of several processes can end at the same instant. Then the order of goroutines decides
// which of them has the next turn, and in a few seeds of a hundred two runs differ.
//
// There are four kinds of worlds:
//
//   - A list and one account of v1, with the real client and sandbox over a network.
//   - The same for several machines at the same time, with one journal in a database that restarts, loses replies to
//     commits, and fails over to a standby that lacks the last commits.
//   - Several accounts with different meters in one journal, and a run of several steps on them. Their services are
//     simple and have ledgers of their own.
//   - A run that asks v2, alone or before v1, with the real steps, clients and sandbox: units of modules, emails,
//     phones, totals and daily limits, and GETs that use units.
//
// The package holds no code for others to use.
package simulation
