package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newJournalCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "Check, read and look after the workspace's journal",
		Long:  "Check, read and look after the workspace's journal. Nothing is sent." + exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newJournalCheckCommand(env), newJournalDumpCommand(env), newJournalPruneCommand(env), newJournalRekeyCommand(env), newJournalUnpauseCommand(env),
		newJournalCopyCommand(env), newJournalMigrateCommand(env))
	return cmd
}

func newJournalCopyCommand(env environment) *cobra.Command {
	undo := false
	o := newOptions(env)
	cmd := journalCommandOf(o, "copy", "Copy the journal from its directory to a database",
		"Copy the workspace's journal from its directory to the PostgreSQL database that --journal or\n"+
			journalVariable+" names, so that several machines can share it. The workspace must have no journal in the\n"+
			"database. Every record is compared before the copy is there. Nothing is paid from the directory any\n"+
			"more: it can only be read. Repeat the command when it was interrupted.\n"+
			"\n"+
			journalKeyVariable+" is the key of the directory. It also encrypts the copy, unless\n"+
			newJournalKeyVariable+" has another one, or --plain is given.\n"+
			"\n"+
			"--undo removes a copy that no command has written to yet, and lets runs pay from the directory again.",
		func(ctx context.Context, w *pipeline.Work) (report.Report, error) {
			if err := mustBeShared(w); err != nil {
				return nil, err
			}
			if w.Workspace.Journal.PlainCopy && w.Workspace.Journal.NewKey.Text != "" {
				return nil, problem.Usagef("--plain and %s exclude each other", newJournalKeyVariable)
			}
			if undo {
				undone, err := inspect.UndoCopy(ctx, w)
				return orNone(undone, err)
			}
			copied, err := inspect.Copy(ctx, w)
			return orNone(copied, ifInterrupted(err, "the copy is not in the database; nothing is paid from the directory until you run the same command again, or add --undo"))
		})
	cmd.Flags().BoolVar(&o.service.plainCopy, "plain", false, "do not encrypt the copy of an encrypted journal")
	cmd.Flags().BoolVar(&undo, "undo", false, "remove a copy that was not used, and pay from the directory again")
	return cmd
}

func newJournalMigrateCommand(env environment) *cobra.Command {
	return journalCommand(env, "migrate", "Create the tables of a shared journal, or bring them up to date",
		"Create the tables of shared journals in the PostgreSQL database that --journal or "+journalVariable+"\n"+
			"names, or bring tables of an older program up to date. Commands that write do this by themselves when\n"+
			"their role may: this command is for the role that owns the tables.",
		func(ctx context.Context, w *pipeline.Work) (report.Report, error) {
			if err := mustBeShared(w); err != nil {
				return nil, err
			}
			migrated, err := inspect.Migrate(ctx, w)
			return orNone(migrated, err)
		})
}

// mustBeShared refuses a workspace without a shared journal.
func mustBeShared(w *pipeline.Work) error {
	if w.Workspace.Journal.Shared == "" {
		return problem.Usagef("which database? give --journal, or set %s", journalVariable)
	}
	return nil
}

// orNone returns no report beside an error.
func orNone[R report.Report](r R, err error) (report.Report, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// journalCommand makes a command on the closed journal of the workspace. It can end with the
// codes of every such command, and with more.
func journalCommand(env environment, use, short, long string, do func(ctx context.Context, w *pipeline.Work) (report.Report, error), more ...int) *cobra.Command {
	return journalCommandOf(newOptions(env), use, short, long, do, more...)
}

// journalCommandOf is journalCommand with options.
func journalCommandOf(o *options, use, short, long string, do func(ctx context.Context, w *pipeline.Work) (report.Report, error), more ...int) *cobra.Command {
	codes := append([]int{exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked}, more...)
	slices.Sort(codes)
	cmd := &cobra.Command{
		Use: use, Short: short,
		Long: long + exitHelp(codes...),
		RunE: o.command(func(cmd *cobra.Command, w *pipeline.Work, _ []string) (report.Report, error) {
			return do(cmd.Context(), w)
		}),
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddWait(cmd.Flags())
	return cmd
}

func newJournalCheckCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Verify every record of the journal and its sums",
		Long: "Walk every record of the journal and verify what has to hold: every record can be read, every\n" +
			"attempt is open or resolved exactly once, no field is paid for twice, and the sums add up." +
			exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := o.work(cmd)
			if err != nil {
				return err
			}
			found, err := inspect.Check(cmd.Context(), w)
			if err != nil {
				return err
			}
			if err := o.show(env.stdout, found); err != nil {
				return err
			}
			return inspect.Damage(found)
		},
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddWait(cmd.Flags())
	return cmd
}

