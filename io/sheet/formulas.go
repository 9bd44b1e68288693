package sheet

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// CheckValues returns an error when a formula in these columns has no value. Its cell would be read
// as an empty one, and filled.
func (r *Reader) CheckValues(columns []int) error {
	const reason = "has no value: the program that wrote the workbook did not calculate it"
	return r.refuse(columns, r.checked.unvalued, reason, again)
}

// Legible is CheckValues for all columns of the list.
func (r *Reader) Legible() error {
	all := make([]int, len(r.columns))
	for i := range all {
		all[i] = i
	}
	return r.CheckValues(all)
}

// checkFillable refuses columns with cells that look empty but cannot be filled. It checks the
// filled columns of the list and the columns behind it that get appended values.
func (r *Reader) checkFillable(filled []int, appended int) error {
	columns := slices.Clone(filled)
	for i := range appended {
		columns = append(columns, len(r.columns)+i)
	}
	const reason = "is shared with other cells, which would lose it when the cell is filled"
	return r.refuse(columns, r.checked.serving, reason, "replace the formulas of the column by their values")
}

// refuse returns an error for the first of the columns that has such a formula.
func (r *Reader) refuse(columns []int, lines map[int]int64, what, hint string) error {
	for _, i := range columns {
		line, found := lines[i]
		if !found {
			continue
		}
		place, err := excelize.CoordinatesToCellName(i+1, int(line))
		if err != nil {
			return err
		}
		reason := fmt.Sprintf("the formula of the cell %s %s", place, what)
		return &table.Error{File: r.name, Line: line, Reason: reason, Hint: hint}
	}
	return nil
}

// formula describes the formula of a cell that looks empty.
type formula struct {
	unvalued bool // it has no value; otherwise the value is the empty text
	serves   bool // it is the formula of other cells, too
}

// readFormula reads the rest of a cell. It returns the zero formula for a cell without a formula or
// with a value.
func readFormula(in *xmlReader) (found formula, err error) {
	if _, found := restOf(in, kindOf(in.Attribute("t"))); found {
		return formula{}, nil
	}
	holder, isText := "v", false // the element with the value
	switch in.Attribute("t") {
	case "str":
		isText = true
	case "inlineStr":
		holder, isText = "t", true
	}
	isFormula, isHeld, value := false, false, false
	inHolder := false
	for {
		kind, err := in.Next()
		if err != nil {
			return formula{}, err
		}
		switch kind {
		case xmlStart:
			inHolder = in.Is(holder)
			isHeld = isHeld || inHolder
			if in.Is("f") {
				isFormula = true
				found.serves = found.serves || servesOthers(in)
			}
		case xmlText:
			value = value || inHolder && len(bytes.TrimSpace(in.AppendText(nil))) > 0
		case xmlEnd:
			inHolder = false
			if in.Depth() > cellDepth {
				continue
			}
			if !isFormula || value {
				return formula{}, nil
			}
			found.unvalued = !isText || !isHeld
			return found, nil
		}
	}
}

// servesOthers reports whether the element that has started is a formula of several cells.
func servesOthers(in *xmlReader) bool {
	first, last, several := strings.Cut(in.Attribute("ref"), ":")
	return in.Is("f") && several && first != last
}
