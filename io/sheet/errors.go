package sheet

import (
	"errors"
	"fmt"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

const again = "open the workbook in a spreadsheet program and save it again as .xlsx"

// unreadable says why a workbook cannot be read.
func unreadable(name string, err error) error {
	var placed *table.Error
	switch {
	case errors.As(err, &placed):
		return err
	case errors.Is(err, excelize.ErrWorkbookFileFormat), errors.Is(err, excelize.ErrWorkbookPassword):
		return &table.Error{File: name, Reason: "this is no workbook in the .xlsx format, or it is protected by a password", Hint: "save it as .xlsx without a password"}
	}
	return &table.Error{File: name, Reason: fmt.Sprintf("the workbook cannot be read: %v", err), Hint: again}
}

// guard turns a panic of a library, which some damage leads to, into an error.
func guard(name string, err *error) {
	if cause := recover(); cause != nil {
		*err = unreadable(name, fmt.Errorf("it is damaged: %v", cause))
	}
}
