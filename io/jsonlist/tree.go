package jsonlist

import "fmt"

// The limits of columns. An array or object that exceeds one of the first three has a column with its
// JSON text.
const (
	maxElements = 16
	maxMembers  = 4096
	maxDepth    = 32
	// maxNodes is the most different paths of a list.
	maxNodes = 20_000
)

// node is what the objects of a list hold at one path.
type node struct {
	step
	parent   *node
	members  map[string]*node
	elements []*node
	below    []*node // members and elements, as they first appeared

	blank bool // null, or an empty array or object
	long  bool // an array has more elements than have columns
	wide  bool // an object has more members than have columns, so none of them has
	deep  bool // too deep for values below
	// The first line with a value of each kind, 0 for none. Empty arrays and objects do not count.
	scalar, object, array int64
}

// member returns the node of a member; nil when members have no columns.
func (n *node) member(name []byte) *node {
	found := n.members[string(name)]
	if found == nil && !n.wide {
		found = n.add(string(name))
	}
	return found
}

// add adds a member, unless there are too many. It returns nil then.
func (n *node) add(name string) *node {
	if len(n.members) == maxMembers {
		n.drop()
		return nil
	}
	if n.members == nil {
		n.members = map[string]*node{}
	}
	added := &node{step: step{name, isMember}, parent: n}
	n.members[name] = added
	n.below = append(n.below, added)
	return added
}

// drop removes all members, because there are too many.
func (n *node) drop() {
	n.wide, n.members, n.below = true, nil, append([]*node(nil), n.elements...)
}

// element returns the node of an element; nil when the element has no column.
func (n *node) element(index int) *node {
	if index >= maxElements {
		n.long = true
		return nil
	}
	for len(n.elements) <= index {
		added := &node{step: step{index: len(n.elements)}, parent: n}
		n.elements = append(n.elements, added)
		n.below = append(n.below, added)
	}
	return n.elements[index]
}

// merge adds what later objects hold.
func (n *node) merge(later *node) {
	n.blank, n.long, n.deep = n.blank || later.blank, n.long || later.long, n.deep || later.deep
	n.scalar, n.object, n.array = first(n.scalar, later.scalar), first(n.object, later.object), first(n.array, later.array)
	if later.wide && !n.wide {
		n.drop()
	}
	for _, l := range later.below {
		own := (*node)(nil)
		if l.index == isMember {
			own = n.member([]byte(l.name))
		} else {
			own = n.element(l.index)
		}
		if own != nil {
			own.merge(l)
		}
	}
}

// first returns the first of two lines, of which the second one is later. 0 means that there is no line.
func first(line, later int64) int64 {
	if line > 0 {
		return line
	}
	return later
}

// count returns the number of nodes.
func (n *node) count() int {
	total := 1
	for _, b := range n.below {
		total += b.count()
	}
	return total
}

// hasColumn reports whether the value itself has a column, not only those below it.
func (n *node) hasColumn() bool {
	return n.scalar > 0 || n.long || n.wide || n.deep || len(n.below) == 0
}

// column is a column of the list.
type column struct {
	*node
	path string
}

// columns appends the columns of what is below a node.
func (n *node) columns(columns []column, path string) []column {
	for _, b := range n.below {
		at := appendStep(path, b.step)
		if b.hasColumn() {
			columns = append(columns, column{b, at})
		}
		columns = b.columns(columns, at)
	}
	return columns
}

// steps returns the way to the node from the object of a row.
func (n *node) steps() []step {
	if n.parent == nil {
		return nil
	}
	return append(n.parent.steps(), n.step)
}

// conflict returns the first value from which the node cannot be reached: a text where other rows
// have an object, for example. It returns 0 when there is none.
func (n *node) conflict() (line int64, what string, at *node) {
	for below, above := n, n.parent; above != nil && above.parent != nil; below, above = above, above.parent {
		needed, other, otherName := "an object", above.array, "an array"
		if below.index != isMember {
			needed, other, otherName = "an array", above.object, "an object"
		}
		if above.scalar > 0 {
			return above.scalar, "a single value here and " + needed + " elsewhere", above
		}
		if other > 0 {
			return other, otherName + " here and " + needed + " elsewhere", above
		}
	}
	return 0, "", nil
}

// path returns the path of a node.
func (n *node) path() string {
	path := ""
	for _, s := range n.steps() {
		path = appendStep(path, s)
	}
	return path
}

// tooMany says that a list has too many different paths.
func tooMany(nodes int) string {
	return fmt.Sprintf("the objects have %d different members and elements; a list has at most %d", nodes, maxNodes)
}
