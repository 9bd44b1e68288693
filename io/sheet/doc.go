// Package sheet reads and writes lists in Excel workbooks (.xlsx). A list is one sheet. Its first row
// with a value has the names of the columns.
//
// # Cells as text
//
// A cell is read as it is stored, without its number format:
//
//   - a number is its digits, so 15551234567 stays a phone number;
//   - a date is its serial number, the days since the end of 1899;
//   - TRUE is 1;
//   - a formula is the value that it had when the workbook was saved.
//
// A formula that was never calculated has no value and would look empty. CheckValues finds such
// formulas.
//
// # What stays the same
//
// A Writer changes only the cells that it fills and the columns that it appends. It copies formats,
// widths, formulas, comments and all other sheets byte for byte. New cells are text, amounts are
// numbers. A filled cell keeps its format; appended cells have the default format.
package sheet
