package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// addPlaceFlags adds the flags that say where the service is.
func (s *settings) addPlaceFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.config, "config", "", "read flags from this YAML `FILE`; the command line wins")
	flags.StringVar(&s.baseURL, "base-url", s.baseURL, "the service's `URL` with its path prefix (SERVICE_BASE_URL)")
	flags.BoolVar(&s.sandbox, "sandbox", false, "use the embedded service: nothing is real and nothing costs money")
}

// addJournalFlags adds the flags of every command that opens a journal.
func (s *settings) addJournalFlags(flags *pflag.FlagSet) {
	s.addPlaceFlags(flags)
	flags.StringVar(&s.state, "state", s.state, "the `DIR` that holds the journals (BATCH_STATE; default the user's state directory)")
	flags.StringVar(&s.workspace, "workspace", s.workspace, "the `NAME` of the workspace; each has a journal of its own")
	flags.BoolVar(&s.json, "json", false, "print one JSON object on standard output")
}

// addServiceFlags adds the flags of every command that calls the service.
func (s *settings) addServiceFlags(flags *pflag.FlagSet) {
	flags.Var(&s.transport, "transport", "how the service is called; the journal is the same for both")
	flags.StringVar(&s.mcpURL, "mcp-url", s.mcpURL, "the service's `URL` for MCP (SERVICE_MCP_URL; default /mcp beside --base-url)")
	s.addNameFlag(flags)
	flags.DurationVar(&s.timeout, "timeout", s.timeout, "give a lookup up after this time; its outcome is then in doubt")
	flags.BoolVar(&s.sameWorkspace, "same-workspace", false, "a new API key belongs to the journal's workspace")
	flags.BoolVar(&s.exclusive, "exclusive", s.exclusive, "declare that nobody else spends from the account: then what it lost can prove which lost lookups were charged")
	flags.DurationVar(&s.settleDelay, "settle-delay", s.settleDelay, "how long the account gets to settle after a lost response, before it is looked at")
	flags.Var(&s.rate, "rate", "the service's limit: lookups in a rolling window")
	flags.Var(&s.headroom, "headroom", "the share of the limit that is left to the workspace's other users")
}

// addReadingFlags adds the flags of every command that reads a list.
func (s *settings) addReadingFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.encoding, "encoding", "", "the `ENCODING` of the list: UTF-8, UTF-16LE, UTF-16BE or Windows-1252 (default as recognised)")
	flags.StringVar(&s.sheet, "sheet", "", "the `NAME` of the sheet of a workbook (default the only one with values)")
	flags.Var(&s.memory, "memory", "the most memory that the persons of a list may take; more of them go to temporary files (default a quarter of the machine's)")
	flags.StringVar(&s.tempDir, "temp", "", "the `DIR` for temporary files (default the system's)")
}

// addNameFlag adds the flag that gives requests other names.
func (s *settings) addNameFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.requestNames, "request-name", nil,
		"`NAME=VALUE`: what the service calls a path or a member of a request, where it differs; the names are "+
			strings.Join(namesOfRequests(), ", ")+" (repeatable)")
}

// addListFlags adds the flags of plan and run.
func (s *settings) addListFlags(flags *pflag.FlagSet) {
	s.addReadingFlags(flags)
	flags.Var(&s.fields, "fields", "what to find: email, phone or email,phone")
	flags.StringArrayVar(&s.mapping, "map", nil, "`FIELD=COLUMN`: the column of a field, by its header or #number; empty for none (repeatable)")
	flags.Var(&s.prefer, "prefer", "the identity that wins when a row has both")
	flags.Var(&s.reaskMissing, "reask-missing", "ask again what came back empty, or was rejected, longer ago than this (90d, 12h)")
	flags.Int64Var(&s.limit, "limit", 0, "only the first `N` persons of the list that miss something; 0 for all")
	flags.StringVar(&s.priority, "priority", "", "look up in the order of this `COLUMN`, large numbers first; COLUMN:asc for small ones first")
	flags.BoolVar(&s.profile, "profile", false, "ask for the person's profile too; it comes back as JSON in the last column, profile")
	flags.StringVar(&s.name, "name", "", "the run's `NAME`; running it again resumes it (default from the list and the fields)")
	flags.Var(&s.pace, "pace", "burst sends what the window allows at once, even spreads it")
	flags.IntVar(&s.concurrency, "concurrency", s.concurrency, "lookups in flight at the same time")
	flags.StringVar(&s.rejects, "rejects", "", "write the rows that could not be looked up to this `FILE`, with reasons")
}

// addPriceFlags adds the flags that say what a lookup costs.
func (s *settings) addPriceFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&s.strict, "strict", false, "count every field at its full price, whatever is left of the free allowance")
	flags.StringVar(&s.rateCard, "rate-card", "", "read the prices from this YAML `FILE`; what the service tells is compared with it")
	flags.StringVar(&s.rateOption, "rate-option", s.rateOption, "the `NAME` of the rate card's option that the workspace pays by (default what the service charges now; "+defaultOption+" where it does not tell)")
}

// addCeilingFlags adds the flags that bound what a run spends, and say what it does there.
func (s *settings) addCeilingFlags(flags *pflag.FlagSet) {
	flags.Var(&s.maxSpend, "max-spend", "the most that the run may spend, over all its starts")
	flags.Var(&s.maxLookups, "max-lookups", "the most lookups that the run may send, over all its starts")
	flags.Var(&s.shortBudget, "short-budget", "when a ceiling on money is too low for a phone: stop, or go on with emails")
	flags.Var(&s.approvalThreshold, "approval-threshold", "ask, even with --yes, when this start of the run can spend more than this")
	flags.StringVar(&s.job, "job", "", "the `NAME` of the job that the run belongs to (default the run's)")
	s.addSharedCeilingFlags(flags)
}

// addSharedCeilingFlags adds the flags that bound what runs spend together.
func (s *settings) addSharedCeilingFlags(flags *pflag.FlagSet) {
	flags.Var(&s.monthly, "monthly", "the most that the job may spend in a month, by UTC")
	flags.Var(&s.daily, "daily", "the most that the job may spend in a day, by UTC")
	flags.Var(&s.workspaceMonthly, "workspace-monthly", "the most that the workspace may spend in a month, by UTC, as far as this journal knows")
}
