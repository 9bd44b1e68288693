package v1

import (
	"encoding/json"
	"fmt"
	"sync"

	"payonce/enrich"
	"payonce/io/service"
)

// inputs are what the service says of the input of its lookups: the endpoint's
// input schema and the account's condition, which are read together (specification
// v1, "Account status"). What it says nothing of, and what cannot be applied, allows
// everything: the service then says no itself, and charges nothing for that.
type inputs struct {
	mu         sync.RWMutex
	endpoints  map[Operation]*service.Schema
	conditions map[Operation]*service.Schema
}

// conditionOf returns the text of an operation's input condition, nil for none.
func conditionOf(status service.Object, operation Operation) json.RawMessage {
	all, _ := status.Object("operations")
	own, _ := all.Object(operation.ResultName())
	if own.IsNull("input_condition") {
		return nil
	}
	return own["input_condition"]
}

// learnConditions takes the conditions of a status in place of earlier ones.
func (i *inputs) learnConditions(status service.Object) {
	conditions := map[Operation]*service.Schema{}
	for _, operation := range Operations() {
		// One that cannot be applied is nil. Inspect reports it.
		conditions[operation], _ = service.CompileSchema(conditionOf(status, operation), nil)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.conditions = conditions
}

// learnEndpoints takes the input schemas of a description.
func (i *inputs) learnEndpoints(description Description) {
	endpoints := map[Operation]*service.Schema{}
	for _, operation := range Operations() {
		endpoints[operation] = description.Operations[operation].input
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.endpoints = endpoints
}

// check says why a question is not to be sent; nil when nothing speaks against it.
func (i *inputs) check(q question) *unfit {
	i.mu.RLock()
	condition, endpoint := i.conditions[q.operation], i.endpoints[q.operation]
	i.mu.RUnlock()
	if why := condition.Check(q.body); why != nil {
		return &unfit{q.operation, codeInputCondition, why}
	}
	return fitsEndpoint(endpoint, q)
}

func fitsEndpoint(endpoint *service.Schema, q question) *unfit {
	if why := endpoint.Check(q.body); why != nil {
		return &unfit{q.operation, codeInputSchema, why}
	}
	return nil
}

// The codes of lookups that are not sent because they are unfit.
const (
	codeInputCondition = "input_condition"
	codeInputSchema    = "input_schema"
)

// unfit says that a lookup's body does not fulfil a schema of the service.
type unfit struct {
	operation Operation
	code      string // one of those above
	why       error
}

// refused is the verdict on the lookup, which is not sent.
func (u *unfit) refused() enrich.Refused {
	return enrich.Refused{Class: enrich.InvalidInput, Unsent: true, Code: u.code, Message: u.Error()}
}

func (u *unfit) Error() string {
	why := service.PlainText(u.why.Error(), maxMessage)
	if u.code == codeInputCondition {
		return fmt.Sprintf("the account's condition on the input of %s is not met: %s", u.operation, why)
	}
	return fmt.Sprintf("the service's input schema of %s does not allow the lookup: %s", u.operation, why)
}
