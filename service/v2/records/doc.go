// Package records has the records of the v2 interface as typed values, and reads them from what
// the service sent.
//
// Reading is lenient, because an answer is paid for. A member that is missing or null is not
// known, which is not the same as zero or empty. Members that the specification does not name are
// ignored, except those of a financial year, which are kept. A member that cannot be read is
// listed among the [tabular.Problems] of the answer, and the rest is read. Only an answer that is no such
// record at all is an error. No error and no problem quotes a value.
//
// Each record is described once, by its method members. The description serves to read it, and to
// list its columns and cells for tables.
package records
