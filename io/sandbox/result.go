package sandbox

import (
	"time"

	"payonce/enrich"
	"payonce/io/sandbox/world"
	"payonce/io/service/v1"
)

// result is an enrichment result (specification v1, "Enrichment result").
type result struct {
	Object     string        `json:"object"`
	Operation  string        `json:"operation"`
	RequestID  string        `json:"request_id"`
	Status     enrich.Status `json:"status"`
	Data       *resultData   `json:"data"`
	Unresolved []string      `json:"unresolved_fields"`
	Grounding  grounding     `json:"grounding"`
}

type resultData struct {
	FullName      string         `json:"full_name"`
	WorkEmail     string         `json:"work_email,omitempty"`
	BusinessPhone string         `json:"business_phone,omitempty"`
	PhoneType     string         `json:"phone_type,omitempty"`
	Profile       *world.Profile `json:"profile,omitempty"`
}

type grounding struct {
	RetrievedAt      time.Time `json:"retrieved_at"`
	SourceProvenance string    `json:"source_provenance"`
}

// answer words what was found for a question (specification v1, "Outcome rules").
func answer(q question, found world.Person, known bool, requestID string, at time.Time) result {
	r := result{
		Object: "enrichment_result", Operation: q.operation.ResultName(), RequestID: requestID,
		Status: enrich.NotFound, Unresolved: []string{"person"},
		Grounding: grounding{RetrievedAt: at.UTC().Truncate(time.Second), SourceProvenance: "not_available"},
	}
	if !known {
		return r
	}
	returned := found.Returned(q.fields)
	r.Status, r.Unresolved = enrich.Matched, []string{}
	for missing := range q.fields.Without(returned).Each() {
		r.Status = enrich.Partial
		r.Unresolved = append(r.Unresolved, missing.String())
	}
	r.Grounding.SourceProvenance = "sandbox"
	r.Data = &resultData{FullName: found.FullName}
	if returned.Has(v1.WorkEmail) {
		r.Data.WorkEmail = found.Values[v1.WorkEmail]
	}
	if returned.Has(v1.BusinessPhone) {
		r.Data.BusinessPhone, r.Data.PhoneType = found.Values[v1.BusinessPhone], found.PhoneType
	}
	if q.profile {
		r.Data.Profile = &found.Profile
	}
	return r
}
