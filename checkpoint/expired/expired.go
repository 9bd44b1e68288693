// Package expired finds what a journal holds of persons that is older than a retention time.
package expired

import (
	"time"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/store"
	"payonce/enrich"
)

// Attempt is an attempt whose identity or values have not been erased yet.
type Attempt struct {
	ID       attempt.ID
	At       time.Time
	Run      string
	Identity enrich.Identity // zero when it was erased
	Answered enrich.Answered // without Data when there are no values
}

// Each calls visit for every attempt that ended before a time, in their order.
func Each(s store.Store, before time.Time, visit func(Attempt) error) error {
	return s.Scan([]byte{record.ResolutionPrefix}, nil, func(key, value []byte) (bool, error) {
		var res attempt.Resolution
		if err := record.Decode(key, value, &res); err != nil {
			return false, err
		}
		if !res.At.Before(before) {
			return true, nil
		}
		id := record.IDOf(key)
		in, _, err := record.Load[record.Intent](s, record.IDKey(record.IntentPrefix, id))
		if err != nil || in.Erased && res.Data == "" {
			return err == nil, err
		}
		return true, visit(Attempt{ID: id, At: res.At, Run: res.Run, Identity: in.Identity, Answered: res.Answer()})
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
