// Package sheet reads and writes lists in Excel workbooks (.xlsx): one sheet, whose
// first row with a value names the columns.
//
// # Cells as text
//
// A cell is read as the workbook keeps it, without its number format: a number in its
// digits, so that 15551234567 stays a phone number; a date as its serial number, the
// days since the end of 1899; TRUE as 1; a formula as the value that it had when the
// workbook was saved. A formula that nobody calculated has none, and would look empty:
// CheckValues tells of those.
//
// # What is kept
//
// A Writer changes nothing but the cells that it fills and the columns that it
// appends: formats, widths, formulas, comments and all other sheets stay as the bytes
// that they are. New cells are text, amounts are numbers; they have the format of the
// cell that they take the place of, appended ones the default.
package sheet
