package crm

import (
	"cmp"
	"slices"
	"strings"
)

// Batch is what is written to the CRM together: records, and the values of the same columns for each.
type Batch struct {
	Targets []int   // of the review
	Lines   [][]int // of the review, for each record one of each target, or -1 for an empty cell
}

// Cells returns the number of values.
func (b Batch) Cells() (cells int64) {
	for _, lines := range b.Lines {
		for _, line := range lines {
			if line >= 0 {
				cells++
			}
		}
	}
	return cells
}

// Empty returns the number of cells without a value.
func (b Batch) Empty() int64 { return int64(len(b.Targets)*len(b.Lines)) - b.Cells() }

// Batches returns the approved values. An empty cell clears a field in the imports of some CRMs, so the records of a batch
// have a value for each of its columns, unless empty cells are wanted: then all records are in one batch. The largest
// batch comes first. Without an approved value there is one batch without records.
func (r *Review) Batches(empty bool, leave func(*Line) bool) []Batch {
	var all []Batch
	var records [][]int // the lines of each record
	last := ""
	for i := range r.Lines {
		line := &r.Lines[i]
		if !r.Writable(line) || leave(line) {
			continue
		}
		if len(records) == 0 || line.Record != last {
			records, last = append(records, nil), line.Record
		}
		records[len(records)-1] = append(records[len(records)-1], i)
	}
	for _, lines := range records {
		slices.SortFunc(lines, func(a, b int) int { return r.Lines[a].Target - r.Lines[b].Target })
		var targets []int
		for _, i := range lines {
			targets = append(targets, r.Lines[i].Target)
		}
		at := slices.IndexFunc(all, func(b Batch) bool { return empty || slices.Equal(b.Targets, targets) })
		if at < 0 {
			at, all = len(all), append(all, Batch{Targets: targets})
		}
		all[at].Lines = append(all[at].Lines, lines)
		if empty {
			all[at].Targets = slices.Compact(slices.Sorted(slices.Values(append(all[at].Targets, targets...))))
		}
	}
	if len(all) == 0 {
		return []Batch{{}}
	}
	for i := range all {
		all[i].Lines = r.padded(all[i])
	}
	slices.SortStableFunc(all, func(a, b Batch) int {
		return cmp.Or(len(b.Lines)-len(a.Lines), len(b.Targets)-len(a.Targets), slices.Compare(a.Targets, b.Targets))
	})
	return all
}

// padded returns the lines of a batch with a place for each target.
func (r *Review) padded(b Batch) (padded [][]int) {
	for _, lines := range b.Lines {
		places := slices.Repeat([]int{-1}, len(b.Targets))
		for _, line := range lines {
			places[slices.Index(b.Targets, r.Lines[line].Target)] = line
		}
		padded = append(padded, places)
	}
	return padded
}

// Table returns the header and the cells of a batch: the record id and the values, under the CRM's own names.
func (r *Review) Table(b Batch) (header []string, rows [][]string) {
	header = []string{cmp.Or(r.RecordID, recordColumn)}
	for _, target := range b.Targets {
		header = append(header, r.Targets[target].Header)
	}
	for _, lines := range b.Lines {
		row := make([]string, 1, len(header))
		for _, line := range lines {
			value := ""
			if line >= 0 {
				row[0], value = r.Lines[line].Record, r.Lines[line].Found
			}
			row = append(row, value)
		}
		rows = append(rows, row)
	}
	return header, rows
}

// Name returns the roles of the columns of a batch, for the name of its file.
func (r *Review) Name(b Batch) string {
	var names []string
	for _, target := range b.Targets {
		names = append(names, string(r.Targets[target].Role))
	}
	return strings.Join(names, "-")
}
