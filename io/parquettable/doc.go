// Package parquettable reads and writes lists in Parquet files.
//
// A Reader decodes the columns that it was opened for, each in its own goroutine and some blocks
// ahead. It checks the sizes that a file claims against the bytes of the file before it allocates
// memory. A damaged file is a *table.Error, whatever the damage.
//
// Each step is in a file of its own: footer.go reads the schema and the places of the data, pagereader.go
// reads pages, decode.go decodes cells as text, columnencoder.go encodes columns, columncopier.go copies
// rows of any type, and file.go writes the file.
//
// # Cells as text
//
// A null is an empty cell. Every other value has one text:
//
//   - strings, enums, JSON, BSON and binary columns, of variable or fixed length: their bytes, unchanged;
//   - signed and unsigned integers: decimal digits;
//   - decimals: digits, with the number of decimals that the column's scale gives;
//   - floating point numbers: the shortest digits that parse to the same number, without an
//     exponent below 1e21 (a phone number that is kept as a number keeps its digits), NaN, Inf
//     and -Inf;
//   - booleans: true and false;
//   - dates: 2006-01-02; times of day: 15:04:05 and the fraction without trailing zeros;
//   - timestamps: RFC 3339 with Z for instants; 2006-01-02T15:04:05 without a zone for local
//     times and for the old type of 96 bits; the fraction of a second has no trailing zeros;
//   - UUIDs: the usual 36 characters; intervals: ISO 8601, such as P1M2DT3.5S.
//
// Lists, maps, structs and repeated values have no text. The schema has such a column as one column
// that cannot be opened. A Writer copies it unchanged.
package parquettable
