package footer

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Column is one column of the list: a field of the schema's root.
type Column struct {
	Name   string
	Node   schema.Node
	Leaf   int // index of its first leaf
	Leaves int // number of leaves; 1 for a column of plain values
}

// Flat reports whether a row has at most one value in the column.
func (c Column) Flat() bool {
	return c.Node.Type() == schema.Primitive && c.Node.RepetitionType() != parquet.Repetitions.Repeated
}

// Shape names what a column holds that is not flat.
func (c Column) Shape() string {
	switch {
	case c.Node.LogicalType().Equals(schema.NewListLogicalType()),
		c.Node.RepetitionType() == parquet.Repetitions.Repeated:
		return "lists"
	case c.Node.LogicalType().Equals(schema.MapLogicalType{}):
		return "maps"
	}
	return "structs"
}

// Columns returns the columns of a file in order.
func Columns(meta *metadata.FileMetaData) []Column {
	root := meta.Schema.Root()
	columns := make([]Column, root.NumFields())
	next := 0
	for i := range columns {
		node := root.Field(i)
		columns[i] = Column{Name: node.Name(), Node: node, Leaf: next, Leaves: leavesOf(node)}
		next += columns[i].Leaves
	}
	return columns
}

func leavesOf(node schema.Node) int {
	group, isGroup := node.(*schema.GroupNode)
	if !isGroup {
		return 1
	}
	leaves := 0
	for i := range group.NumFields() {
		leaves += leavesOf(group.Field(i))
	}
	return leaves
}
