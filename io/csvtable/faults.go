package csvtable

import (
	"bytes"
	"fmt"

	"payonce/io/table"
)

func unclosedQuote(at int) *fault {
	return &fault{at, "the quote that opens here is never closed", "close it, or double it when it belongs to the text"}
}

func overlongQuote(at int) *fault {
	return &fault{
		at, fmt.Sprintf("the quote that opens here is not closed within %d MiB", maxRecord>>20),
		"close it, or double it when it belongs to the text",
	}
}

func overlongRecord() *fault {
	return &fault{
		0, fmt.Sprintf("the row, with the blank lines after it, is longer than %d MiB", maxRecord>>20),
		"check that the file is a list of delimited text",
	}
}

func afterQuote(at int) *fault {
	return &fault{
		at, "text follows the closing quote of a cell",
		"double the quotes inside the cell, or remove what follows its closing quote",
	}
}

func nulByte(at int) *fault {
	return &fault{at, "the text holds a NUL byte", "save the list as UTF-8 text; UTF-16 and binary files are not supported"}
}

// ragged says that a record has not as many cells as the header.
func ragged(rec *record, columns int) *fault {
	reason := fmt.Sprintf("the row has %s, the header has %d", count(len(rec.cells), "cell"), columns)
	if len(rec.cells) > columns {
		return &fault{int(rec.cells[columns].start), reason, "quote the cells that hold the delimiter"}
	}
	return &fault{rec.text, reason, "add the missing cells; they may be empty"}
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// errorAt places a fault in the list: raw are the bytes from the start of a line on, at
// least up to the fault.
func (r *Reader) errorAt(line int64, raw []byte, f *fault) *table.Error {
	before := raw[:f.at]
	return &table.Error{
		File:   r.name,
		Line:   line + int64(bytes.Count(before, []byte{'\n'})),
		Column: int64(f.at - bytes.LastIndexByte(before, '\n')),
		Reason: f.reason,
		Hint:   f.hint,
	}
}
