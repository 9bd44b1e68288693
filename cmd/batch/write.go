package main

import (
	"github.com/spf13/cobra"

	"payonce/pipeline/problem"
)

func newWriteCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "write RUN -o OUT",
		Short: "Write the output of a run again, from the journal",
		Long:  "Write the output of a run again, from its list and the journal. Nothing is sent." + exitHelp(exitDone, exitInternal, exitUsage, exitDoubt, exitInterrupted, exitLocked),
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.output.path == "" {
				return problem.Usagef("there is no output; give -o FILE")
			}
			w, err := o.work(cmd)
			if err != nil {
				return err
			}
			out, err := o.besideLists()
			if err != nil {
				return err
			}
			written, err := w.Write(cmd.Context(), args[0], o.list.Value(cmd.Context(), env.stdin, env.now), o.output.value(env, o.sources()))
			if err != nil {
				return ifInterrupted(err, "%s was not written", o.output.path)
			}
			env.outliveReaders() // now that no list is written to one any more
			if err := unlessUnread(o.show(out, written)); err != nil {
				return err
			}
			return exitWith(codeOfRows(written.Rows))
		},
	}
	o.addJournalFlags(cmd.Flags())
	o.list.AddReading(cmd.Flags())
	o.list.AddSelected(cmd.Flags())
	o.list.AddAccepting(cmd.Flags())
	cmd.Flags().StringVarP(&o.output.path, "output", "o", "", "write the enriched list to this `FILE`")
	o.addRejectsFlag(cmd.Flags())
	return cmd
}
