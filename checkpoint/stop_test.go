package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/verify"
	"payonce/io/service/v1"
)

// What walks over the journal ends when it is asked to, after any record, and the journal
// is as sound as before. Opening it is never ended: it finds out what a crash left.
func TestEveryWalkOverTheJournalStopsOnRequest(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	onJournal := func(do func(j *Journal) error) func(dir string, options Options) error {
		return func(dir string, options Options) error {
			j, err := openIn(dir, options)
			if err != nil {
				return fmt.Errorf("it did not open: %v", err)
			}
			return errors.Join(do(j), j.Close())
		}
	}
	for name, walk := range map[string]func(dir string, options Options) error{
		"check": func(dir string, options Options) error {
			return checkIn(t, dir, options.Stop)
		},
		"dump": func(dir string, options Options) error {
			return withStoreIn(dir, func(s Store) error { return verify.Dump(s, options.Stop, io.Discard, nil) })
		},
		"rewrite": func(dir string, options Options) error { return rewrite(dir, options.Stop) },
		"prune": onJournal(func(j *Journal) error {
			_, err := j.Prune(start.Add(time.Hour))
			return err
		}),
		"attempts": onJournal(func(j *Journal) error {
			return j.Attempts(time.Time{}, time.Time{}, func(attempt.Entry) error { return nil })
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			j := openDir(t, dir)
			answer(t, j, 0, answered)
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			for _, after := range []int{0, 1, answered / 2} {
				left := after
				options := dirOptions
				options.Stop = func() error {
					if left--; left < 0 {
						return stopped
					}
					return nil
				}
				if err := walk(dir, options); !errors.Is(err, stopped) {
					t.Errorf("after %d records: %v", after, err)
				}
			}
			if err := walk(dir, dirOptions); err != nil {
				t.Error(err)
			}
			if err := checkIn(t, dir, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkIn checks the closed journal in a directory, and fails the test for every problem.
func checkIn(t *testing.T, dir string, stop func() error) error {
	t.Helper()
	return withStoreIn(dir, func(s Store) error {
		_, err := verify.Check(s, v1.Catalogue(), stop, func(p verify.Problem) { t.Errorf("%s %s", p.Record, p.Text) })
		return err
	})
}
