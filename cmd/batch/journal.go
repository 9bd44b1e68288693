package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/internal/flagvalue"
	"payonce/internal/report"
)

func newJournalCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "Check, read and look after the workspace's journal",
		Long:  "Check, read and look after the workspace's journal. Nothing is sent." + exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newJournalCheckCommand(env), newJournalDumpCommand(env), newJournalPruneCommand(env), newJournalRekeyCommand(env), newJournalUnpauseCommand(env))
	return cmd
}

// journalCommand makes a command on the closed journal in a directory.
func journalCommand(env environment, use, short, long string, do func(ctx context.Context, s *settings, dir string) error) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use: use, Short: short,
		Long: long + exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			dir, err := s.existingJournal()
			if err != nil {
				return err
			}
			return asJournalError(do(cmd.Context(), s, dir))
		},
	}
	s.addJournalFlags(cmd.Flags())
	return cmd
}

// existingJournal returns the directory of the workspace's journal, which has to exist.
func (s *settings) existingJournal() (string, error) {
	dir, exists, err := s.findJournal()
	if err == nil && !exists {
		err = s.noJournal()
	}
	return dir, err
}

// findJournal returns the directory of the workspace's journal, and whether there is one.
func (s *settings) findJournal() (string, bool, error) {
	if !s.hasService() {
		return "", false, nil
	}
	dir, err := s.workspaceDir()
	if err != nil {
		return "", false, err
	}
	exists, err := badgerstore.Exists(dir)
	if err != nil {
		err = usagef("whether there is a journal cannot be seen: %w; give --state DIR or set BATCH_STATE to a directory that can be read", err)
	}
	return dir, exists, err
}

// noJournal says that the workspace has no journal.
func (s *settings) noJournal() error {
	return usagef("there is no journal yet for this service and workspace %q; it begins with the first run", s.workspace)
}

// journalOptions say how a journal and its store are opened.
type journalOptions struct {
	store   badgerstore.Options
	journal checkpoint.Options
}

// journalOptions say how the workspace's journal is opened, and what ends a walk over it.
func (s *settings) journalOptions(doing string, stop func() error) (journalOptions, error) {
	key, err := s.journalKey(journalKeyName)
	return journalOptions{
		store: badgerstore.Options{
			EncryptionKey: key,
			Holder:        fmt.Sprintf("process %d (batch %s) since %s", os.Getpid(), doing, s.env.now().Format("2006-01-02 15:04:05")),
		},
		journal: checkpoint.Options{Rate: s.journalRate(), Now: s.env.now, Stop: stop},
	}, err
}

// openJournal opens the journal in a directory, or creates it.
func openJournal(dir string, options journalOptions) (*checkpoint.Journal, error) {
	store, err := badgerstore.Open(dir, options.store)
	if err != nil {
		return nil, err
	}
	return checkpoint.New(store, options.journal)
}