func newJournalDumpCommand(env environment) *cobra.Command {
	var values bool
	cmd := journalCommand(env, "dump", "Print every record of the journal as JSON lines",
		"Print every record of the journal, one JSON object to a line, in the order of the keys.\n"+
			"Identities and answers are masked unless --values is given.",
		func(ctx context.Context, w *pipeline.Work) (report.Report, error) {
			return nil, inspect.Dump(ctx, w, env.stdout, values)
		})
	cmd.Flags().Lookup("json").Usage = "has no effect: the records are always JSON"
	cmd.Flags().BoolVar(&values, "values", false, "show identities and answers")
	return cmd
}

func newJournalRekeyCommand(env environment) *cobra.Command {
	return journalCommand(env, "rekey", "Encrypt the journal with another key",
		"Rewrite the journal, encrypted with the key from "+newJournalKeyVariable+". The present key comes from\n"+
			journalKeyVariable+"; leave that unset for a journal that is not encrypted yet. A key is 32 bytes, as 64\n"+
			"hexadecimal digits or in base64. Without its key a journal is lost: keep it well.",
		func(ctx context.Context, w *pipeline.Work) (report.Report, error) {
			done, err := inspect.Rekey(ctx, w)
			return done, ifInterrupted(err, "the journal keeps the key that it had")
		})
}

func newJournalPruneCommand(env environment) *cobra.Command {
	var (
		keep   configs.AgeFlag
		export string
		yes    bool
	)
	formulas := configs.Formulas()
	cmd := journalCommand(env, "prune", "Erase the answers that are older than their retention time",
		"Erase the answers that are older than --keep-answers, and the names that were asked for. What was paid\n"+
			"stays on record, and what was answered is not bought again: rows of a list that need such an\n"+
			"answer stay empty. It shows what it will erase and which outputs need it, and asks.",
		func(ctx context.Context, w *pipeline.Work) (report.Report, error) {
			if !keep.Given {
				return nil, problem.Usagef("there is no age of answers; give --keep-answers AGE, such as 180d")
			}
			w.Env.Raw = configs.KeepsFormulas(formulas)
			done, err := env.prune(ctx, w, keep.Before(env.now()), export, yes)
			return done, unlessErased(err)
		}, exitApproval)
	cmd.Flags().Var(&keep, "keep-answers", "erase answers that are older than this (180d, 12h)")
	cmd.Flags().StringVar(&export, "export", "", "first write what is erased to this CSV `FILE`")
	cmd.Flags().Var(&formulas, "formulas", configs.FormulasHelp)
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask before lookups are erased")
	return cmd
}

// prune erases the lookups that ended before a time. It shows them, asks unless the answer is yes, and writes them to
// a file when one is named.
func (env environment) prune(ctx context.Context, w *pipeline.Work, before time.Time, export string, yes bool) (*report.Erasure, error) {
	if export != "" {
		if err := output.CheckTarget(export, nil); err != nil {
			return nil, err
		}
	}
	expiring, err := inspect.Expiring(ctx, w, before, "")
	if err != nil {
		return nil, err
	}
	expiring.Exported = export
	if expiring.Lookups > 0 {
		if err := report.WriteText(env.stderr, expiring, hintOf); err != nil {
			return nil, err
		}
	}
	if expiring.Lookups > 0 && !yes {
		if err := env.askToErase(ctx, fmt.Sprintf("Erase %s for ever? [y/N] ", report.Lookups(expiring.Lookups))); err != nil {
			return nil, err
		}
	}
	if export != "" { // only now: without approval no file is left
		if _, err := inspect.Expiring(ctx, w, before, export); err != nil {
			return nil, err
		}
	}
	return inspect.Prune(ctx, w, before)
}

// askToErase returns nil when somebody agrees to what a command erases.
func (env environment) askToErase(ctx context.Context, question string) error {
	switch {
	case !env.canAsk:
		return problem.Unapproved("cannot_ask_erase",
			"the command asks before it erases, and this is not a terminal; nothing was erased")
	case env.confirm(ctx, question):
		return nil
	case ctx.Err() != nil:
		return ifInterrupted(ctx.Err(), "nothing was erased")
	}
	return problem.Unapproved("", "not confirmed; nothing was erased")
}

// unlessErased says what an interrupted erasure leaves.
func unlessErased(err error) error {
	return ifInterrupted(err, "what was to be erased may still be in the journal's files; run the same command again")
}

func newJournalUnpauseCommand(env environment) *cobra.Command {
	return journalCommand(env, "unpause", "End a wait that the service has asked for by mistake",
		"A service can ask to be sent nothing for a time, with a Retry-After. No run sends anything before\n"+
			"that is over; when it takes more than a day a run ends instead of waiting. This ends the wait, for\n"+
			"one that the service cannot have meant, such as a hundred years. Ask the service first.\n\n"+
			"It also ends limits of modules that are reached, for example when the account has more units and\n"+
			"does not show them.",
		func(ctx context.Context, w *pipeline.Work) (report.Report, error) { return inspect.Unpause(ctx, w) })
}
