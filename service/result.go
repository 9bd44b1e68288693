package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"payonce/enrich"
)

// maxProfile is the longest profile that is kept, in bytes. However it is written, the
// journal has room for it in a commit.
const maxProfile = 128 << 10

// resultObject is the constant that marks an enrichment result.
const resultObject = "enrichment_result"

// decodeResult reads an enrichment result (specification v1, "Enrichment result").
// It is strict about what says that the lookup completed and about the values
// that are charged for, and lenient about the rest: an answer that was paid for
// is not thrown away over its grounding. No error quotes the body.
func decodeResult(body []byte) (enrich.Answer, error) {
	result, ok := parseObject(body)
	if !ok {
		return enrich.Answer{}, errors.New("the body is no JSON object")
	}
	if result.string("object").Value != resultObject {
		return enrich.Answer{}, fmt.Errorf("the body is no %s", resultObject)
	}
	status := enrich.Status(result.string("status").Value)
	if !status.Valid() {
		return enrich.Answer{}, errors.New("the result has no known status")
	}
	// A result that says not_found and holds values all the same keeps them: they
	// may have been charged.
	data, ok := result.object("data")
	if !ok && status != enrich.NotFound {
		return enrich.Answer{}, errors.New("the result has no data")
	}
	for f := range enrich.AllFields.Each() {
		if _, given := data[f.String()]; given && !data.isNull(f.String()) && !data.string(f.String()).Known {
			return enrich.Answer{}, fmt.Errorf("the result's %s is no string", f)
		}
	}
	grounding, _ := result.object("grounding")
	return enrich.Answer{
		Status:        status,
		Operation:     result.text("operation"),
		RequestID:     result.text("request_id"),
		FullName:      data.text("full_name"),
		WorkEmail:     data.text(enrich.WorkEmail.String()),
		BusinessPhone: data.text(enrich.BusinessPhone.String()),
		PhoneType:     data.text("phone_type"),
		Unresolved:    result.texts("unresolved_fields"),
		RetrievedAt:   grounding.time("retrieved_at"),
		Provenance:    grounding.text("source_provenance"),
		Profile:       data.compact("profile", maxProfile),
	}, nil
}

// compact returns a member object as compact JSON in valid UTF-8, with its members
// as they stand. It is "" for none, and for one that is longer than limit bytes: an
// answer is not thrown away over its profile.
func (o object) compact(name string, limit int) string {
	var compact bytes.Buffer
	if _, ok := o.object(name); !ok || json.Compact(&compact, o[name]) != nil {
		return ""
	}
	text := strings.ToValidUTF8(compact.String(), "\uFFFD")
	if len(text) > limit {
		return ""
	}
	return text
}

// texts returns the strings of a member array that are not empty.
func (o object) texts(name string) []string {
	var elements []json.RawMessage
	if json.Unmarshal(o[name], &elements) != nil {
		return nil
	}
	var texts []string
	for _, element := range elements {
		if text := (object{name: element}).text(name); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
