package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/conformance"
	"payonce/enrich"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/service/v1"
)

// conformanceRun is the name of the run that pays for comparing.
const conformanceRun = "conformance"

// conformanceFlags say who may be looked up.
type conformanceFlags struct {
	list     string
	profiles []string
}

func newConformanceCommand(env environment) *cobra.Command {
	s := newSettings(env)
	s.name, s.limit = conformanceRun, 3
	var who conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Compare the service with its specification, rule by rule",
		Long: "Compare the service with what is specified and assumed of it, and report rule by rule whether it\n" +
			"agrees, differs or was not tested, and why. Free calls come first. With --max-spend it also sends\n" +
			"a lookup that names nobody, and looks up the first persons of --list and those of --profile-url:\n" +
			"through the workspace's journal like a run, so that nobody is paid for twice, the ceilings and the\n" +
			"rate limit hold, and the answers are there for later runs. It stands among the runs as\n" +
			conformanceRun + ". --max-spend counts what earlier comparisons spent. It does not ask: --max-spend is the consent. Ends with 4, too, when the service\n" +
			"differs." +
			exitCodes(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitLocked),
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withSession(cmd, func(session *session) error { return session.conform(cmd.Context(), who) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	s.addSharedCeilingFlags(cmd.Flags())
	s.addConformanceFlags(cmd.Flags(), &who)
	return cmd
}

func (s *settings) addConformanceFlags(flags *pflag.FlagSet, who *conformanceFlags) {
	flags.Var(&s.maxSpend, "max-spend", "the most that lookups may cost, over all comparisons; without it none is sent")
	flags.StringVar(&who.list, "list", "", "look up the first persons of this `FILE`")
	flags.Int64Var(&s.limit, "limit", s.limit, "how many persons of the list: `N`")
	flags.StringArrayVar(&who.profiles, "profile-url", nil, "look up the person of this profile `URL` (repeatable)")
	flags.Var(&s.fields, "fields", "what to find: email, phone or email,phone")
	flags.StringArrayVar(&s.mapping, "map", nil, "`FIELD=COLUMN`: the column of a field, by its header or #number; empty for none (repeatable)")
	flags.Var(&s.prefer, "prefer", "the identity that wins when a row has both")
	flags.BoolVar(&s.strict, "strict", false, "hold every field's full price, whatever is left of the free allowance")
	flags.StringVar(&s.rateCard, "rate-card", "", "read the prices from this YAML `FILE` instead of the built-in rate card")
	flags.StringVar(&s.rateOption, "rate-option", s.rateOption, "the `NAME` of the rate card's option that the workspace pays by")
	flags.StringVar(&s.job, "job", "", "the `NAME` of the job whose ceilings count (default "+conformanceRun+")")
	flags.Var(&s.approvalThreshold, "approval-threshold", "refuse a larger --max-spend than this")
}

// conform compares, reports and tells by the exit code how it went.
func (s *session) conform(ctx context.Context, who conformanceFlags) error {
	if err := s.checkConform(who); err != nil {
		return err
	}
	outliveReaders()
	j, lookups, err := s.prepareConform(ctx, who)
	if err != nil {
		return err
	}
	live, client, err := j.openLive()
	if err != nil {
		return err
	}
	defer client.Close()
	live.Lookups, live.Why = lookups, "it takes a lookup, which may be charged; allow it with --max-spend"
	sender := &journalSender{job: j, client: client}
	if s.journal != nil {
		if live.Why, err = j.openSpending(ctx, client); err != nil {
			return err
		}
		if live.Why == "" {
			live.Sender = sender
		}
	}
	found, err := sender.onRecord(func() (conformance.Report, error) { return live.Compare(ctx) })
	if err != nil {
		return err
	}
	if err := unlessUnread(s.show(report.ConformanceOf(found, s.totals(checkpoint.RunScope(conformanceRun))))); err != nil {
		return err
	}
	return s.conformed(found, sender.stop)
}

// conformed returns how the command ends.
func (s *session) conformed(found conformance.Report, stop dispatch.Stop) error {
	switch {
	case found.Count(conformance.Differs) > 0:
		return stopError{exitRefused}
	case stop != nil:
		return stopError{codeOfStop(stop)}
	case s.journal == nil:
		return nil
	}
	if doubts, _ := s.journal.InDoubt(conformanceRun); doubts > 0 {
		return stopError{exitDoubt}
	}
	return nil
}

// checkConform refuses what nobody can want.
func (s *session) checkConform(who conformanceFlags) error {
	switch limit, threshold := s.maxSpend.Amount, s.approvalThreshold.Amount; {
	case s.limit == 0: // which means no bound elsewhere
		return usagef("--limit 0: choose 1 or more")
	case limit == nil && (who.list != "" || len(who.profiles) > 0):
		return usagef("looking people up needs --max-spend USD, the most that it may cost; nothing was sent")
	case limit != nil && threshold != nil && *limit > *threshold:
		return usagef("--max-spend %s is above --approval-threshold %s; give less; nothing was sent", limit, threshold)
	}
	return nil
}

// prepareConform reads who is to be looked up, and opens the journal when somebody may
// be.
func (s *session) prepareConform(ctx context.Context, who conformanceFlags) (*job, []enrich.Lookup, error) {
	j := &job{session: s, name: conformanceRun}
	var err error
	if who.list != "" {
		if j, err = prepareJob(s, []string{who.list}); err != nil {
			return nil, nil, err
		}
	}
	if _, err := j.priceSources(); err != nil { // for what is wrong in a rate card, before a journal is begun
		return nil, nil, err
	}
	j.scope.Wanted = enrich.Fields(s.fields)
	lookups, err := j.profileLookups(who.profiles)
	if err != nil {
		return nil, nil, err
	}
	if s.maxSpend.Amount != nil {
		if err := s.openJournal(conformanceRun); err != nil {
			return nil, nil, err
		}
		listed, err := j.listLookups(ctx)
		if err != nil {
			return nil, nil, err
		}
		lookups = append(lookups, listed...)
	}
	// The lookup that names nobody asks for an email: that needs a price, too.
	j.scope.Wanted = j.scope.Wanted.With(enrich.WorkEmail)
	return j, lookups, j.choosePrices()
}

// profileLookups returns the lookups of the persons of profiles.
func (j *job) profileLookups(profiles []string) ([]enrich.Lookup, error) {
	var lookups []enrich.Lookup
	for _, address := range profiles {
		who, reason := enrich.Contact{ProfileURL: address}.Identify(enrich.ByProfile)
		if reason != "" {
			return nil, usagef("--profile-url %s: %s", address, reason)
		}
		lookups = append(lookups, enrich.Lookup{Identity: who, Fields: j.scope.Wanted})
	}
	return lookups, nil
}

// listLookups returns the lookups of the first persons of the list, if there is one,
// that the journal has no answer for.
func (j *job) listLookups(ctx context.Context) ([]enrich.Lookup, error) {
	if j.list == nil {
		return nil, nil
	}
	if err := j.take(ctx); err != nil {
		return nil, err
	}
	next, done := j.survey.Lookups(ctx, j.list)
	defer done()
	var lookups []enrich.Lookup
	for {
		lookup, err := next()
		if errors.Is(err, io.EOF) {
			return lookups, nil
		}
		if err != nil {
			return nil, err
		}
		lookups = append(lookups, lookup)
	}
}

// openLive returns the service to be compared, without a way to spend, and the client
// that has one.
func (j *job) openLive() (*conformance.Live, *v1.Client, error) {
	config, err := j.serviceConfig()
	if err != nil {
		return nil, nil, err
	}
	client, err := v1.NewClient(config)
	if err != nil {
		return nil, nil, usageError{err}
	}
	other, stranger := config, config
	stranger.Key = "no-key-of-any-workspace"
	if other.Transport = v1.MCP; config.Transport == v1.MCP {
		other.Transport = v1.REST
	}
	card, option, err := j.settings.option()
	if err != nil {
		return nil, nil, err
	}
	live := &conformance.Live{Client: client.StatusClient, Now: j.env.now, Card: card, Prices: option.Prices, Tools: specifiedTools}
	if j.sandbox {
		live.Tools = sandboxTools
	}
	otherClient, err := v1.NewStatusClient(other)
	if err != nil {
		return nil, nil, usageError{err}
	}
	strangerClient, err := v1.NewStatusClient(stranger)
	live.Other, live.Stranger = otherClient, strangerClient
	return live, client, asUsage(err)
}

// How many tools the MCP endpoint lists: by the specification, and in the sandbox, which
// has those whose names are known.
const (
	specifiedTools = 12
	sandboxTools   = 4
)
