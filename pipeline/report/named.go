// This file has values by the names of fields, in the order that the fields have in their catalogue. A report with
// such values needs no catalogue.

package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"payonce/enrich"
)

// Value is the value of one field.
type Value[T any] struct {
	Name  string // of the field
	Value T
}

// Values are values of fields. As JSON they are an object with a member for each field, in their order.
type Values[T any] []Value[T]

// ValuesOf returns the values of all fields of a catalogue.
func ValuesOf[T any](c enrich.Catalogue, values enrich.ByField[T]) Values[T] {
	all := Values[T]{}
	for f := range c.All().Each() {
		all = append(all, Value[T]{c.Name(f), values[f]})
	}
	return all
}

// Find returns the value of the field with a name, and false when there is none.
func (v Values[T]) Find(name string) (value T, found bool) {
	for _, one := range v {
		if one.Name == name {
			return one.Value, true
		}
	}
	return value, false
}

// Get returns the value of the field with a name, the zero value when there is none.
func (v Values[T]) Get(name string) T {
	value, _ := v.Find(name)
	return value
}

// Map returns the values by the names of their fields.
func (v Values[T]) Map() map[string]T {
	byName := make(map[string]T, len(v))
	for _, one := range v {
		byName[one.Name] = one.Value
	}
	return byName
}

// MarshalJSON implements json.Marshaler.
func (v Values[T]) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for i, one := range v {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(one.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.Value)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Values[T]) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields() // kept plans are read strictly
	switch token, err := decoder.Token(); {
	case err != nil:
		return err
	case token == nil:
		*v = nil
		return nil
	case token != json.Delim('{'):
		return fmt.Errorf("%v stands where an object has to", token)
	}
	*v = Values[T]{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		one := Value[T]{Name: name.(string)} // of an object
		if err := decoder.Decode(&one.Value); err != nil {
			return err
		}
		*v = append(*v, one)
	}
	_, err := decoder.Token()
	return err
}

// AddCount adds a count to that of a field, which may have none yet.
func AddCount(counts Values[int64], name string, n int64) Values[int64] {
	for i := range counts {
		if counts[i].Name == name {
			counts[i].Value += n
			return counts
		}
	}
	return append(counts, Value[int64]{name, n})
}
