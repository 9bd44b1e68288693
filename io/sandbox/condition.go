package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// conditionURL names an input condition among schemas. Nothing is loaded from it.
const conditionURL = "sandbox:input-condition"

// noLoader refuses every reference out of a schema: none is worth a read of this
// machine's files or of the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a reference to %s, which is not followed; write the schema in one piece", url)
}

// compileCondition reads an input condition: a JSON Schema.
func compileCondition(text json.RawMessage) (*jsonschema.Schema, error) {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("not a JSON Schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(conditionURL, schema); err != nil {
		return nil, fmt.Errorf("not a JSON Schema: %w", err)
	}
	compiled, err := compiler.Compile(conditionURL)
	if err != nil {
		return nil, fmt.Errorf("not a JSON Schema: %w", err)
	}
	return compiled, nil
}

// meets returns why a lookup's body does not fulfil the input condition of its
// operation (specification v1, "Account status"), nil when it does.
func (s *Server) meets(q question) error {
	condition := s.ledger.InputCondition(q.operation)
	if condition == nil {
		return nil
	}
	schema, err := compileCondition(condition)
	if err != nil {
		return err
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(q.body))
	if err != nil {
		return err
	}
	if err := schema.Validate(body); err != nil {
		return errors.New("the request does not fulfil the operation's input condition, which the account status shows")
	}
	return nil
}
