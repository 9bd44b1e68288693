package record

import (
	"payonce/checkpoint/attempt"
	"payonce/io/numbered"
)

// Aliases are those of one identity, in the order of their answers. They are an index of keys and numbers of attempts.
// Nothing in them says who a subject is.
type Aliases struct {
	All []attempt.Alias `json:"all"`
}

func aliasesMembers(m *numbered.Members, a *Aliases) { numbered.List(m, 1, &a.All, aliasMembers) }

func aliasMembers(m *numbered.Members, a *attempt.Alias) {
	numbered.Array(m, 1, a.Subject[:])
	numbered.Array(m, 2, a.Company[:])
	numbered.Uint(m, 3, &a.Attempt)
}
