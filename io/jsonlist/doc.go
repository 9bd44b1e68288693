// Package jsonlist reads and writes lists of JSON objects: an array of objects, or one object on each
// line (NDJSON). The bytes tell which of the two a file is.
//
// # Columns
//
// A column is a path to a value, such as contact.work.email or emails[0]. Open reads the whole list to
// find the paths, in the order in which they first appear.
//
//   - A name with one of the characters . [ ] " is written in brackets: ["Acct. No."].
//   - The first 16 elements of an array have columns. Where an array is longer, the array has a column
//     too, with its JSON text. So has an object with more than 4096 members, or below 32 others.
//   - null, an empty array and an empty object have a column only if nothing below their path has one.
//
// # Cells
//
// The text of a cell is the value of a string, and the bytes of any other value as they stand in the
// file. null and a missing member are empty.
//
// # What stays the same
//
// A Writer changes only the values that it fills and appends members to the objects. It copies all
// other bytes: numbers, escapes, the order of members, white space, blank lines, the byte order mark.
// Between an array and lines it copies the objects, without the line breaks in them.
package jsonlist
