package listfile

import (
	"payonce/io/table"
)

// packing says how the size of a file compares with that of its text: a file that is read has at most expands times as
// much text, and one that is written has its text divided by shrinks. Both are on the side of too much room.
type packing struct{ expands, shrinks int64 }

// packingOf returns the packing of a file by its name.
func packingOf(name string) packing {
	switch {
	case compression(name) != "":
		return packing{10, 3}
	case endingOf(name) == ".parquet":
		return packing{6, 1}
	case endingOf(name) == ".xlsx":
		return packing{8, 2}
	}
	return packing{1, 1}
}

// cellText is about how many bytes an appended cell has at most, with what separates it.
const cellText = 20

// Part says which part of a list a file has.
type Part struct {
	Rows, Of int64 // of rows of the list
	Answered int64 // rows that may have values in all appended cells; others have few
	Columns  int   // of the list
}

// SizeOf returns about how many bytes a file has at most that has a part of the list and appended cells.
func (l *List) SizeOf(path string, part Part, appended []table.Column) (int64, error) {
	schema, err := l.Schema()
	if err != nil {
		return 0, err
	}
	size := int64(0)
	for _, input := range l.inputs {
		info, err := input.Stat()
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	list := l.inputs[0].Name()
	if path == Standard {
		path = list
	}
	from, to := packingOf(list), packingOf(path)
	if from != to {
		size = size * from.expands / to.shrinks
	}
	size = size * int64(part.Columns) / int64(max(len(schema.Columns), 1))
	size = int64(float64(size) * float64(part.Rows) / float64(max(part.Of, 1)))
	added := (part.Answered*cellText + part.Rows*2) * int64(len(appended))
	if isObject := formatIs(path, objects{}); isObject { // each object has the names
		for _, column := range appended {
			added += part.Rows * namedText(column.Name)
		}
		if !formatIs(list, objects{}) {
			for _, name := range schema.Columns[:part.Columns] {
				size += part.Rows * namedText(name) / to.shrinks
			}
		}
	}
	return size + added/to.shrinks, nil
}

// namedText is how many bytes the name of a member takes.
func namedText(name string) int64 { return int64(len(name)) + 8 }

func formatIs(name string, wanted format) bool {
	found, err := formatOf(name)
	return err == nil && found == wanted
}
