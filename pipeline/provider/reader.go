package provider

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/io/service"
	"payonce/io/service/v1"
	"payonce/io/service/v2"
)

// AnswerReader reads the answers of one interface when a journal is shown, exported or erased. Its methods may be
// called from many goroutines.
type AnswerReader interface {
	// Facts returns what an answer says about persons.
	Facts(answered enrich.Answered) (checkpoint.PersonFacts, error)
	// Export returns the same, and the profile that the interface returns on request; "" for none.
	Export(answered enrich.Answered) (facts checkpoint.PersonFacts, profile string, err error)
	// Show returns an answer as JSON shows it.
	Show(answered enrich.Answered) (any, error)
}

// AnswerReaders returns a reader for each interface by its name, which is "" for that of the account 0.
func AnswerReaders() map[string]AnswerReader {
	first := V1Interface()
	readers := map[string]AnswerReader{"": first.NewReader()}
	for _, i := range []Interface{first, V2Interface(v2.Modules{})} {
		readers[i.Catalogue.Interface] = i.NewReader()
	}
	return readers
}

// v1Reader reads the answers of v1.
type v1Reader struct{ v1.AnswerDecoder }

// Facts implements Reader.
func (r *v1Reader) Facts(answered enrich.Answered) (facts checkpoint.PersonFacts, err error) {
	facts.Name, facts.Email, facts.Phone, err = r.Person(answered)
	if err != nil {
		return facts, err
	}
	if has, err := r.HasProfile(answered); has || err != nil {
		facts.Read = func() ([]checkpoint.Mention, error) { return mentionsOf(r.Parts(answered)) }
		facts.Without = func(mentions map[int]bool) (string, error) { return v1.WithoutParts(answered, mentions) }
		return facts, err
	}
	return facts, nil
}

// Export implements Reader.
func (r *v1Reader) Export(answered enrich.Answered) (facts checkpoint.PersonFacts, profile string, err error) {
	found, err := r.Decode(answered)
	return checkpoint.PersonFacts{Name: found.FullName, Email: found.WorkEmail, Phone: found.BusinessPhone}, found.Profile, err
}

// Show implements Reader.
func (r *v1Reader) Show(answered enrich.Answered) (any, error) { return r.Decode(answered) }

// v2Reader reads the answers of v2.
type v2Reader struct{ v2.Decoder }

// Facts implements Reader.
func (r v2Reader) Facts(answered enrich.Answered) (facts checkpoint.PersonFacts, err error) {
	found, err := v2.DecodeAnswer(answered)
	if err != nil || len(found.Body) == 0 {
		return facts, err
	}
	facts.Read = func() ([]checkpoint.Mention, error) { return mentionsOf(v2.Parts(answered)) }
	facts.Without = func(mentions map[int]bool) (string, error) { return v2.WithoutParts(answered, mentions) }
	if f, isRecord := found.Operation.Field(); !isRecord || f != v2.FieldContact {
		return facts, nil
	}
	e, err := found.Employee()
	facts.Name = cmp.Or(e.FullName.Value, strings.TrimSpace(e.FirstName.Value+" "+e.LastName.Value))
	facts.Email, facts.Phone, facts.CompanyName = e.Email.Value, e.Phone.Value, e.CompanyName.Value
	for _, page := range []string{e.ProNetwork.Value, e.Microblog.Value, e.Social.Value} {
		if page != "" {
			facts.Pages = append(facts.Pages, page)
		}
	}
	return facts, err
}

// mentionsOf returns the parts of an answer as the journal compares them.
func mentionsOf(parts []service.Part, err error) ([]checkpoint.Mention, error) {
	mentions := make([]checkpoint.Mention, len(parts))
	for i, part := range parts {
		mentions[i] = checkpoint.Mention(part)
	}
	return mentions, err
}

// Export implements Reader.
func (r v2Reader) Export(answered enrich.Answered) (facts checkpoint.PersonFacts, profile string, err error) {
	facts, err = r.Facts(answered)
	return facts, "", err
}

// v2Answer is an answer of v2 as it is shown.
type v2Answer struct {
	Operation   string          `json:"operation"`
	RetrievedAt time.Time       `json:"retrieved_at,omitzero"`
	LeftOut     []string        `json:"left_out,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`
}

// Show implements Reader.
func (v2Reader) Show(answered enrich.Answered) (any, error) {
	found, err := v2.DecodeAnswer(answered)
	return v2Answer{found.Operation.String(), found.RetrievedAt, found.LeftOut, found.Body}, err
}
