package configs

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
// scalars, as written. Where there may be pairs, those of a mapping are NAME=VALUE.
func scalars(value *yaml.Node, several, isPairs bool) ([]string, error) {
	value = resolved(value)
	items := []*yaml.Node{value}
	if value.Kind == yaml.MappingNode && isPairs {
		return pairsOf(value)
	}
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

// pairsOf returns the names and values of a mapping as pairs, such as companies=500.
func pairsOf(mapping *yaml.Node) (pairs []string, err error) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		name, value := resolved(mapping.Content[i]), resolved(mapping.Content[i+1])
		switch {
		case name.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("line %d: a mapping here holds plain values", mapping.Content[i].Line)
		case value.ShortTag() == "!!null":
			return nil, fmt.Errorf("line %d: %s has no value", mapping.Content[i].Line, name.Value)
		}
		pairs = append(pairs, name.Value+"="+value.Value)
	}
	return pairs, nil
}
