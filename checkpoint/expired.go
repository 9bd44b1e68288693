// This file finds what a journal holds of persons that is older than a retention time.

package checkpoint

import (
	"cmp"
	"slices"
	"time"

	"payonce/checkpoint/record"
	"payonce/enrich"
)

// ExpiredAttempt is an attempt whose identity or values have not been erased yet.
type ExpiredAttempt struct {
	Of       string // the interface of the account; "" for that of the account 0
	At       time.Time
	Run      string
	Identity enrich.Identity // zero when it was erased
	Answered enrich.Answered // without Data when there are no values
}

// EachExpired calls visit for every attempt that ended before a time, in their order. It reads only what
// ended since the last time that attempts were erased by their age.
func EachExpired(s record.Store, before time.Time, visit func(ExpiredAttempt) error) error {
	interfaces, err := record.Interfaces(s)
	if err != nil {
		return err
	}
	_, spans, err := expiredSince(s, before)
	for _, span := range spans {
		if err != nil {
			return err
		}
		err = eachAttempt(s, span.First, span.Last, func(a *attemptRecord) error {
			if !isExpired(a, before) {
				return nil
			}
			of, err := record.InterfaceOf(a.Intent.Account, interfaces)
			if err != nil {
				return err
			}
			return visit(ExpiredAttempt{
				Of: of, At: a.Ended.At, Run: a.Ended.Run, Identity: a.Intent.Identity, Answered: a.Ended.Answer(),
			})
		})
	}
	return err
}

// isExpired reports whether an attempt ended before a time and has something to erase.
func isExpired(a *attemptRecord, before time.Time) bool {
	return a.Resolved && a.Ended.At.Before(before) && (!a.Intent.Erased || a.Ended.Data != "")
}

// expiredSince returns the mark of the last erasure by age, and the spans that hold every attempt that
// ended before a time and may not be erased. The spans ascend and share no attempt.
//
// The clock may have been set back: then attempts can end before the time of the mark. So days
// on which attempts ended that began after the erasure count, too.
func expiredSince(s record.Store, before time.Time) (record.Pruned, []record.Span, error) {
	pruned, _, err := record.Load[record.Pruned](s, record.PrunedKey)
	if err != nil {
		return pruned, nil, err
	}
	days := map[string]record.Span{}
	if err := record.LoadComputed(s, record.DayPrefix, days); err != nil {
		return pruned, nil, err
	}
	var spans []record.Span
	for day, span := range days {
		if day <= record.DayOf(before) && (day >= record.DayOf(pruned.Before) || span.Last >= pruned.Next) {
			spans = append(spans, span)
		}
	}
	return pruned, union(spans), nil
}

// union joins the spans that share attempts.
func union(spans []record.Span) (joined []record.Span) {
	slices.SortFunc(spans, func(a, b record.Span) int { return cmp.Compare(a.First, b.First) })
	for _, span := range spans {
		if last := len(joined) - 1; last >= 0 && span.First <= joined[last].Last {
			joined[last] = joined[last].With(span.Last)
			continue
		}
		joined = append(joined, span)
	}
	return joined
}

// RunOutputs returns the paths of the lists that were written for each run.
func RunOutputs(s record.Store) (map[string][]string, error) {
	paths := map[string][]string{}
	err := s.Scan([]byte{record.FilePrefix}, nil, func(key, value []byte) (bool, error) {
		var file record.File
		err := record.Decode(key, value, &file)
		paths[file.Run] = append(paths[file.Run], file.Path)
		return true, err
	})
	return paths, err
}
