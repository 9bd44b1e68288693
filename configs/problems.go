package configs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// problems are what is wrong with a file.
type problems []problem

// problem is one thing that is wrong, with its line.
type problem struct {
	line int
	text string
}

func (p *problems) add(line int, format string, args ...any) {
	*p = append(*p, problem{line, fmt.Sprintf(format, args...)})
}

// in returns the problems as one error, in the order of their lines and one line of
// text for each.
func (p problems) in(file string) error {
	slices.SortStableFunc(p, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	var found []error
	for _, problem := range p {
		found = append(found, fmt.Errorf("%s:%d: %s", file, max(problem.line, 1), problem.text))
	}
	return errors.Join(found...)
}

// problemsOf returns what the YAML reader found wrong.
func problemsOf(err error) problems {
	var found problems
	var several *yaml.LoadErrors
	var one *yaml.LoadError
	switch {
	case err == nil:
	case errors.As(err, &several):
		for _, e := range several.Errors {
			found.add(e.Mark.Line, "%s", strings.TrimPrefix(e.Message, "yaml: "))
		}
	case errors.As(err, &one):
		found.add(one.Mark.Line, "%s", one.Message)
	default:
		found.add(0, "%s", err)
	}
	return found
}

// wrongKeys finds the unknown keys of a mapping, or that the node is not a
// mapping.
func wrongKeys(node *yaml.Node, what string, keys ...string) problems {
	var found problems
	known := strings.Join(keys, ", ")
	if node.Kind != yaml.MappingNode {
		found.add(node.Line, "%s holds names and values: %s", what, known)
		return found
	}
	for i := 0; i < len(node.Content); i += 2 {
		if key := node.Content[i]; !slices.Contains(keys, key.Value) && key.Tag != "!!merge" {
			found.add(key.Line, "unknown key %q; %s has %s", key.Value, what, known)
		}
	}
	return found
}

// valueOf returns the value of a key, or nil when the mapping has none.
func valueOf(node *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}
