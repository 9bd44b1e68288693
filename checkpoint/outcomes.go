package checkpoint

import (
	"fmt"

	"payonce/attempt"
	"payonce/enrich"
)

// Outcomes hands what is known of attempts, whose numbers ascend, to visit: who it was
// about, the zero identity when that was erased; how it ended, the zero resolution while
// it has not; and why its outcome is unknown, "" when it is not. Many attempts cost much
// less than as many calls of Resolution, those that lie near each other least of all.
func (j *Journal) Outcomes(ids []attempt.ID, visit func(id attempt.ID, who enrich.Identity, ended attempt.Resolution, doubt string) error) error {
	intents, err := gather(j.store, intentPrefix, ids)
	if err != nil {
		return err
	}
	if intents.found < len(ids) {
		return fmt.Errorf("%w: %d of %d attempts have no intent", ErrCorrupt, len(ids)-intents.found, len(ids))
	}
	resolutions, err := gather(j.store, resolutionPrefix, ids)
	if err != nil {
		return err
	}
	resolutions.answers = make([]enrich.Answer, 0, resolutions.found)
	for i, id := range ids {
		var asked about
		if err := decodeGathered(intents, i, id, &asked); err != nil {
			return err
		}
		if asked.Erased {
			asked.Identity = enrich.Identity{}
		}
		var ended attempt.Resolution
		if err := decodeGathered(resolutions, i, id, &ended); err != nil {
			return err
		}
		doubt := ""
		if ended.State == 0 {
			doubt = j.Doubt(id)
		}
		if err := visit(id, asked.Identity, ended, doubt); err != nil {
			return err
		}
	}
	return nil
}

// gathered are the values of the records of one kind of some attempts. They stand one
// after the other, also as a text of which the texts of all records become parts: so
// that to read a record takes no memory of its own.
type gathered struct {
	packet
	prefix byte
	values []byte
	text   string
	places []place // of the values, by the place of the attempt
	found  int
}

// place is where a value stands, the zero place of a record that is not there.
type place struct {
	start, end int
	found      bool
}

// gather reads the records of one kind of attempts, whose numbers ascend.
func gather(store Store, prefix byte, ids []attempt.ID) (*gathered, error) {
	const room = 256 // for most records
	g := &gathered{prefix: prefix, values: make([]byte, 0, room*len(ids)), places: make([]place, len(ids))}
	err := eachRecord(store, prefix, ids, func(i int, value []byte) error {
		start := len(g.values)
		g.values = append(g.values, value...)
		g.places[i] = place{start, len(g.values), true}
		g.found++
		return nil
	})
	g.text = string(g.values)
	return g, err
}

// decodeGathered reads the record of the attempt at a place, when it is there.
func decodeGathered[T any](g *gathered, i int, id attempt.ID, into *T) error {
	at := g.places[i]
	if !at.found {
		return nil
	}
	return decodeFrom(&g.packet, idKey(g.prefix, id), g.values[at.start:at.end], g.text[at.start:at.end], into)
}
