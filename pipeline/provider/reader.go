package provider

import (
	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/io/service"
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

// MentionsOf returns the parts of an answer as the journal compares them.
func MentionsOf(parts []service.Part, err error) ([]checkpoint.Mention, error) {
	mentions := make([]checkpoint.Mention, len(parts))
	for i, part := range parts {
		mentions[i] = checkpoint.Mention(part)
	}
	return mentions, err
}
