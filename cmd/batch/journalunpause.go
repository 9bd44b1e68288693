package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"payonce/internal/report"
)

func newJournalUnpauseCommand(env environment) *cobra.Command {
	return journalCommand(env, "unpause", "End a wait that the service has asked for by mistake",
		"A service can ask to be sent nothing for a time, with a Retry-After. No run sends anything before\n"+
			"that is over; when it takes more than a day a run ends instead of waiting. This ends the wait, for\n"+
			"one that the service cannot have meant, such as a hundred years. Ask the service first.",
		unpauseJournal)
}

func unpauseJournal(ctx context.Context, s *settings, dir string) error {
	options, err := s.journalOptions("journal unpause", ctx.Err)
	if err != nil {
		return err
	}
	journal, err := openJournal(dir, options)
	if err != nil {
		return err
	}
	until, err := journal.EndPause()
	if err = errors.Join(err, journal.Close()); err != nil {
		return err
	}
	return s.show(&report.Unpaused{Until: until})
}
