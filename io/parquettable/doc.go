// Package parquettable reads and writes lists in Parquet files.
//
// A Reader decodes the columns that it was opened for, each in a goroutine of its own
// and some blocks ahead. Whatever a file claims about its sizes is checked against the
// bytes that are there before memory is taken for it, and a page never becomes larger
// than its header says: a damaged file is a *table.Error, whatever the damage.
//
// # Cells as text
//
// A null is an empty cell. Every other value has one text:
//
//   - strings, enums, JSON, BSON and binary columns, of variable or fixed length: their
//     bytes as they are;
//   - integers: in decimal digits, also the unsigned ones;
//   - decimals: digits with as many decimals as the column's scale;
//   - floating point numbers: the shortest digits that mean the same number, without an
//     exponent below 1e21 (a phone number kept as a number keeps its digits), NaN, Inf
//     and -Inf;
//   - booleans: true and false;
//   - dates: 2006-01-02; times of day: 15:04:05 and the fraction without trailing zeros;
//   - timestamps: RFC 3339 with Z for instants, and 2006-01-02T15:04:05 without zone for
//     local times and for the old type of 96 bits, each with the fraction of a second
//     without trailing zeros;
//   - UUIDs: the usual 36 characters; intervals: ISO 8601, such as P1M2DT3.5S.
//
// Lists, maps, structs and repeated values have no text. Such a column stands in the
// schema as one column that cannot be opened; a Writer carries it over as it is.
package parquettable
