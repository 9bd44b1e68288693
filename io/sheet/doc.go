// Package sheet reads and writes lists in Excel workbooks (.xlsx). A list is one sheet. Its first row
// with a value has the names of the columns.
//
// # Cells as text
//
// A cell is read as it is stored, without its number format:
//
//   - a number is its digits, so 15551234567 stays a phone number;
//   - a number whose format shows a year or a day is a date in ISO 8601: 2026-02-03, or 2026-02-03T12:00:00;
//   - TRUE is 1;
//   - a formula is the value that it had when the workbook was saved.
//
// A Reader reads the sheet row by row. Shared texts that need much memory are put into a temporary file.
//
// A formula that was never calculated has no value and would look empty. CheckValues finds such
// formulas.
//
// # What stays the same
//
// A Writer changes only the cells that it fills and the columns that it appends. It copies formats,
// widths, formulas, comments and all other sheets byte for byte. New cells are text, amounts are
// numbers. A filled cell keeps its format; appended cells have the default format. A filter or table that
// begins with the header and ends with the last column of the list is extended over the appended columns.
package sheet
