package configs

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v4"
)

// Mapping is a part of a document: names with values.
type Mapping struct {
	problems   *Problems
	at         position
	entries    []Entry
	configured map[string]position // the flags that Set has set
	section    *Mapping            // the entries of the target's section; nil for none
}

// Entry is a name with its value.
type Entry struct {
	Name       string
	problems   *Problems
	key, value *yaml.Node
}

// newMapping returns the entries of a node, nil for none. A repeated name is a problem.
func newMapping(problems *Problems, node *yaml.Node) *Mapping {
	m := &Mapping{problems: problems, at: position{1, 0}, configured: map[string]position{}}
	if node == nil {
		return m
	}
	m.at = problems.positionOf(node)
	first := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := resolved(node.Content[i])
		at := problems.positionOf(node.Content[i])
		switch line := first[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			problems.add(at, errors.New("a key is one word, the long name of a flag"))
			continue
		case line > 0:
			problems.add(at, fmt.Errorf("%s is already on line %d; remove one", key.Value, line))
			continue
		}
		first[key.Value] = at.line
		m.entries = append(m.entries, Entry{Name: key.Value, problems: problems, key: node.Content[i], value: node.Content[i+1]})
	}
	return m
}

// Entries returns the names with their values, in the order of the file.
func (m *Mapping) Entries() []Entry { return m.entries }

// Has reports whether the mapping has a name.
func (m *Mapping) Has(name string) bool {
	for _, entry := range m.entries {
		if entry.Name == name {
			return true
		}
	}
	return false
}

// Set sets the flags that the mapping names, where they are not set already.
func (m *Mapping) Set(t Target) {
	here := map[string]position{} // the defaults of jobs are set for each job, so configured may have them
	for _, entry := range m.entries {
		wasSet, name := false, t.flagName(entry.Name)
		if flag := t.Flags.Lookup(name); flag != nil {
			wasSet = flag.Changed
		}
		if at, twice := here[name]; twice {
			m.problems.add(m.problems.positionOf(entry.key), fmt.Errorf("%s is already on line %d; remove one", name, at.line))
			continue
		}
		if t.Section.Name != "" && name == t.Section.Name {
			here[name] = entry.valuePosition()
			m.section = entry.Mapping()
			m.section.Set(t.Section.of(t))
			continue
		}
		err := t.set(entry.key, entry.value)
		switch _, ofKey := errors.AsType[keyError](err); {
		case err == nil && !wasSet && t.Flags.Lookup(name) != nil:
			m.configured[name], here[name] = entry.valuePosition(), entry.valuePosition()
		case err != nil && ofKey:
			m.problems.add(m.problems.positionOf(entry.key), err)
		case err != nil:
			m.problems.add(entry.valuePosition(), err)
		}
	}
}

// Check adds the problems of values that no flag may have, where the mapping has set the flag.
func (m *Mapping) Check(t Target) {
	if m.section != nil {
		m.section.Check(t)
	}
	for _, problem := range t.Check() {
		if at, is := m.configured[problem.Flag]; is {
			m.problems.add(at, fmt.Errorf("%s: %s", problem.Flag, problem.Text))
		}
	}
}

// Problem adds a problem of the mapping as a whole.
func (m *Mapping) Problem(err error) { m.problems.add(m.at, err) }

// Problem adds a problem of the name.
func (e Entry) Problem(err error) { e.problems.add(e.problems.positionOf(e.key), err) }

// Mapping returns the value as a mapping, an empty one when there is no value. It adds a problem when the
// value is something else.
func (e Entry) Mapping() *Mapping {
	value := resolved(e.value)
	if value.Kind != yaml.MappingNode {
		if value.ShortTag() != "!!null" {
			e.problems.add(e.valuePosition(), fmt.Errorf("%s: write a mapping of names to values here", e.Name))
		}
		value = nil
	}
	m := newMapping(e.problems, value)
	m.at = e.problems.positionOf(e.key)
	return m
}

// valuePosition returns the position of the value. Without columns it is the line of the name.
func (e Entry) valuePosition() position {
	if e.problems.columns {
		return e.problems.positionOf(e.value)
	}
	return e.problems.positionOf(e.key)
}
