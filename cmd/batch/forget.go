package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/cmd/batch/exit"
	"payonce/enrich"
	"payonce/internal/app"
	"payonce/internal/inspect"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/internal/report/journalview"
)

func newForgetCommand(env environment) *cobra.Command {
	var who forgetFlags
	var yes bool
	cmd := journalCommand(env, "forget", "Erase a person from the journal",
		"Erase a person's identity and answers from the journal. What was paid stays on record, and the\n"+
			"person is never looked up again: rows of a list that name them say \"forgotten on request\".\n\n"+
			"Name the person by one of\n"+
			"  --profile-url URL\n"+
			"  --first-name NAME --last-name NAME --company-domain DOMAIN\n"+
			"  --first-name NAME --last-name NAME --company-name NAME\n"+
			"  --email EMAIL    the email that was found\n"+
			"  --phone NUMBER   the phone that was found\n\n"+
			"The command finds every lookup whose identity is the person's, or whose answer has the person's name,\n"+
			"email or phone, under any identity. It lists them and asks before it erases them.\n"+
			"The shell may keep the command in its history, and outputs and backups keep what they have.",
		func(ctx context.Context, w *app.Work) (report.Report, error) {
			person, err := who.person()
			if err != nil {
				return nil, err
			}
			done, err := inspect.Forget(ctx, w, person, func(held []journalview.HeldLookup) error {
				return confirmErasure(ctx, env, held, yes)
			})
			return done, unlessErased(err)
		}, exit.Approval)
	flags := cmd.Flags()
	flags.StringVar(&who.contact.ProfileURL, "profile-url", "", "the person's profile `URL`")
	flags.StringVar(&who.contact.FirstName, "first-name", "", "the person's first `NAME`")
	flags.StringVar(&who.contact.LastName, "last-name", "", "the person's last `NAME`")
	flags.StringVar(&who.contact.CompanyDomain, "company-domain", "", "the company's `DOMAIN`")
	flags.StringVar(&who.contact.CompanyName, "company-name", "", "the company's `NAME`")
	flags.StringVar(&who.email, "email", "", "the `EMAIL` that was found")
	flags.StringVar(&who.phone, "phone", "", "the phone `NUMBER` that was found")
	flags.BoolVarP(&yes, "yes", "y", false, "erase what is found without asking")
	return cmd
}

// confirmErasure shows what is about to be erased and asks.
func confirmErasure(ctx context.Context, env environment, held []journalview.HeldLookup, yes bool) error {
	if yes || len(held) == 0 {
		return nil
	}
	for _, lookup := range held {
		fmt.Fprintln(env.stderr, lookup)
	}
	return env.askToErase(ctx, fmt.Sprintf("Erase %s? [y/N] ", report.Lookups(int64(len(held)))))
}

// forgetFlags name a person.
type forgetFlags struct {
	contact      enrich.Contact
	email, phone string
}

// person returns who is named, by exactly one way.
func (f forgetFlags) person() (checkpoint.Person, error) {
	named := f.contact
	named.ProfileURL = ""
	ways := 0
	for _, given := range []bool{f.contact.ProfileURL != "", named != (enrich.Contact{}), f.email != "", f.phone != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return checkpoint.Person{}, problem.Usagef("name a person in one way: --profile-url, --email, --phone, or first name, last name and company")
	}
	if f.email != "" || f.phone != "" {
		return checkpoint.Person{Email: f.email, Phone: f.phone}, nil
	}
	identity, reason := f.contact.Identify(enrich.ByProfile)
	if reason != "" {
		return checkpoint.Person{}, problem.Usagef("this names nobody: %s", reason)
	}
	return checkpoint.Person{Identity: identity}, nil
}
