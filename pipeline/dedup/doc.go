// Package dedup finds the distinct persons of a list of any length. A person is a key of 128
// bits, a keyed hash of the canonical identity.
//
// It needs 24 to 39 bytes of memory for each person, and no memory for each row. What does
// not fit into memory goes on in a temporary file. Tables of persons are made of one part of
// 256 at a time, so that a table fits into the cache of a core.
package dedup
