// This file checks the body of a request against a JSON Schema that somebody
// else wrote: bounded in size, depth and work, and without loading anything.

package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The bounds of a JSON Schema that somebody else wrote.
const (
	maxSchema      = 256 << 10 // bytes
	maxSchemaDepth = 64        // objects and arrays in each other
	// maxSchemaSteps bounds how many schemas one check can come to, each counted as
	// often as it is referred to.
	maxSchemaSteps = 20_000
)

// Schema is a JSON Schema that the body of a request is checked against. A nil one
// allows everything.
type Schema struct{ compiled *jsonschema.Schema }

// ErrNoSchema says that there is nothing to check against.
var ErrNoSchema = errors.New("there is none")

// CompileSchema reads a JSON Schema, draft 2020-12 unless it names another. Its
// references lead to places in itself and in components, the definitions of the
// document around it, and nowhere else: nothing is loaded. No error quotes it.
func CompileSchema(text, components json.RawMessage) (*Schema, error) {
	if len(text) == 0 {
		return nil, ErrNoSchema
	}
	if len(text) > maxSchema {
		return nil, fmt.Errorf("it is longer than %d bytes", maxSchema)
	}
	own, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, errors.New("it is not JSON")
	}
	root := own
	if len(components) > 0 {
		// A reference such as #/components/schemas/Person is relative to the document.
		around, err := jsonschema.UnmarshalJSON(bytes.NewReader(components))
		if err != nil {
			return nil, errors.New("the definitions around it are not JSON")
		}
		root = map[string]any{"allOf": []any{own}, "components": around}
	}
	bound := schemaBound{root: root, within: len(components) > 0}
	if err := bound.walk(own, 0); err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refuseToLoad{})
	if err := compiler.AddResource(schemaAddress, root); err != nil {
		return nil, errors.New("it is not a JSON Schema")
	}
	compiled, err := compiler.Compile(schemaAddress)
	if err != nil {
		return nil, errors.New("it is not a JSON Schema that can be applied")
	}
	return &Schema{compiled}, nil
}

// schemaAddress is what a schema's references are relative to. Nothing is there.
const schemaAddress = "urn:payonce:schema"

// refuseToLoad is the loader of everything that a schema refers to elsewhere.
type refuseToLoad struct{}

func (refuseToLoad) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

// Check says which part of the schema a body fails first, without any value of the body;
// nil when it fails none. The text quotes the schema.
func (s *Schema) Check(body map[string]any) error {
	if s == nil {
		return nil
	}
	err := s.compiled.Validate(body)
	if err == nil {
		return nil
	}
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return errors.New("the schema cannot be applied")
	}
	for len(failed.Causes) > 0 {
		failed = failed.Causes[0]
	}
	where := "it"
	if len(failed.InstanceLocation) > 0 {
		where = strings.Join(failed.InstanceLocation, "/")
	}
	_, place, _ := strings.Cut(failed.SchemaURL, "#")
	place = strings.TrimPrefix(strings.Join(append([]string{place}, failed.ErrorKind.KeywordPath()...), "/"), "/")
	if place == "" {
		return fmt.Errorf("%s is not allowed", where)
	}
	return fmt.Errorf("%s does not fulfil %s", where, place)
}

// Members returns the names that the schema has something to say about, unless it
// is that they must not be there.
func (s *Schema) Members() map[string]bool {
	names := map[string]bool{}
	s.eachPart(func(part *jsonschema.Schema, _ bool) {
		for name, member := range part.Properties {
			if member.Bool == nil || *member.Bool {
				names[name] = true
			}
		}
	})
	return names
}

// AllowsNothing reports whether the schema is the one that is false.
func (s *Schema) AllowsNothing() bool {
	return s != nil && s.compiled.Bool != nil && !*s.compiled.Bool
}

// Misfits returns those of the names that the schema does not allow, and those that
// it requires and that are not among the names.
func (s *Schema) Misfits(names []string) (refused, missing []string) {
	required := map[string]bool{}
	s.eachPart(func(part *jsonschema.Schema, always bool) {
		if !always {
			return
		}
		for _, name := range part.Required {
			required[name] = true
		}
		if part.AdditionalProperties == false && len(part.PatternProperties) == 0 {
			for _, name := range names {
				if part.Properties[name] == nil && !slices.Contains(refused, name) {
					refused = append(refused, name)
				}
			}
		}
	})
	for _, name := range slices.Sorted(maps.Keys(required)) {
		if !slices.Contains(names, name) {
			missing = append(missing, name)
		}
	}
	return refused, missing
}

// eachPart visits the schemas that apply to the body itself, each once, and says
// whether they always do.
func (s *Schema) eachPart(visit func(part *jsonschema.Schema, always bool)) {
	if s == nil {
		return
	}
	seen := map[*jsonschema.Schema]bool{}
	var walk func(part *jsonschema.Schema, always bool)
	walk = func(part *jsonschema.Schema, always bool) {
		if part == nil || seen[part] {
			return
		}
		seen[part] = true
		visit(part, always)
		for _, other := range append(slices.Clone(part.AllOf), part.Ref) {
			walk(other, always)
		}
		for _, other := range slices.Concat(part.AnyOf, part.OneOf, []*jsonschema.Schema{part.If, part.Then, part.Else}) {
			walk(other, false)
		}
	}
	walk(s.compiled, true)
}
