package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// schemaBound refuses a schema that is nested too deeply, that refers to anything
// but places in itself, or that one check could take too long with: references that
// lead to references can multiply without end.
type schemaBound struct {
	root   any
	within bool // the schema is not the root, but a part of it
	steps  int
	path   []string // the references that led here
}

func (b *schemaBound) walk(node any, depth int) error {
	if b.steps++; b.steps > maxSchemaSteps {
		return fmt.Errorf("one check of it could take more than %d steps", maxSchemaSteps)
	}
	if depth > maxSchemaDepth {
		return fmt.Errorf("it is nested deeper than %d levels", maxSchemaDepth)
	}
	var parts []any
	switch n := node.(type) {
	case json.Number:
		return checkExponent(n)
	case []any:
		parts = n
	case map[string]any:
		if err := b.checkKeywords(n, b.steps == 1 && !b.within); err != nil {
			return err
		}
		if err := b.follow(n); err != nil {
			return err
		}
		for _, part := range n {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		if err := b.walk(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// maxExponent bounds the powers of ten in a schema: a number is worked out whole.
const maxExponent = 1000

func checkExponent(number json.Number) error {
	_, power, has := strings.Cut(strings.ToLower(number.String()), "e")
	if n, err := strconv.Atoi(power); has && (err != nil || n > maxExponent || n < -maxExponent) {
		return errors.New("it holds a number that is too large or too small")
	}
	return nil
}

// schemaDrafts are the drafts in which the keywords mean what is assumed here.
func schemaDrafts() []string {
	return []string{
		"https://json-schema.org/draft/2020-12/schema",
		"https://json-schema.org/draft/2019-09/schema",
		"http://json-schema.org/draft-07/schema",
	}
}

// checkKeywords refuses the keywords that give references another meaning than the
// one in which they are followed here.
func (b *schemaBound) checkKeywords(object map[string]any, isRoot bool) error {
	for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
		if _, used := object[keyword].(string); used {
			return fmt.Errorf("it uses %s, which is not followed", keyword)
		}
	}
	if _, based := object["$id"].(string); based && !isRoot {
		return errors.New("a part of it has an $id of its own")
	}
	if draft, named := object["$schema"].(string); named && !slices.Contains(schemaDrafts(), strings.TrimSuffix(draft, "#")) {
		return errors.New("it follows a draft of JSON Schema that is not supported; 2020-12 is")
	}
	return nil
}

// follow walks on where a schema refers to. Recursion has no use for a body, which is
// flat, and can be without end.
func (b *schemaBound) follow(object map[string]any) error {
	reference, ok := object["$ref"].(string)
	if !ok {
		return nil
	}
	if slices.Contains(b.path, reference) {
		return errors.New("it refers back to itself")
	}
	target, err := b.resolve(reference)
	if err != nil {
		return err
	}
	b.path = append(b.path, reference)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	return b.walk(target, 0)
}

// resolve returns what a reference to a place in the schema itself points to.
func (b *schemaBound) resolve(reference string) (any, error) {
	pointer, local := strings.CutPrefix(reference, "#")
	if !local || pointer != "" && !strings.HasPrefix(pointer, "/") || strings.Contains(pointer, "%") {
		return nil, errors.New("it refers to something outside itself, which is not followed")
	}
	node := b.root
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch n := node.(type) {
		case map[string]any:
			node = n[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n) {
				return nil, errors.New("it refers to a place in itself that is not there")
			}
			node = n[i]
		default:
			return nil, errors.New("it refers to a place in itself that is not there")
		}
	}
	return node, nil
}
