// Package answers writes the answers of the v2 interface as the journal keeps them, and reads them
// back as typed values.
//
// The journal keeps the record as the service sent it, as compact JSON. So members that this
// program does not know are kept, too, and what a later version reads differently is still there.
// Reading an answer gives the same values each time.
package answers
