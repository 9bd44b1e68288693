package parquettable

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// column is one column of the list: a field of the schema's root.
type column struct {
	name   string
	node   schema.Node
	leaf   int // index of its first leaf
	leaves int // how many there are below it; 1 for a column of plain values
}

// flat reports whether a row has at most one value in the column.
func (c column) flat() bool {
	return c.node.Type() == schema.Primitive && c.node.RepetitionType() != parquet.Repetitions.Repeated
}

// shape names what a column that is not flat holds.
func (c column) shape() string {
	switch {
	case c.node.LogicalType().Equals(schema.NewListLogicalType()), c.node.RepetitionType() == parquet.Repetitions.Repeated:
		return "lists"
	case c.node.LogicalType().Equals(schema.MapLogicalType{}):
		return "maps"
	}
	return "structs"
}

// columnsOf returns the columns of a file in order.
func columnsOf(meta *metadata.FileMetaData) []column {
	root := meta.Schema.Root()
	columns := make([]column, root.NumFields())
	next := 0
	for i := range columns {
		node := root.Field(i)
		columns[i] = column{name: node.Name(), node: node, leaf: next, leaves: leavesOf(node)}
		next += columns[i].leaves
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
