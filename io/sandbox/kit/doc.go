// Package kit has what the embedded services share: faults, random numbers drawn from a seed, rolling windows,
// ledger files, responses, the calls of an admin interface, and a ledger that counts units.
package kit
