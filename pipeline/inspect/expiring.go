package inspect

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"slices"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Expiring returns what Prune would erase. It writes that to a CSV file when there is a path.
func Expiring(ctx context.Context, w *pipeline.Work, before time.Time, export string) (*report.Expiring, error) {
	return closed(ctx, w, "journal prune", func(dir string, options workspace.Opening) (*report.Expiring, error) {
		view := &report.Expiring{Before: before, Exported: export}
		err := workspace.ReadStore(ctx, dir, options, func(store record.Store) error {
			outputs, err := checkpoint.RunOutputs(store)
			if err != nil {
				return err
			}
			answers := map[string]int64{}
			err = exporting(export, w, func(write func(checkpoint.ExpiredAttempt) error) error {
				return checkpoint.EachExpired(store, before, func(a checkpoint.ExpiredAttempt) error {
					view.Lookups++
					if a.Answered.Data != "" {
						answers[a.Run]++
					}
					return errors.Join(ctx.Err(), write(a))
				})
			})
			for run, n := range answers {
				view.Answers += n
				view.Runs = append(view.Runs, report.ExpiringRun{Run: run, Answers: n, Outputs: existing(outputs[run])})
			}
			slices.SortFunc(view.Runs, func(a, b report.ExpiringRun) int { return cmp.Compare(a.Run, b.Run) })
			return err
		})
		return view, err
	})
}

// existing returns the files that are still there.
func existing(paths []string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}

// exporting calls do with a function that writes an attempt to the file at path, and to nothing
// without a path. The file appears whole or not at all.
func exporting(path string, w *pipeline.Work, do func(write func(checkpoint.ExpiredAttempt) error) error) error {
	if path == "" {
		return do(func(checkpoint.ExpiredAttempt) error { return nil })
	}
	file, err := atomicfile.Create(path, w.Env.FileMode)
	if err != nil {
		return err
	}
	defer file.Discard()
	lines := csv.NewWriter(file)
	err = lines.Write([]string{
		"run", "answered_at", "profile_url", "first_name", "last_name", "company_domain", "company_name",
		"full_name", "work_email", "business_phone", "profile",
	})
	if err != nil {
		return err
	}
	read := answers(w.Workspace.AnswerReaders())
	err = do(func(a checkpoint.ExpiredAttempt) error {
		who, facts, profile := a.Identity, checkpoint.PersonFacts{}, ""
		if a.Answered.Data != "" {
			var err error
			if facts, profile, err = read.export(a.Of, a.Answered); err != nil {
				return err
			}
		}
		return lines.Write(table.EscapeFormulas([]string{
			a.Run, a.At.UTC().Format(time.RFC3339), who.ProfileURL, who.FirstName, who.LastName, who.CompanyDomain, who.CompanyName,
			facts.Name, facts.Email, facts.Phone, profile,
		}, w.Env.Raw))
	})
	lines.Flush()
	if err := errors.Join(err, lines.Error()); err != nil {
		return err
	}
	return file.Commit()
}
