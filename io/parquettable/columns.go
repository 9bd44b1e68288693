package parquettable

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// FileColumn is one column of the list: a field of the schema's root.
type FileColumn struct {
	Name   string
	Node   schema.Node
	Leaf   int // index of its first leaf
	Leaves int // number of leaves; 1 for a column of plain values

	// Untyped says that the column has a logical type that is not known, so its values have no text.
	Untyped bool
}

// Flat reports whether a row has at most one value in the column.
func (c FileColumn) Flat() bool {
	return c.Node.Type() == schema.Primitive && c.Node.RepetitionType() != parquet.Repetitions.Repeated
}

// Shape names what a column holds that is not flat, or that has an unknown type.
func (c FileColumn) Shape() string {
	switch {
	case c.Untyped:
		return "values of a logical type that this program does not know"
	case c.Node.LogicalType().Equals(schema.NewListLogicalType()),
		c.Node.RepetitionType() == parquet.Repetitions.Repeated:
		return "lists"
	case c.Node.LogicalType().Equals(schema.MapLogicalType{}):
		return "maps"
	}
	return "structs"
}

// Columns returns the columns of a file in order.
func (f *Footer) Columns() []FileColumn {
	root := f.Meta.Schema.Root()
	columns := make([]FileColumn, root.NumFields())
	leaf, element := 0, 1
	for i := range columns {
		node := root.Field(i)
		columns[i] = FileColumn{Name: node.Name(), Node: node, Leaf: leaf, Leaves: leavesOf(node)}
		columns[i].Untyped = element < len(f.Verbatim.untyped) && f.Verbatim.untyped[element]
		leaf += columns[i].Leaves
		element += elementsOf(node)
	}
	return columns
}

// elementsOf returns how many elements of a schema a node has, with those below it.
func elementsOf(node schema.Node) int {
	elements := 1
	if group, isGroup := node.(*schema.GroupNode); isGroup {
		for i := range group.NumFields() {
			elements += elementsOf(group.Field(i))
		}
	}
	return elements
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
