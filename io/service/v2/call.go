// This file makes the paid calls of the v2 interface: what is sent, without a way to send it.
// A call says what it can use up, so a plan and the journal can ask before anything is sent.

package v2

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"payonce/enrich"
)

// Call is one paid call.
type Call struct {
	Operation Operation
	ID        string // in the path; "" for an operation that needs none
	Query     url.Values
	Body      []byte // JSON; empty for a GET
	// Reveal is the contact data that the call asks for.
	Reveal Reveal
	// About is the company that a search is to find, so that its answer shows what was sought.
	About enrich.Company

	problem error
}

// Check says why the service would refuse the call; nil when it may be sent.
func (c Call) Check() error {
	switch {
	case c.problem != nil:
		return fmt.Errorf("%s: %w", c.Operation, c.problem)
	case !c.Operation.Paid():
		return fmt.Errorf("%s is not a paid call", c.Operation)
	case c.Operation.NeedsID():
		return checkID(c.ID)
	}
	return nil
}

// Path returns the path of the call, relative to the base URL.
func (c Call) Path() string { return c.Operation.Path(c.ID) }

// maxID is the length of the longest identifier, in bytes.
const maxID = 100

// ErrID is wrapped by errors about identifiers that do not fit into a path.
var ErrID = errors.New("not an identifier of the service")

// checkID says why an identifier cannot stand in a path.
func checkID(id string) error {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~:."
	switch {
	case id == "":
		return fmt.Errorf("the identifier is missing: %w", ErrID)
	case len(id) > maxID || strings.Trim(id, allowed) != "" || strings.Trim(id, ".") == "":
		return fmt.Errorf("%q: %w", id[:min(len(id), maxID)], ErrID)
	}
	return nil
}

// ID is an identifier in a body: a number when it is written as one, and a text otherwise.
type ID string

// MarshalJSON writes the identifier.
func (id ID) MarshalJSON() ([]byte, error) {
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil && strconv.FormatInt(n, 10) == string(id) {
		return []byte(id), nil
	}
	return json.Marshal(string(id))
}

// UnmarshalJSON reads a number or a text.
func (id *ID) UnmarshalJSON(data []byte) error {
	var number json.Number
	if json.Unmarshal(data, &number) == nil && number != "" {
		*id = ID(number)
		return nil
	}
	return json.Unmarshal(data, (*string)(id))
}

// get returns a call without a body.
func get(o Operation, id string) Call { return Call{Operation: o, ID: id} }

// post returns a call with a JSON body.
func post(o Operation, body any, problem error) Call {
	encoded, err := json.Marshal(body)
	return Call{Operation: o, Body: encoded, problem: errors.Join(problem, err)}
}

// missing returns an error when all values are empty.
func missing(names string, values ...string) error {
	if strings.Join(values, "") == "" {
		return fmt.Errorf("it needs %s", names)
	}
	return nil
}

// maxPage is the last page that a search returns (specification v2, "Limits").
const maxPage = 10

// Paging chooses a page of a search, from 1. Zero leaves the choice to the service.
type Paging struct {
	Page    int `json:"page,omitempty"`
	PerPage int `json:"per_page,omitempty"`
}

// check bounds the page, where most is not zero, and refuses negative numbers.
func (p Paging) check(most int) error {
	if p.Page < 0 || p.PerPage < 0 || most > 0 && p.Page > most {
		return fmt.Errorf("page %d of %d results each is not one that the service returns", p.Page, p.PerPage)
	}
	return nil
}
