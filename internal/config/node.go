package config

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v4"
)

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
