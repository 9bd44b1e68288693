package sheet

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

const again = "open the workbook in a spreadsheet program and save it again as .xlsx"

// unreadable returns the error of a workbook that cannot be read.
func unreadable(name string, err error) error {
	var placed *table.Error
	switch {
	case errors.As(err, &placed):
		placed.File = cmp.Or(placed.File, name)
		return err
	case errors.Is(err, excelize.ErrWorkbookFileFormat), errors.Is(err, excelize.ErrWorkbookPassword):
		return &table.Error{
			File: name, Reason: "this is not a workbook in the .xlsx format, or it is protected by a password",
			Hint: "save it as .xlsx without a password",
		}
	}
	return &table.Error{File: name, Reason: fmt.Sprintf("the workbook cannot be read: %v", err), Hint: again}
}

// guard turns a panic into an error, because the libraries panic on some damaged workbooks.
func guard(name string, err *error) {
	if cause := recover(); cause != nil {
		*err = unreadable(name, fmt.Errorf("it is damaged: %v", cause))
	}
}
