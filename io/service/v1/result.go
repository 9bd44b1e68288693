package v1

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"payonce/enrich"
	"payonce/io/service"
)

// maxProfile is the longest profile that is kept, in bytes. However it is written, the
// journal has room for it in a commit.
const maxProfile = 128 << 10

// How much of the texts of an answer is kept, in bytes of JSON. The longest email address
// has 254 characters. Together, and with the request ID a second time, they stay far
// below the 4 KB that the journal counts on for an answer without its profile.
const (
	maxValue      = 320 // of a field, and of the name
	maxProvenance = 1000
	maxUnresolved = 200 // of all names in it
)

// resultObject is the constant that marks an enrichment result.
const resultObject = "enrichment_result"

// readResult returns the answer that an enrichment result has.
func readResult(body []byte) (enrich.Answered, error) {
	answer, err := decodeResult(body)
	if err != nil {
		return enrich.Answered{}, err
	}
	return EncodeAnswer(answer), nil
}

// decodeResult reads an enrichment result (specification v1, "Enrichment result").
// It is strict about what says that the lookup completed and about the values
// that are charged for, and lenient about the rest: an answer that was paid for
// is not thrown away over its grounding, and a text of absurd length is cut: its
// beginning shows what was paid for, and its end that something is missing. No error
// quotes the body.
func decodeResult(body []byte) (Answer, error) {
	result, ok := service.ParseObject(body)
	if !ok {
		return Answer{}, errors.New("the body is not a JSON object")
	}
	if result.String("object").Value != resultObject {
		return Answer{}, fmt.Errorf("the body is not %s", resultObject)
	}
	status := enrich.Status(result.String("status").Value)
	if !status.Valid() {
		return Answer{}, errors.New("the result has no known status")
	}
	// A result that says not_found and holds values all the same keeps them: they
	// may have been charged.
	data, ok := result.Object("data")
	if !ok && status != enrich.NotFound {
		return Answer{}, errors.New("the result has no data")
	}
	catalogue := Catalogue()
	for f := range AllFields.Each() {
		name := catalogue.Name(f)
		if _, given := data[name]; given && !data.IsNull(name) && !data.String(name).Known {
			return Answer{}, fmt.Errorf("the result's %s is not a string", name)
		}
	}
	grounding, _ := result.Object("grounding")
	return Answer{
		Status:        status,
		Operation:     cut(result.Text("operation"), maxName),
		RequestID:     cut(result.Text("request_id"), maxName),
		FullName:      cut(data.Text("full_name"), maxValue),
		WorkEmail:     cut(data.Text(catalogue.Name(WorkEmail)), maxValue),
		BusinessPhone: cut(data.Text(catalogue.Name(BusinessPhone)), maxValue),
		PhoneType:     cut(data.Text("phone_type"), maxName),
		Unresolved:    cutAll(result.Texts("unresolved_fields"), maxUnresolved),
		RetrievedAt:   grounding.Time("retrieved_at"),
		Provenance:    cut(grounding.Text("source_provenance"), maxProvenance),
		Profile:       data.Compact("profile", maxProfile),
	}, nil
}

// cutMark is the end of a text that was cut. No email address and no number ends so.
const cutMark = "…"

// cut returns what takes at most limit bytes in a record of JSON, and cutMark behind it
// where that is not the whole text.
func cut(text string, limit int) string {
	for at, r := range text {
		if limit -= jsonLength(r); limit < 0 {
			return text[:at] + cutMark
		}
	}
	return text
}

// cutAll returns the first of the texts, which together take at most limit bytes in a
// record of JSON.
func cutAll(texts []string, limit int) []string {
	for i, text := range texts {
		for _, r := range text {
			limit -= jsonLength(r)
		}
		if limit -= len(`"",`); limit < 0 {
			return texts[:i]
		}
	}
	return texts
}

// jsonLength returns the most bytes that a character takes in JSON.
func jsonLength(r rune) int {
	if r < ' ' || strings.ContainsRune("\"\\<>&\u2028\u2029\uFFFD", r) {
		return len(`\u0000`)
	}
	return utf8.RuneLen(r)
}
