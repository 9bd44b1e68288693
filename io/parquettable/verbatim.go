package parquettable

import (
	"bytes"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// Fields of a footer and of an element of its schema.
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift has them all.
const (
	schemaField       = 2
	columnOrdersField = 7
	lastField         = 9 // that arrow-go knows

	childrenField    = 5 // of an element
	logicalTypeField = 10
)

// Verbatim has the parts of a footer that are written again as they were read. arrow-go drops the
// members that it does not know: of the footer, of the schema, and of the orders of the columns. It
// has no parts for a new file.
type Verbatim struct {
	schema   [][]byte      // the elements; the first one is the root
	orders   [][]byte      // of the leaves; nil for none
	unknown  []thriftField // of the footer
	untyped  []bool        // by element: arrow-go does not know its type
	disorder map[int]bool  // leaves whose values may have another order than their physical type
}

// takeVerbatim returns the verbatim parts of a footer, and the footer without the types that
// arrow-go would refuse. A reader treats such a column as one without a logical type.
func takeVerbatim(data []byte) (v Verbatim, known []byte, err error) {
	fields, err := thriftFields(data)
	if err != nil {
		return v, nil, err
	}
	changed := false
	for i, f := range fields {
		switch {
		case f.ID == schemaField && f.Kind == thriftList:
			var elements [][]byte
			if elements, err = v.takeSchema(f.Value); err == nil && elements != nil {
				changed = true
				fields[i].Value = appendThriftList(nil, thriftStruct, elements)
			}
		case f.ID == columnOrdersField && f.Kind == thriftList:
			err = v.takeOrders(f.Value)
		case f.ID > lastField:
			v.unknown = append(v.unknown, f)
		}
		if err != nil {
			return v, nil, err
		}
	}
	if !changed {
		return v, data, nil
	}
	return v, appendThriftStruct(nil, fields), nil
}

// takeSchema keeps the elements of the schema. When there are unknown types, it returns the elements without them.
func (v *Verbatim) takeSchema(list []byte) (known [][]byte, err error) {
	kind, elements, err := thriftElements(list)
	if err != nil || kind != thriftStruct {
		return nil, err
	}
	v.schema, v.untyped = elements, make([]bool, len(elements))
	leaf := 0
	for i, element := range elements {
		fields, err := thriftFields(element)
		if err != nil {
			return nil, err
		}
		for j, f := range fields {
			if f.ID == logicalTypeField && f.Kind == thriftStruct && !knownType(f.Value) {
				v.untyped[i] = true
				v.setDisorder(leaf)
				if known == nil {
					known = append(known, elements...)
				}
				known[i] = appendThriftStruct(nil, append(fields[:j:j], fields[j+1:]...))
				break
			}
		}
		if !hasChildren(fields) {
			leaf++
		}
	}
	return known, nil
}

func hasChildren(element []thriftField) bool {
	return slices.ContainsFunc(element, func(f thriftField) bool {
		return f.ID == childrenField && !bytes.Equal(f.Value, []byte{0})
	})
}

func (v *Verbatim) setDisorder(leaf int) {
	if v.disorder == nil {
		v.disorder = map[int]bool{}
	}
	v.disorder[leaf] = true
}

// knownType reports whether arrow-go knows a logical type. It panics on others.
func knownType(logical []byte) bool {
	const (
		timeOfDay, timestamp = 7, 8
		unused               = 9
		last                 = 18
		unitField, lastUnit  = 2, 3 // of a time
	)
	member, known := onlyMember(logical, last)
	if !known || member.ID == unused || member.Kind != thriftStruct {
		return false
	}
	if member.ID != timeOfDay && member.ID != timestamp {
		return true
	}
	fields, err := thriftFields(member.Value)
	for _, f := range fields {
		if err == nil && f.ID == unitField && f.Kind == thriftStruct {
			_, known := onlyMember(f.Value, lastUnit)
			return known
		}
	}
	return false
}

// onlyMember returns the member of a union. It reports false for a member above last.
func onlyMember(union []byte, last int16) (thriftField, bool) {
	members, err := thriftFields(union)
	if err != nil || len(members) != 1 || members[0].ID < 1 || members[0].ID > last {
		return thriftField{}, false
	}
	return members[0], true
}

// takeOrders keeps the orders of the columns.
func (v *Verbatim) takeOrders(list []byte) error {
	kind, orders, err := thriftElements(list)
	if err != nil || kind != thriftStruct {
		return err
	}
	v.orders = orders
	typeDefined := []byte{1<<4 | byte(thriftStruct), 0, 0} // the first member, without fields
	for leaf, order := range orders {
		if !bytes.Equal(order, typeDefined) {
			v.setDisorder(leaf)
		}
	}
	return nil
}

// Ordered reports whether all values of a column are ordered as their physical type is, so that
// statistics of new values can be written.
func (v *Verbatim) Ordered(c FileColumn) bool {
	for leaf := c.Leaf; leaf < c.Leaf+c.Leaves; leaf++ {
		if v.disorder[leaf] {
			return false
		}
	}
	return true
}

// repairOrders makes orders that arrow-go does not know ones that it can write. Encode replaces them.
func repairOrders(meta *metadata.FileMetaData) error {
	for i, order := range meta.ColumnOrders {
		if order != nil && order.CountSetFieldsColumnOrder() == 1 {
			continue
		}
		known, err := knownOrder()
		if err != nil {
			return err
		}
		meta.ColumnOrders[i] = known.ColumnOrders[0]
	}
	return nil
}

// Encode returns the encoded footer. The verbatim parts replace what arrow-go makes of them.
// Elements and orders of appended columns come behind them.
func (v *Verbatim) Encode(meta *metadata.FileMetaData) ([]byte, error) {
	var out bytes.Buffer
	if _, err := meta.WriteTo(&out, nil); err != nil || v.schema == nil {
		return out.Bytes(), err
	}
	fields, err := thriftFields(out.Bytes())
	if err != nil {
		return nil, err
	}
	for i, f := range fields {
		switch f.ID {
		case schemaField:
			fields[i].Value, err = replaceElements(f.Value, v.schema, 1) // the root has another number of children
		case columnOrdersField:
			fields[i].Value, err = replaceElements(f.Value, v.orders, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	return appendThriftStruct(nil, append(fields, v.unknown...)), nil
}

// replaceElements replaces the first elements of a list, except some of them.
func replaceElements(list []byte, with [][]byte, except int) ([]byte, error) {
	kind, elements, err := thriftElements(list)
	if err != nil {
		return nil, err
	}
	for i := except; i < len(with) && i < len(elements); i++ {
		elements[i] = with[i]
	}
	return appendThriftList(nil, kind, elements), nil
}
