// This file has the commands that read from a CRM and write to it.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"payonce/configs"
	iocrm "payonce/io/crm"
	"payonce/io/crm/zoho"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// crmAccount returns the account of the CRM that the environment names.
func (o *options) crmAccount() (pipeline.CRMAccount, error) {
	get := o.env.getenv
	account := pipeline.CRMAccount{Config: zoho.Config{
		ClientID: get("ZOHO_CLIENT_ID"), ClientSecret: get("ZOHO_CLIENT_SECRET"), RefreshToken: get("ZOHO_REFRESH_TOKEN"),
		DataCenter: get("ZOHO_DATA_CENTER"), APIURL: get("ZOHO_API_URL"), AccountsURL: get("ZOHO_ACCOUNTS_URL"),
	}}
	if o.service.Sandbox {
		return account, nil
	}
	var missing []string
	for _, name := range []string{"ZOHO_CLIENT_ID", "ZOHO_CLIENT_SECRET", "ZOHO_REFRESH_TOKEN"} {
		if get(name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return account, problem.Coded("crm_not_connected", "the CRM is not connected: the environment lacks %s", report.And(missing))
	}
	return account, nil
}

func newCRMPullCommand(env environment) *cobra.Command {
	f := newCRMFlags(env)
	var which iocrm.Selection
	var ids string
	var optedOut bool
	cmd := &cobra.Command{
		Use:   "pull -o LIST",
		Short: "Write contacts of a CRM to a list",
		Long: "Read contacts of Zoho CRM and write them to a list, with the company's website from the account. Then run the\n" +
			"list with batch run, review the found values with batch crm review, and write them with batch crm push.\n\n" +
			"Choose the contacts by a view, a condition or their ids. Contacts who opted out are left out, because nothing\n" +
			"is written to them. You can pull the list again at any time: an edited file is kept beside the new one. The\n" +
			"variables ZOHO_CLIENT_ID, ZOHO_CLIENT_SECRET and ZOHO_REFRESH_TOKEN connect to the CRM." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted, exitLocked),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.output.path == "" {
				return problem.Usagef("the list needs an output; give -o FILE")
			}
			if which.IDs, err = recordIDs(ids); err != nil {
				return problem.AsUsage(err)
			}
			if which.Check() != nil {
				return problem.Usagef("the command needs one selection of contacts; give one of --view, --query and --ids")
			}
			w, err := f.work(cmd)
			if err != nil {
				return err
			}
			out, err := f.besideLists()
			if err != nil {
				return err
			}
			account, err := f.crmAccount()
			if err != nil {
				return err
			}
			view, err := w.PullCRM(cmd.Context(), account, which, optedOut, f.output.value(env, f.sources()))
			if err != nil {
				return ifInterrupted(err, "%s was not written", f.output.path)
			}
			return unlessUnread(f.show(out, view))
		},
	}
	flags := cmd.Flags()
	f.addJournalFlags(flags)
	f.service.AddWait(flags)
	f.addOutput(flags, "the contacts")
	flags.StringVar(&which.View, "view", "", "the contacts of this `VIEW`, by its id or its name")
	flags.BoolVar(&optedOut, "opted-out", false, "list contacts who opted out too; a run pays for what it finds, and nothing of it is written")
	flags.StringVar(&which.Condition, "query", "", "the contacts that fulfil this `CONDITION` of COQL, such as 'Email is null'")
	flags.StringVar(&ids, "ids", "", "the contacts with these `IDS`: with commas between them, or a file with one in each line")
	return cmd
}

// recordIDs returns the ids that a flag gives: those of a file, if it names one.
func recordIDs(given string) (ids []string, err error) {
	text, err := os.ReadFile(given)
	switch {
	case errors.Is(err, fs.ErrNotExist) || given == "":
		text = []byte(given)
	case err != nil:
		return nil, err
	}
	seen := map[string]bool{}
	for _, id := range strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(", \t\r\n;\ufeff", r) }) {
		if id = strings.TrimPrefix(id, "zcrm_"); strings.Trim(id, "0123456789") != "" {
			return nil, fmt.Errorf("--ids: %.40q is neither the id of a record nor a file that exists", id)
		}
		if !seen[id] {
			ids = append(ids, id)
		}
		seen[id] = true
	}
	return ids, nil
}

