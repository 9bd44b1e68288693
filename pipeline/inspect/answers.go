package inspect

import (
	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/pipeline/provider"
)

// answers reads the answers of each interface by its name. Its methods may be called from many goroutines.
type answers map[string]provider.AnswerReader

// facts returns what an answer says about who the person is. It returns nothing for an interface that is not known.
func (a answers) facts(of string, answered enrich.Answered) (facts checkpoint.PersonFacts, err error) {
	if reader, known := a[of]; known {
		return reader.Facts(answered)
	}
	return facts, nil
}

// export returns what an answer says about the person, and the profile that the interface returns on request.
func (a answers) export(of string, answered enrich.Answered) (facts checkpoint.PersonFacts, profile string, err error) {
	if reader, known := a[of]; known {
		return reader.Export(answered)
	}
	return facts, "", nil
}

// show returns an answer as JSON shows it. For an interface that is not known it returns the bytes in the journal.
func (a answers) show(of string, answered enrich.Answered) (any, error) {
	if reader, known := a[of]; known {
		return reader.Show(answered)
	}
	return answered.Data, nil
}
