package csvtable

import (
	"errors"
	"fmt"
)

func unclosedQuote(at int) *fault {
	const hint = "close it, or double it when it belongs to the text"
	return &fault{at, "the quote that opens here is never closed", hint}
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
	const hint = "save the list as UTF-8 text, or name its encoding when that is UTF-16"
	return &fault{at, "the text holds a NUL byte", hint}
}

// ragged returns the fault of a record with more or fewer cells than the header.
func ragged(rec *record, columns int, delimiter byte) *fault {
	reason := fmt.Sprintf("the row has %s, the header has %d", count(rec.cells(), "cell"), columns)
	if rec.cells() > columns {
		start, _ := rec.cell(columns)
		return &fault{start, reason, "quote the cells that hold the delimiter, which is the " + nameOf(delimiter)}
	}
	return &fault{rec.text, reason, "add the missing cells; they may be empty"}
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// ErrGuessedDelimiter says that a row has too many cells, and that the delimiter was guessed.
var ErrGuessedDelimiter = errors.New("the delimiter was guessed")