func newCRMPushCommand(env environment) *cobra.Command {
	f := newCRMFlags(env)
	var options pipeline.CRMPushOptions
	var limit configs.CountFlag
	cmd := &cobra.Command{
		Use:   "push RUN",
		Short: "Write the approved values to the records of the CRM that the list was pulled from",
		Long: "Write the approved values to the CRM, one record after the other. The command first reads each record again. A\n" +
			"value goes back to review when its record was changed since the pull or is locked, when another record has the\n" +
			"value, or when it is too long. Only empty fields are written, and never fields of mobile numbers. Workflows of\n" +
			"the CRM start only with --trigger.\n\n" +
			"The journal records each write before it is sent, and then its outcome. The same command continues after a\n" +
			"stop, and writes nothing twice. batch crm undo clears the written values.\n\n" +
			"The decisions are those of --review, or else the saved ones, and those of the rules of --auto." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitDoubt, exitInterrupted, exitLocked),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := f.work(cmd)
			if err != nil {
				return err
			}
			if options.CRM, err = f.crmAccount(); err != nil {
				return err
			}
			options.CRMOptions, options.Limit, options.DryRun = f.value(cmd, args[0]), limit.OrZero(), f.dryRun
			view, err := w.PushCRM(cmd.Context(), options)
			return f.endCRM(view, err, "nothing was written")
		},
	}
	flags := cmd.Flags()
	f.addReading(flags)
	f.addRules(flags)
	flags.StringVar(&options.Review, "review", "", "take the decisions from this review `FILE`")
	flags.Var(&limit, "limit", "write to at most this many records")
	flags.BoolVar(&options.Trigger, "trigger", false, "start the workflows of the CRM that the changes trigger")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would be written and write nothing; the lookups are already paid")
	return cmd
}

// endCRM shows the outcome of the records, and returns the error that ends the command.
func (f *crmFlags) endCRM(view *report.CRMPush, err error, otherwise string) error {
	if err != nil {
		return ifInterrupted(err, "%s", otherwise)
	}
	code := exitDone
	switch {
	case view.Stop != nil && view.Stop.Code == "crm_interrupted":
		code = exitInterrupted
	case view.Stop != nil:
		code = exitRefused
	case view.InDoubt > 0:
		code = exitDoubt
	}
	if view.Stop != nil {
		view.Advice = f.hints.For(view.Stop.Code)
	}
	if err := unlessUnread(f.show(f.env.stdout, view)); err != nil {
		return fmt.Errorf("the CRM was changed, but the summary could not be printed: %w", err)
	}
	return exitWith(code)
}

func newCRMUndoCommand(env environment) *cobra.Command {
	f := newCRMFlags(env)
	cmd := &cobra.Command{
		Use:   "undo RUN",
		Short: "Clear the fields of the CRM that batch crm push wrote",
		Long: "Clear the fields that batch crm push wrote for a run. They were empty before the push. A field that now has\n" +
			"another value keeps it. The values are then open for review again, and no rule approves them.\n\n" +
			"The command lists the fields and asks before it clears them. The same command continues after a stop." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := f.work(cmd)
			if err != nil {
				return err
			}
			account, err := f.crmAccount()
			if err != nil {
				return err
			}
			view, err := w.UndoCRM(cmd.Context(), account, args[0], func(asked *report.CRMPush) error {
				if f.yes {
					return nil
				}
				return env.askToClear(cmd.Context(), asked)
			})
			return f.endCRM(view, err, "nothing was cleared")
		},
	}
	flags := cmd.Flags()
	f.addJournalFlags(flags)
	f.service.AddWait(flags)
	flags.BoolVarP(&f.yes, "yes", "y", false, "clear without asking")
	return cmd
}

// askToClear lists the fields that an undo would clear, and returns nil when the person agrees.
func (env environment) askToClear(ctx context.Context, asked *report.CRMPush) error {
	const shown = 20
	for _, w := range asked.Writes[:min(len(asked.Writes), shown)] {
		fmt.Fprintf(env.stderr, "%s of the record %s\n", w.Field, w.Record)
	}
	if more := len(asked.Writes) - shown; more > 0 {
		fmt.Fprintf(env.stderr, "and %d more\n", more)
	}
	switch {
	case !env.canAsk:
		return problem.Unapproved("cannot_ask_undo",
			"the command asks before it clears fields of the CRM, and this is not a terminal; nothing was cleared")
	case env.confirm(ctx, fmt.Sprintf("Clear %s in %s? [y/N] ", report.Counted(len(asked.Writes), "field"), asked.CRM)):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return problem.Unapproved("", "not confirmed; nothing was cleared")
}
