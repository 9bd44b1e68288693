package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// closed runs a use case on the closed journal of the workspace, which has to exist.
func closed[T any](ctx context.Context, w *pipeline.Work, doing string, do func(dir string, options workspace.Opening) (T, error)) (T, error) {
	var none T
	dir, err := w.Workspace.Existing()
	if err != nil {
		return none, err
	}
	options, err := w.Workspace.Opening(w.Env, doing, ctx.Err)
	if err != nil {
		return none, err
	}
	defer w.Observer.ReadingJournal()()
	options.Store.Copying = w.Observer.Copying
	options.Store.InOrder = true // all of them read each record about once
	result, err := do(dir, options)
	return result, workspace.OpenError(err)
}

// owned runs a use case on the journal of the workspace, which has to exist, and closes the journal. What was erased is
// gone from its files then.
func owned[T any](ctx context.Context, w *pipeline.Work, doing string, do func(*checkpoint.Journal) (T, error)) (T, error) {
	return closed(ctx, w, doing, func(dir string, options workspace.Opening) (result T, err error) {
		journal, err := workspace.OpenJournal(ctx, dir, options)
		if err != nil {
			return result, err
		}
		result, err = do(journal)
		return result, errors.Join(err, journal.Close())
	})
}

// erasing runs a use case that erases records of a journal and closes the journal. No process begins a call until then,
// so nothing about what is erased is on its way.
func erasing[T any](ctx context.Context, w *pipeline.Work, doing string, do func(*checkpoint.Journal) (T, error)) (T, error) {
	return owned(ctx, w, doing, func(journal *checkpoint.Journal) (result T, err error) {
		if err := drainAll(ctx, w, journal); err != nil {
			return result, err
		}
		return do(journal)
	})
}

// longDrain is how long an erasure waits before it says so.
const longDrain = 3 * time.Second

// drainAll drains all accounts of the journal, and tells a person when that takes long.
func drainAll(ctx context.Context, w *pipeline.Work, journal *checkpoint.Journal) error {
	telling := time.AfterFunc(longDrain, func() {
		w.Observer.Note("waiting until no process has lookups in flight; nothing is erased before. When a process was killed or stopped, this takes minutes")
	})
	defer telling.Stop()
	return journal.DrainAll(ctx)
}

// Check verifies every record of the journal and its sums. The report is there although the
// journal is damaged.
func Check(ctx context.Context, w *pipeline.Work) (*report.JournalCheck, error) {
	return closed(ctx, w, "journal check", func(dir string, options workspace.Opening) (view *report.JournalCheck, err error) {
		err = workspace.ReadStore(ctx, dir, options, func(store record.Store) error {
			var problems []verify.Problem
			first := w.Workspace.Services[0].Interface() // that of the account 0
			found, err := verify.Check(store, first.Catalogue, options.Journal.Stop, func(p verify.Problem) { problems = append(problems, p) })
			view = report.JournalCheckOf(first.Catalogue, first.Tariff, found, problems)
			return err
		})
		return view, err
	})
}

// Damage returns the error of a check that found problems.
func Damage(view *report.JournalCheck) error {
	if len(view.List) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d problems; restore the directory from a backup", checkpoint.ErrCorrupt, len(view.List))
}

// Dump writes every record of the journal, one JSON object to a line.
func Dump(ctx context.Context, w *pipeline.Work, to io.Writer, values bool) error {
	_, err := closed(ctx, w, "journal dump", func(dir string, options workspace.Opening) (any, error) {
		return nil, workspace.ReadStore(ctx, dir, options, func(store record.Store) error {
			var show verify.Show
			if values {
				show = answers(w.Workspace.AnswerReaders()).show
			}
			return verify.Dump(store, options.Journal.Stop, to, show)
		})
	})
	return err
}

// Copy copies the journal of a directory to the database of the shared journal. It refuses a journal in which a check
// finds problems.
func Copy(ctx context.Context, w *pipeline.Work) (*report.JournalCopy, error) {
	defer w.Observer.ReadingJournal()()
	view := &report.JournalCopy{}
	copied, err := w.Workspace.CopyToShared(ctx, w.Env, func(store record.Store) error {
		problems := 0
		_, err := verify.Check(store, w.Workspace.Services[0].Interface().Catalogue, ctx.Err, func(verify.Problem) { problems++ })
		if err == nil && problems > 0 {
			err = fmt.Errorf("%w: %d problems; nothing was copied", checkpoint.ErrCorrupt, problems)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.Directory, view.Database, view.Journal, view.Records = copied.Directory, copied.Database, copied.Journal, copied.Records
	view.Encrypted, view.NewKey = copied.Encrypted, copied.Encrypted && w.Workspace.Journal.NewKey.Text != ""
	return view, nil
}

// UndoCopy removes a copy that nobody has used.
func UndoCopy(ctx context.Context, w *pipeline.Work) (*report.JournalCopy, error) {
	removed, err := w.Workspace.RemoveShared(ctx, w.Env)
	if err != nil {
		return nil, err
	}
	return &report.JournalCopy{Directory: removed.Directory, Database: removed.Database, Journal: removed.Journal, Undone: true}, nil
}

// Migrate creates the tables of the shared journal, or brings them up to date.
func Migrate(_ context.Context, w *pipeline.Work) (*report.Migration, error) {
	before, after, err := w.Workspace.Migrate()
	return &report.Migration{Before: before, After: after}, err
}

// Rekey encrypts the journal with its new key.
func Rekey(ctx context.Context, w *pipeline.Work) (*report.Rekeyed, error) {
	return closed(ctx, w, "journal rekey", func(dir string, options workspace.Opening) (*report.Rekeyed, error) {
		key, err := w.Workspace.Journal.NewKey.Parse()
		if err == nil && key == nil {
			err = problem.Usagef("which key? set %s", w.Workspace.Journal.NewKey.From)
		}
		if err != nil {
			return nil, err
		}
		return &report.Rekeyed{Encrypted: true}, options.Rewrite(ctx, dir, key)
	})
}

// Unpause ends the waits that the service has asked for, and the limits that it has said are reached.
func Unpause(ctx context.Context, w *pipeline.Work) (*report.Unpaused, error) {
	return owned(ctx, w, "journal unpause", endWaits)
}

// endWaits ends the pauses and the limits of all accounts.
func endWaits(journal *checkpoint.Journal) (*report.Unpaused, error) {
	ended := &report.Unpaused{}
	for number := range journal.Accounts() {
		account, err := journal.For(number)
		if err != nil {
			return ended, err
		}
		until, err := account.EndPause()
		if err != nil {
			return ended, err
		}
		limits, err := account.EndLimits()
		if err != nil {
			return ended, err
		}
		if until.After(ended.Until) {
			ended.Until = until
		}
		for _, limit := range limits {
			ended.Limits = append(ended.Limits, limit.Module)
		}
	}
	return ended, nil
}

// Prune erases the answers that came before a time.
func Prune(ctx context.Context, w *pipeline.Work, before time.Time) (*report.Erasure, error) {
	return erasing(ctx, w, "journal prune", func(journal *checkpoint.Journal) (*report.Erasure, error) {
		erased, err := journal.Prune(before)
		return report.ErasureOf(erased), err
	})
}
