package parquettable

import "encoding/binary"

// thriftField is a field of a struct. Value is its encoded value; a boolean has its value in Kind.
type thriftField struct {
	ID    int16
	Kind  ThriftKind
	Value []byte
}

// thriftFields returns the fields of the struct at the start of data. They share data.
func thriftFields(data []byte) (fields []thriftField, err error) {
	r := newThriftReader(data)
	r.Struct(func(id int16, kind ThriftKind) bool {
		start := r.at
		r.Skip(kind)
		if r.err == nil {
			fields = append(fields, thriftField{id, kind, data[start:r.at:r.at]})
		}
		return true
	})
	return fields, r.err
}

// appendThriftStruct appends a struct with these fields.
func appendThriftStruct(data []byte, fields []thriftField) []byte {
	const longest = 15 // difference of IDs that the header of a field can hold
	before := int16(0)
	for _, f := range fields {
		if step := int32(f.ID) - int32(before); step > 0 && step <= longest {
			data = append(data, byte(step)<<4|byte(f.Kind))
		} else {
			data = binary.AppendVarint(append(data, byte(f.Kind)), int64(f.ID))
		}
		data = append(data, f.Value...)
		before = f.ID
	}
	return append(data, byte(thriftStop))
}

// thriftElements returns the encoded elements of the list at the start of data. They share data.
func thriftElements(data []byte) (element ThriftKind, elements [][]byte, err error) {
	r := newThriftReader(data)
	element, length := r.List()
	for range length {
		start := r.at
		if r.skipElement(element); r.err != nil {
			return element, nil, r.err
		}
		elements = append(elements, data[start:r.at:r.at])
	}
	return element, elements, r.err
}

// appendThriftList appends a list of elements of one kind.
func appendThriftList(data []byte, element ThriftKind, elements [][]byte) []byte {
	const short = 15 // a shorter list has its length in the first byte
	if len(elements) < short {
		data = append(data, byte(len(elements))<<4|byte(element))
	} else {
		data = binary.AppendUvarint(append(data, short<<4|byte(element)), uint64(len(elements)))
	}
	for _, e := range elements {
		data = append(data, e...)
	}
	return data
}
