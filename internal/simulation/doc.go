// Package simulation tries to break the promises of the program. Its tests run the
// real pipeline, journal and client against the real sandbox in virtual time, over
// a network and a disk that exist in memory alone. One seed decides everything
// that happens: the list, the latencies, what the service does wrong, when the
// process dies and what its disk keeps, and what the user changes between two
// starts. A checker looks at every request that arrives, every charge, every
// record of the journal and every row of the output.
//
// A run is a pure function of its seed: every step happens at a different time, so that
// no two happen at the same instant and the order of goroutines decides nothing.
//
// There are two kinds of worlds. One has a list, one account and the real client and sandbox over a network.
// The other has several accounts with different meters in one journal, and a run of several steps on them;
// its services are simple and have books of their own.
//
// The package holds no code for others to use.
package simulation
