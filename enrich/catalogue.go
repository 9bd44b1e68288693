package enrich

import (
	"fmt"
	"slices"
	"strings"
)

// Catalogue describes the fields of one interface. A Field is the index of its description.
type Catalogue struct {
	Interface string // "v1"
	Fields    []Description
	// Details are what answers say besides the fields.
	Details []Detail
	// Operations are the interface's names of its requests, by the fields that they ask for. A set
	// without one is called by the names of its fields.
	Operations map[Fields]string
}

// Description describes one field of an interface.
type Description struct {
	Name string // in records, in JSON and as the name of a column: "work_email"
	Word string // in texts and in flags: "email"
	// Plural is the word for several values in texts; "" for Word with an s.
	Plural string
	// Role is that of the column of a list that the field fills; "" for a field that always has a column of
	// its own.
	Role string
	// About is the kind of subjects that have the field.
	About Subject
	// Kind is the type of its values in a column of their own, which CellFrom makes of their texts.
	Kind CellKind
}

// Detail describes what an answer says besides the fields.
type Detail struct {
	Name string // of its column
	// Of are the fields that it is about. It is shown beside a value of one of them; without any, it is
	// about the subject.
	Of Fields
	// Searched are the fields whose searches say it: it is shown beside such an answer, too, which has no values.
	Searched Fields
	// Apart says that it has a column only where one of its fields is wanted.
	Apart bool
	// Optional is a detail that is asked for separately.
	Optional bool
	// Role is that of a column that names subjects of later steps, such as "company_id"; "" for others.
	Role string
	// Says is the part of the description of its subject that it is; NoPart for others.
	Says Part
	// Kind is the type of its values, which CellFrom makes of their texts.
	Kind CellKind
}

// Named returns a catalogue of fields that have no other words than their names.
func Named(names ...string) Catalogue {
	var c Catalogue
	for _, name := range names {
		c.Fields = append(c.Fields, Description{Name: name, Word: name})
	}
	return c
}

// WithWords returns the catalogue with the words of another one for the fields that have the same names in both.
func (c Catalogue) WithWords(other Catalogue) Catalogue {
	c.Fields = slices.Clone(c.Fields)
	for i, field := range c.Fields {
		for _, known := range other.Fields {
			if known.Name == field.Name {
				c.Fields[i].Word, c.Fields[i].Plural = known.Word, known.Plural
			}
		}
	}
	return c
}

// All returns the set of all fields of the catalogue.
func (c Catalogue) All() Fields { return Fields(1<<len(c.Fields) - 1) }

// About returns those of some fields that subjects of a kind have. The kind of subjects that a step asks about
// follows from its fields in this way.
func (c Catalogue) About(subject Subject, fields Fields) (about Fields) {
	for f := range (fields & c.All()).Each() {
		if c.Fields[f].About == subject {
			about = about.With(f)
		}
	}
	return about
}

// Name returns the name of a field.
func (c Catalogue) Name(f Field) string {
	if int(f) < len(c.Fields) {
		return c.Fields[f].Name
	}
	return fmt.Sprintf("field_%d", f)
}

// Word returns the word for a field in texts.
func (c Catalogue) Word(f Field) string {
	if int(f) < len(c.Fields) {
		return c.Fields[f].Word
	}
	return fmt.Sprintf("field %d", f)
}

// Plural returns the word for several values of a field in texts.
func (c Catalogue) Plural(f Field) string {
	if int(f) < len(c.Fields) && c.Fields[f].Plural != "" {
		return c.Fields[f].Plural
	}
	return c.Word(f) + "s"
}

// NamesOf returns the names of fields, in their order.
func (c Catalogue) NamesOf(fields Fields) []string { return list(fields, c.Name) }

// WordsOf returns the words for fields, in their order.
func (c Catalogue) WordsOf(fields Fields) []string { return list(fields, c.Word) }

// Names returns the names of fields joined by commas, "" for the empty set.
func (c Catalogue) Names(fields Fields) string { return strings.Join(c.NamesOf(fields), ",") }

// Words returns the words for fields joined by commas, "" for the empty set.
func (c Catalogue) Words(fields Fields) string { return strings.Join(c.WordsOf(fields), ",") }

// Describe returns what the values of an answer say of its subject, and false when they say nothing, or no more than
// its id.
func (c Catalogue) Describe(values *Values, described *Described) (says bool) {
	*described = Described{}
	for i, detail := range c.Details[:min(len(c.Details), len(values.Details))] {
		if detail.Says != NoPart && values.Details[i] != "" {
			described[detail.Says] = values.Details[i]
			says = says || detail.Says != PartCompanyID
		}
	}
	return says
}

// list returns what a function returns for each field of a set.
func list(fields Fields, of func(Field) string) []string {
	var texts []string
	for f := range fields.Each() {
		texts = append(texts, of(f))
	}
	return texts
}

// Operation returns the interface's name of the request for a set of fields.
func (c Catalogue) Operation(fields Fields) string {
	if name, named := c.Operations[fields]; named {
		return name
	}
	return c.Names(fields)
}

// Lookup returns the field that has a name, or the word for it.
func (c Catalogue) Lookup(name string) (Field, bool) {
	for f, d := range c.Fields {
		if d.Name == name || d.Word == name {
			return Field(f), true
		}
	}
	return 0, false
}
