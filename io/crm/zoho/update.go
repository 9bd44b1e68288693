package zoho

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"payonce/io/crm"
	"payonce/io/service"
)

// Update changes one contact, if it was not modified since Change.Modified ("Update Records", header
// If-Unmodified-Since). The request is sent once. It is sent again only after the CRM said that it did not process it.
// An interrupt ends a wait. It does not end a request in progress.
func (c *Connector) Update(ctx context.Context, change crm.Change) (crm.Outcome, error) {
	if err := change.Check(); err != nil {
		return crm.Outcome{}, err
	}
	if err := c.writable(ctx, change); err != nil {
		return crm.Outcome{}, err
	}
	id := plainID(change.ID)
	record := map[string]any{"id": id}
	for name, value := range change.Values {
		record[name] = value
	}
	for _, name := range change.Clear {
		record[name] = nil
	}
	body := map[string]any{"data": []any{record}}
	if !change.Trigger {
		body["trigger"] = []string{} // no workflow, approval or blueprint
	}
	text, err := json.Marshal(body)
	if err != nil {
		return crm.Outcome{}, err
	}
	said, err := c.call(ctx, service.Request{
		Method: http.MethodPut, Path: "crm/v8/" + contacts + "/" + id, Body: text,
		Header: http.Header{"If-Unmodified-Since": {change.Modified}},
	})
	if err != nil {
		if e, is := errors.AsType[*crm.Error](err); is {
			e.Record = change.ID
		}
		return crm.Outcome{}, err
	}
	outcome, problem := outcomeOf(said, id)
	if problem != nil {
		problem.Record = change.ID
		return crm.Outcome{}, problem
	}
	return outcome, nil
}

// writable returns an error for a field that the connector does not write: one that contacts lack, a read-only one, one
// of another type, or one of mobile numbers (specification v1, "Client rules for writing results into a CRM contact").
func (c *Connector) writable(ctx context.Context, change crm.Change) error {
	wrong := func(format string, args ...any) error {
		return &crm.Error{Problem: crm.Invalid, Record: change.ID, Err: fmt.Errorf(format, args...)}
	}
	if plainID(change.ID) == "" {
		return wrong("the id is not one of the CRM")
	}
	fields, err := c.Fields(ctx)
	if err != nil {
		return err
	}
	for _, name := range append(slices.Sorted(maps.Keys(change.Values)), change.Clear...) {
		switch f, has := field(fields, name); {
		case !has:
			return wrong("contacts have no field %q", service.PlainText(name, 100))
		case f.ReadOnly:
			return wrong("the field %s is read only", name)
		case f.Mobile:
			return wrong("the field %s has mobile numbers, and is not written", name)
		case f.Type == crm.Other:
			return wrong("the field %s has a type that is not written", name)
		}
	}
	return nil
}

// outcomeOf returns the outcome of a change from its answer. After a success without a confirmation, a status of a
// gateway, or an answer that is not the CRM's own, the outcome is unknown. After an error of the CRM with a status
// below 500, nothing was changed.
func outcomeOf(said answer, id string) (crm.Outcome, *crm.Error) {
	o := crm.Outcome{Code: said.code, Field: said.field, RequestID: said.requestID}
	switch {
	case said.lost != nil:
		o.Result, o.Err = crm.Unknown, said.lost
	case said.Status == http.StatusPreconditionFailed:
		o.Result = crm.Changed
	case said.succeeded() && said.code == "":
		o.Modified, o.Result, o.Err = written(said.Body, id)
	case said.code == "" || said.Status >= http.StatusInternalServerError || said.code == "INTERNAL_ERROR" || said.Redirects():
		o.Result, o.Err = crm.Unknown, fmt.Errorf("the answer with the HTTP status %d does not say whether the record was changed", said.Status)
	case said.problem(id).Problem == crm.Refused, said.problem(id).Problem == crm.Exhausted:
		return crm.Outcome{}, said.problem(id)
	default:
		o.Result = resultOf(said, id)
	}
	if duplicate, has := said.details.Object("duplicate_record"); o.Result == crm.Duplicate && has {
		o.Other = plainID(scalar(duplicate["id"]))
	}
	return o, nil
}

// resultOf returns the result of an error of the CRM about one record.
func resultOf(said answer, id string) crm.Result {
	switch said.code {
	case "DUPLICATE_DATA":
		return crm.Duplicate
	case "RECORD_LOCKED", "RECORD_IN_BLUEPRINT", "NOT_APPROVED":
		return crm.Locked
	case "ALREADY_MODIFIED", "ALREADY_UPDATED", "PRECONDITION_FAILED":
		return crm.Changed
	case "NO_RECORDS_FOUND", "NOT_FOUND":
		return crm.Gone
	case "INVALID_DATA":
		if said.field == "id" || plainID(scalar(said.details["id"])) == id { // "the id given seems to be invalid"
			return crm.Gone
		}
	}
	return crm.Rejected
}

// written reads the confirmation of a change: of exactly one record, which is the right one.
func written(body []byte, id string) (modified string, result crm.Result, err error) {
	said, _ := service.ParseObject(body)
	var elements []service.Object
	whole := service.EachElement(said["data"], func(element []byte) bool {
		object, ok := service.ParseObject(element)
		elements = append(elements, object)
		return ok
	})
	if !whole || len(elements) != 1 || elements[0].Text("code") != "SUCCESS" {
		return "", crm.Unknown, errors.New("the answer does not confirm the change")
	}
	details, _ := elements[0].Object("details")
	if plainID(scalar(details["id"])) != id {
		return "", crm.Unknown, errors.New("the answer confirms a change of another record")
	}
	return details.Text(modifiedField), crm.Written, nil
}
