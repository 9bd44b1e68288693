package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/internal/report"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
)

func newWriteCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "write RUN -o OUT",
		Short: "Write the output of a run again, from the journal",
		Long:  "Write the output of a run again, from its list and the journal. Nothing is sent." + exitCodes(exitDone, exitInternal, exitUsage, exitDoubt, exitInterrupted, exitLocked),
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.output == "" {
				return usagef("where to? give -o FILE")
			}
			return s.withJournal(cmd, "write", func(session *session) error {
				return ifInterrupted(session.writeRun(cmd.Context(), args[0]), "%s was not written", s.output)
			})
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addReadingFlags(cmd.Flags())
	cmd.Flags().StringVarP(&s.output, "output", "o", "", "write the enriched list to this `FILE`")
	cmd.Flags().StringVar(&s.rejects, "rejects", "", "write the rows that could not be looked up to this `FILE`, with reasons")
	return cmd
}

// recallJob prepares the job of a recorded run.
func recallJob(s *session, run checkpoint.Run) (*job, error) {
	s.name, s.mapping, s.limit, s.priority, s.profile = run.Name, run.Map, run.Limit, run.Priority, run.Profile
	s.encoding, s.sheet = cmp.Or(s.encoding, run.Encoding), cmp.Or(s.sheet, run.Sheet)
	if err := errors.Join(s.fields.Set(run.Fields), s.prefer.Set(run.Prefer)); err != nil {
		return nil, err
	}
	names, err := namesOf(run)
	if err != nil {
		return nil, err
	}
	return prepareJob(s, names)
}

// writeRun takes the settings of the recorded run and writes its output.
func (s *session) writeRun(ctx context.Context, name string) error {
	if err := s.keepStandardOutput(); err != nil {
		return err
	}
	run, err := s.findRun(name)
	if err != nil {
		return err
	}
	if run.Output == "" {
		return usagef("%s is a comparison with the specification and has no output; what was found is in the journal, and a run of the list gets it", run.Name)
	}
	j, err := recallJob(s, run)
	if err != nil {
		return err
	}
	recorded, err := s.recordedLists()
	if err != nil {
		return err
	}
	if err := s.checkTargets(append(s.sources(j.list.paths), recorded...)); err != nil {
		return err
	}
	output := output.Output{Scope: j.scope, Run: run.Name, Stopped: run.Stop, Profile: run.Profile}
	rows, err := s.writeOutput(ctx, output, j.list)
	if err != nil {
		return err
	}
	outliveReaders() // now that no list is written to one any more
	err = s.show(&report.Written{Run: run.Name, Output: s.output, Rows: rowsByName(rows)})
	if err = unlessUnread(err); err == nil && rows[row.StatusInDoubt]+rows[row.StatusForfeited] > 0 {
		return stopError{exitDoubt}
	}
	return err
}
