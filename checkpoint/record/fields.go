package record

import (
	"fmt"
	"slices"

	"payonce/enrich"
	"payonce/io/numbered"
)

// FieldNames are the names of the fields by their numbers. Records have the numbers. A number
// never changes its name, so that a program with other fields cannot take one for another.
type FieldNames struct {
	Names []string `json:"names"`
}

func fieldNamesMembers(m *numbered.Members, n *FieldNames) { numbered.Texts(m, 1, &n.Names) }

// MustKnowFields returns an error when the fields of a journal are not those of the catalogue. It
// returns the writes that add the names of fields that the journal does not have yet.
func MustKnowFields(s Store, catalogue enrich.Catalogue) ([]Write, error) {
	recorded, _, err := Load[FieldNames](s, FieldsKey)
	if err != nil {
		return nil, err
	}
	known := FieldNames{Names: catalogue.NamesOf(catalogue.All())}
	if slices.Equal(recorded.Names, known.Names) {
		return nil, nil
	}
	for f, name := range recorded.Names {
		if f >= len(known.Names) || known.Names[f] != name {
			return nil, fmt.Errorf("%w: its field %d is %q, which this program does not know; open it with the program that wrote it",
				ErrCorrupt, f, name)
		}
	}
	write, err := Replace(s, FieldsKey, &known)
	return []Write{write}, err
}
