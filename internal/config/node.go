package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"payonce/internal/smallfile"
)

// readMapping reads a file of one YAML document, names with values; nil when the file
// is empty.
func readMapping(path string) (*yaml.Node, error) {
	data, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, withLine(path, err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d: a second document begins here, and a configuration is one; remove it", path, second.Line)
	case !errors.Is(err, io.EOF):
		return nil, withLine(path, err)
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	root := document.Content[0]
	switch {
	case root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null":
		return nil, nil
	case root.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("%s:%d: a configuration holds names and values, such as max-spend: 20.00", path, root.Line)
	}
	return root, nil
}

// withLine says where the YAML reader stopped, as every other problem of a file is told.
func withLine(path string, err error) error {
	if stopped, is := errors.AsType[*yaml.LoadError](err); is {
		return fmt.Errorf("%s:%d: %s", path, stopped.Mark.Line, stopped.Message)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// resolved returns the node that an alias stands for, and any other as it is.
func resolved(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// scalars returns the texts of a scalar or, where there may be several, of a list of
// scalars, as written.
func scalars(value *yaml.Node, several bool) ([]string, error) {
	value = resolved(value)
	items := []*yaml.Node{value}
	switch {
	case value.Kind == yaml.SequenceNode && several:
		items = value.Content
	case value.Kind != yaml.ScalarNode && several:
		return nil, errors.New("give one value, or a list of values")
	case value.Kind != yaml.ScalarNode:
		return nil, errors.New("give one value")
	}
	var texts []string
	for _, item := range items {
		line := item.Line
		item = resolved(item)
		switch {
		case item.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("line %d: a list here holds plain values", line)
		case item.ShortTag() == "!!null":
			return nil, errors.New("there is no value; write one, or remove it")
		}
		texts = append(texts, item.Value)
	}
	return texts, nil
}

// maxProblems is how many problems of a configuration are told at most.
const maxProblems = 50

// lineProblem is what is wrong on one line of a configuration.
type lineProblem struct {
	line int
	err  error
}

// Problems are all that is wrong in a configuration, as one error.
type Problems struct {
	file  string
	found []lineProblem
}

// Merge returns the problems of several readings of one file, each once.
func Merge(errs ...error) error {
	all := &Problems{}
	for _, err := range errs {
		problems, ok := errors.AsType[*Problems](err)
		if err != nil && !ok {
			return err
		}
		if ok {
			all.file = problems.file
			for _, problem := range problems.found {
				all.add(problem.line, problem.err)
			}
		}
	}
	return all.err()
}

// add adds a problem, once.
func (p *Problems) add(line int, err error) {
	same := func(other lineProblem) bool { return other.line == line && other.err.Error() == err.Error() }
	if !slices.ContainsFunc(p.found, same) {
		p.found = append(p.found, lineProblem{line, err})
	}
}

// err returns the problems in the order of their lines, nil when there are none.
func (p *Problems) err() error {
	if len(p.found) == 0 {
		return nil
	}
	slices.SortStableFunc(p.found, func(a, b lineProblem) int { return cmp.Compare(a.line, b.line) })
	return p
}

func (p *Problems) Error() string {
	var lines []string
	for _, problem := range p.found {
		lines = append(lines, fmt.Sprintf("%s:%d: %v", p.file, problem.line, problem.err))
	}
	return strings.Join(lines, "\n")
}
