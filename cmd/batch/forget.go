package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
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
			"  --email EMAIL    an email of the person\n"+
			"  --phone NUMBER   the phone that was found\n"+
			"  --name NAME      the full name; it finds namesakes, of which you choose\n\n"+
			"The command finds every lookup whose identity is the person's, or whose answer has the person's\n"+
			"profile, email or phone, or the name at the person's company, under any identity. It lists them and\n"+
			"asks before it erases them. An answer about others that mentions the person, such as the shareholders\n"+
			"of a company or a page of a search, keeps the rest.\n\n"+
			"A name alone does not identify a person. Lookups and mentions of the same name are listed with a\n"+
			"RECORD, the company, the time, the run and its list, and stay. --also RECORD erases one of them too,\n"+
			"and what is then certainly of the same person; --all-namesakes erases all. In a terminal you are asked\n"+
			"which of them are the person.\n\n"+
			"Lists of jobs that wait beside the journal are removed when they name the person; the job makes them\n"+
			"again. Outputs, backups and the history of the shell keep what they have.",
		func(ctx context.Context, w *pipeline.Work) (report.Report, error) {
			person, err := who.person()
			if err != nil {
				return nil, err
			}
			env := env
			env.stdin = bufio.NewReader(env.stdin) // of both questions
			done, err := inspect.Forget(ctx, w, person, erasureQuestions{ctx, env, yes})
			if err != nil {
				return nil, unlessErased(err)
			}
			return done, nil
		}, exitApproval)
	flags := cmd.Flags()
	flags.StringVar(&who.contact.ProfileURL, "profile-url", "", "the person's profile `URL`")
	flags.StringVar(&who.contact.FirstName, "first-name", "", "the person's first `NAME`")
	flags.StringVar(&who.contact.LastName, "last-name", "", "the person's last `NAME`")
	flags.StringVar(&who.contact.CompanyDomain, "company-domain", "", "the company's `DOMAIN`")
	flags.StringVar(&who.contact.CompanyName, "company-name", "", "the company's `NAME`")
	flags.StringVar(&who.email, "email", "", "an `EMAIL` of the person")
	flags.StringVar(&who.phone, "phone", "", "the phone `NUMBER` that was found")
	flags.StringVar(&who.name, "name", "", "the person's full `NAME`: list what has it")
	flags.StringSliceVar(&who.also, "also", nil, "also erase this `RECORD` of a namesake (repeatable)")
	flags.BoolVar(&who.all, "all-namesakes", false, "also erase everything that has the person's name")
	flags.BoolVarP(&yes, "yes", "y", false, "erase what is found without asking")
	return cmd
}

// erasureQuestions asks what is erased.
type erasureQuestions struct {
	ctx context.Context
	env environment
	yes bool // nobody is asked
}

// Choose lists the namesakes with numbers, and asks which of them are the person.
func (e erasureQuestions) Choose(found *report.Erasure) (records []string, err error) {
	if e.yes || !e.env.canAsk {
		return nil, nil
	}
	fmt.Fprintln(e.env.stderr, "These have the name, and nothing says whether they are the person:")
	for i, namesake := range found.Namesakes {
		fmt.Fprintf(e.env.stderr, "%3d  %s\n", i+1, namesake.Whole())
	}
	q := &questions{in: bufio.NewReader(e.env.stdin), out: e.env.stderr}
	for {
		answer, err := q.line(e.ctx, "Which of them are the person, too? Give numbers such as 1,3, or all; Enter for none: ")
		if e.ctx.Err() != nil {
			return nil, ifInterrupted(e.ctx.Err(), "nothing was erased")
		}
		if err != nil {
			return nil, nil // the answers ended; so does the question whether to erase
		}
		if records, err = chosenOf(found.Namesakes, answer); err == nil {
			return records, nil
		}
		fmt.Fprintln(e.env.stderr, err)
	}
}

// chosenOf returns the records of the namesakes that an answer chooses.
func chosenOf(namesakes []report.HeldLookup, answer string) (records []string, err error) {
	isBetween := func(r rune) bool { return r == ',' || r == ' ' }
	for word := range strings.FieldsFuncSeq(answer, isBetween) {
		if strings.EqualFold(word, "all") {
			for _, namesake := range namesakes {
				records = append(records, namesake.Record)
			}
			continue
		}
		number, err := strconv.Atoi(word)
		if err != nil || number < 1 || number > len(namesakes) {
			return nil, fmt.Errorf("%q is not a number from 1 to %d", word, len(namesakes))
		}
		records = append(records, namesakes[number-1].Record)
	}
	return records, nil
}

// Confirm shows what is about to be erased and asks.
func (e erasureQuestions) Confirm(found *report.Erasure) error {
	env := e.env
	if e.yes || len(found.Lookups) == 0 {
		return nil
	}
	for _, lookup := range found.Lookups {
		fmt.Fprintln(env.stderr, lookup)
	}
	if len(found.Namesakes) > 0 {
		fmt.Fprintln(env.stderr, "These have only the name in common and are not erased; --also RECORD erases one too:")
	}
	for _, namesake := range found.Namesakes {
		fmt.Fprintln(env.stderr, namesake.Choice())
	}
	return env.askToErase(e.ctx, question(found.Lookups))
}

// question asks whether lookups and mentions are to be erased.
func question(found []report.HeldLookup) string {
	var counts []string
	mentions := int64(0)
	for _, held := range found {
		if held.Mention != "" {
			mentions++
		}
	}
	if lookups := int64(len(found)) - mentions; lookups > 0 {
		counts = append(counts, report.Lookups(lookups))
	}
	if mentions > 0 {
		counts = append(counts, report.Counted(mentions, "mention")+" in answers about others")
	}
	return "Erase " + strings.Join(counts, " and ") + "? [y/N] "
}

// forgetFlags name a person.
type forgetFlags struct {
	contact            enrich.Contact
	email, phone, name string
	also               []string
	all                bool
}

// person returns who is named, by exactly one way.
func (f forgetFlags) person() (checkpoint.Person, error) {
	person, err := f.named()
	person.Chosen, person.AllNamesakes = f.also, f.all
	return person, err
}

func (f forgetFlags) named() (checkpoint.Person, error) {
	named := f.contact
	named.ProfileURL = ""
	ways := 0
	for _, given := range []bool{f.contact.ProfileURL != "", named != (enrich.Contact{}), f.email != "", f.phone != "", f.name != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return checkpoint.Person{}, problem.Usagef("name a person in one way: --profile-url, --email, --phone, --name, or first name, last name and company")
	}
	if f.email != "" || f.phone != "" || f.name != "" {
		return checkpoint.Person{Email: f.email, Phone: f.phone, Name: f.name}, nil
	}
	identity, reason := f.contact.Identify(enrich.ByProfile)
	if reason != "" {
		return checkpoint.Person{}, problem.Usagef("this does not identify a person: %s", reason)
	}
	return checkpoint.Person{Identity: identity}, nil
}