// withStore calls do with the store of a closed journal, which has to exist.
func withStore(dir string, options journalOptions, do func(*badgerstore.Store) error) error {
	store, err := badgerstore.OpenExisting(dir, options.store)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// rewrite makes a fresh store of a closed journal, encrypted with a key, without what was erased.
func (o journalOptions) rewrite(dir string, key []byte) error {
	return badgerstore.Rewrite(dir, o.store, badgerstore.Copy{EncryptionKey: key, Verify: record.VerifyWhole, Stop: o.journal.Stop})
}

// otherState says what another directory for journals means.
const otherState = "the journal there is another one and buys again what it does not know"

// asJournalError makes what the user has to set right an error of usage.
func asJournalError(err error) error {
	switch {
	case errors.Is(err, badgerstore.ErrEncryptionKey):
		return usagef("%w; the key comes from %s, and %q turns encryption on or changes the key", err, journalKeyName, "batch journal rekey")
	case errors.Is(err, checkpoint.ErrNotWritable):
		return usagef("%w; make that possible, or give --state DIR or set BATCH_STATE to a directory that can be written: %s", err, otherState)
	case errors.Is(err, fs.ErrPermission):
		return usagef("%w; the journal belongs to the user who began it: work as that one, or give --state DIR: %s", err, otherState)
	}
	return err
}

func newJournalCheckCommand(env environment) *cobra.Command {
	return journalCommand(env, "check", "Verify every record of the journal and its sums",
		"Walk every record of the journal and verify what has to hold: every record can be read, every\n"+
			"attempt is open or resolved exactly once, no field is paid for twice, and the sums add up.",
		checkJournal)
}

func checkJournal(ctx context.Context, s *settings, dir string) error {
	options, err := s.journalOptions("journal check", ctx.Err)
	if err != nil {
		return err
	}
	view := &report.JournalCheck{List: []verify.Problem{}}
	err = withStore(dir, options, func(store *badgerstore.Store) (err error) {
		add := func(p verify.Problem) { view.List = append(view.List, p) }
		view.Summary, err = verify.Check(store, options.journal.Stop, add)
		return err
	})
	if err != nil {
		return err
	}
	if err = s.show(view); err == nil && len(view.List) > 0 {
		err = fmt.Errorf("%w: %d problems; restore the directory from a backup", checkpoint.ErrCorrupt, len(view.List))
	}
	return err
}

func newJournalDumpCommand(env environment) *cobra.Command {
	var values bool
	cmd := journalCommand(env, "dump", "Print every record of the journal as JSON lines",
		"Print every record of the journal, one JSON object to a line, in the order of the keys.\n"+
			"Identities and answers are masked unless --values is given.",
		func(ctx context.Context, s *settings, dir string) error {
			options, err := s.journalOptions("journal dump", ctx.Err)
			if err != nil {
				return err
			}
			return withStore(dir, options, func(store *badgerstore.Store) error {
				return verify.Dump(store, options.journal.Stop, s.env.stdout, values)
			})
		})
	cmd.Flags().Lookup("json").Usage = "changes nothing here: the records are JSON anyway"
	cmd.Flags().BoolVar(&values, "values", false, "show identities and answers")
	return cmd
}

func newJournalRekeyCommand(env environment) *cobra.Command {
	return journalCommand(env, "rekey", "Encrypt the journal with another key",
		"Rewrite the journal, encrypted with the key from "+newJournalKeyName+". The present key comes from\n"+
			journalKeyName+"; leave that unset for a journal that is not encrypted yet. A key is 32 bytes, as 64\n"+
			"hexadecimal digits or in base64. Without its key a journal is lost: keep it well.",
		rekeyJournal)
}

func rekeyJournal(ctx context.Context, s *settings, dir string) error {
	key, err := s.journalKey(newJournalKeyName)
	if err == nil && key == nil {
		err = usagef("which key? set %s", newJournalKeyName)
	}
	if err != nil {
		return err
	}
	options, err := s.journalOptions("journal rekey", ctx.Err)
	if err != nil {
		return err
	}
	if err := options.rewrite(dir, key); err != nil {
		return ifInterrupted(err, "the journal keeps the key that it had")
	}
	return s.show(&report.Rekeyed{Encrypted: true})
}

func newJournalPruneCommand(env environment) *cobra.Command {
	var keep flagvalue.Age
	cmd := journalCommand(env, "prune", "Erase the answers that are older than their retention time",
		"Erase the names, emails and phones of answers that are older than --keep-answers. What was paid\n"+
			"stays on record, and what was answered is not bought again: rows of a list that need such an\n"+
			"answer stay empty.",
		func(ctx context.Context, s *settings, dir string) error {
			if !keep.Given {
				return usagef("how old may answers get? give --keep-answers AGE, such as 180d")
			}
			return s.eraseFrom(ctx, dir, "journal prune", func(journal *checkpoint.Journal) (checkpoint.Erasure, error) {
				return journal.Prune(keep.Before(s.env.now()))
			})
		})
	cmd.Flags().Var(&keep, "keep-answers", "erase answers that came longer ago than this (180d, 12h)")
	return cmd
}

// eraseFrom erases from the journal and then rewrites it, because the bytes of
// what was erased would stay in its files otherwise.
func (s *settings) eraseFrom(ctx context.Context, dir, doing string, erase func(*checkpoint.Journal) (checkpoint.Erasure, error)) error {
	options, err := s.journalOptions(doing, ctx.Err)
	if err != nil {
		return err
	}
	journal, err := openJournal(dir, options)
	if err != nil {
		return err
	}
	erasure, err := erase(journal)
	if err = errors.Join(err, journal.Close()); err == nil {
		err = options.rewrite(dir, options.store.EncryptionKey)
	}
	if err != nil {
		return ifInterrupted(err, "what was to be erased may still be in the journal's files; run the same command again")
	}
	return s.show(&report.Erasure{Erasure: erasure})
}
