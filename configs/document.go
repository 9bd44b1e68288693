package configs

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"

	"payonce/io/atomicfile"
)

// Document is a file of one YAML mapping. It gathers what is wrong in the file.
type Document struct {
	root     *yaml.Node // nil when the file is empty
	problems *Problems
}

// ParseDocument reads the text of a file whose mappings set flags. All errors of such a document have a line and a
// column.
func ParseDocument(path string, data []byte) (*Document, error) {
	return parse(&Problems{file: path, columns: true}, data)
}

// open reads the file of the problems.
func open(p *Problems) (*Document, error) {
	data, err := atomicfile.ReadSmall(p.file)
	if err != nil {
		return nil, err
	}
	return parse(p, data)
}

func parse(p *Problems, data []byte) (*Document, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return &Document{nil, p}, nil
	} else if err != nil {
		return nil, p.ofReader(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, p.one(&second, "a second document begins here, and a configuration is one; remove it")
	case !errors.Is(err, io.EOF):
		return nil, p.ofReader(err)
	}
	if len(document.Content) == 0 {
		return &Document{nil, p}, nil
	}
	root := document.Content[0]
	switch {
	case root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null":
		return &Document{nil, p}, nil
	case root.Kind != yaml.MappingNode:
		return nil, p.one(root, "a configuration holds names and values, such as max-spend: 20.00")
	}
	return &Document{root, p}, nil
}

// ofReader says where the YAML reader stopped, as every other problem of a file is reported.
func (p *Problems) ofReader(err error) error {
	stopped, is := errors.AsType[*yaml.LoadError](err)
	if !is {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	p.add(p.position(stopped.Mark.Line, stopped.Mark.Column), errors.New(stopped.Message+afterReader(stopped.Message)))
	return p
}

// afterReader says what to do about an error of the YAML reader; "" when the error says it.
func afterReader(message string) string {
	switch message {
	case "did not find expected alphabetic or numeric character":
		return `; write a value that begins with * or & in quotes, such as "*/10 * * * *"`
	case "found character that cannot start any token":
		return "; write a value that begins with a character such as @, % or a back quote in quotes, and indent with spaces"
	case "found a tab character that violates indentation":
		return "; indent with spaces"
	}
	return ""
}

// one returns the only problem of a file.
func (p *Problems) one(node *yaml.Node, text string) error {
	p.add(p.positionOf(node), errors.New(text))
	return p
}

// positionOf returns the position of a node.
func (p *Problems) positionOf(node *yaml.Node) position { return p.position(node.Line, node.Column) }

func (p *Problems) position(line, column int) position {
	if !p.columns {
		column = 0
	}
	return position{line, max(column, 0)}
}

// Root returns the mapping of the document.
func (d *Document) Root() *Mapping { return newMapping(d.problems, d.root) }

// Err returns all that was found wrong, as one error; nil when nothing was.
func (d *Document) Err() error { return d.problems.err() }
