// Package expired finds the answers of a journal that are older than a retention time.
package expired

import (
	"time"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/store"
	"payonce/enrich"
)

// Answer is an answer whose values have not been erased yet.
type Answer struct {
	ID       attempt.ID
	At       time.Time
	Run      string
	Identity enrich.Identity // zero when it was erased
	Answered enrich.Answered
}

// Each calls visit for every answer that came before a time, in the order of the attempts.
func Each(s store.Store, before time.Time, visit func(Answer) error) error {
	return s.Scan([]byte{record.ResolutionPrefix}, nil, func(key, value []byte) (bool, error) {
		var res attempt.Resolution
		if err := record.Decode(key, value, &res); err != nil {
			return false, err
		}
		if !res.Answered() || res.Erased || !res.At.Before(before) {
			return true, nil
		}
		id := record.IDOf(key)
		in, _, err := record.Load[record.Intent](s, record.IDKey(record.IntentPrefix, id))
		if err != nil {
			return false, err
		}
		return true, visit(Answer{ID: id, At: res.At, Run: res.Run, Identity: in.Identity, Answered: res.Answer()})
	})
}

// Outputs returns the paths of the lists that were written for each run.
func Outputs(s store.Store) (map[string][]string, error) {
	paths := map[string][]string{}
	err := s.Scan([]byte{record.FilePrefix}, nil, func(key, value []byte) (bool, error) {
		var file record.File
		err := record.Decode(key, value, &file)
		paths[file.Run] = append(paths[file.Run], file.Path)
		return true, err
	})
	return paths, err
}
