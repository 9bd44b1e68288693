package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/crm"
	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/v2"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// sandboxFlags hold the flags of the sandbox command.
type sandboxFlags struct {
	listen       string
	ledger       string
	seed         uint64
	rate         configs.RateFlag
	latency      string
	matchEmail   configs.ShareFlag
	matchPhone   configs.ShareFlag
	unknown      configs.ShareFlag
	freeEmails   int64
	freePhones   int64
	included     configs.MoneyFlag
	prepaid      configs.MoneyFlag
	budget       configs.CapFlag
	plan         configs.ChoiceFlag
	attemptLimit int
	faults       []string
	admin        string
	assumed      *assumptions // of the configuration

	// Of the second interface.
	rateV2     configs.RateFlag
	units      []string
	dailyUnits []string

	// Of the CRM.
	contacts int
	editing  configs.ShareFlag
}

// newSandboxCommand returns the command that serves the sandbox.
func newSandboxCommand(env environment) *cobra.Command {
	defaults := sandbox.DefaultConfig()
	var config string
	f := &sandboxFlags{
		assumed:    newAssumptions(),
		rate:       configs.RateFlag{Slots: defaults.Window.Limit, Window: defaults.Window.Per},
		matchEmail: configs.ShareFlag(defaults.MatchRates[v1.WorkEmail] * 100),
		matchPhone: configs.ShareFlag(defaults.MatchRates[v1.BusinessPhone] * 100),
		unknown:    configs.ShareFlag(defaults.UnknownRate * 100),
		plan:       configs.ChoiceFlag{Value: defaults.Plan},
		contacts:   defaults.CRM.Contacts,
		rateV2:     configs.RateFlag{Slots: defaults.V2.Window.Limit, Window: defaults.V2.Window.Per},
	}
	for _, option := range defaults.Card.Options {
		f.plan.Choices = append(f.plan.Choices, option.Name)
	}
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Serve the embedded service, with faults on request",
		Long: "Serve the service of the specification on the loopback interface, over REST and MCP, on made-up\n" +
			"people: for rehearsals and tests. It charges made-up money, and like the service it charges\n" +
			"twice when it is asked twice. Its key is SERVICE_API_KEY, or " + sandbox.DefaultKey + " when that is not set.\n" +
			"The second interface, on companies and people, is served beside it at /v2. It counts units. Its\n" +
			"key is SERVICE_V2_API_KEY, or " + v2.DefaultKey + ".\n" +
			"A CRM with contacts of the same people and the interface of Zoho CRM is served at /crm/v8.\n\n" +
			"--admin serves what the owner's dashboard does and faults on request, as JSON: GET / lists the\n" +
			"calls. Its bearer token is SANDBOX_ADMIN_TOKEN, or one that is made and printed.",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if config != "" {
				if f.assumed, err = readAssumptions(cmd.Root(), config, env); err != nil {
					return problem.AsUsage(err)
				}
			}
			return f.serve(cmd.Context(), env)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8321", "the loopback `ADDRESS` to listen on; port 0 takes a free one")
	flags.StringVar(&f.ledger, "books", "", "keep the ledger in this `FILE`, so that it survives a restart")
	flags.Uint64Var(&f.seed, "seed", defaults.Seed, "decides who is known, and every value")
	flags.Var(&f.rate, "rate", "lookups in a rolling window")
	flags.StringVar(&f.latency, "latency", "0s", "how long a lookup takes: `DURATION` or MIN-MAX, such as 50ms-250ms")
	flags.Var(&f.matchEmail, "match-email", "the share of known people with a work email")
	flags.Var(&f.matchPhone, "match-phone", "the share of known people with a business phone")
	flags.Var(&f.unknown, "unknown", "the share of people that the service does not know")
	flags.Int64Var(&f.freeEmails, "free-emails", defaults.Free[v1.WorkEmail], "the free allowance of work emails")
	flags.Int64Var(&f.freePhones, "free-phones", defaults.Free[v1.BusinessPhone], "the free allowance of business phones")
	flags.Var(&f.plan, "plan", "the option of the rate card that the workspace pays by")
	flags.Var(&f.included, "included", "the included balance (default that of the plan)")
	flags.Var(&f.prepaid, "prepaid", "the prepaid balance (default 951.00)")
	flags.Var(&f.budget, "budget", "the monthly usage budget, or none (default 1000.00)")
	flags.IntVar(&f.attemptLimit, "attempt-limit", 0, "the most lookups of a month; 0 for no limit")
	flags.Var(&f.rateV2, "rate-v2", "calls of each key in a rolling window, on the second interface")
	flags.StringArrayVar(&f.units, "units", nil, "the total of a module of the second interface, as `MODULE=N` (repeatable)")
	flags.StringArrayVar(&f.dailyUnits, "daily-units", nil, "the daily limit of a module, as `MODULE=N` (repeatable)")
	flags.IntVar(&f.contacts, "crm-contacts", f.contacts, "the number of contacts of the CRM")
	flags.Var(&f.editing, "crm-editing", "the share of contacts of the CRM that a simulated user edits while they are read")
	flags.StringArrayVar(&f.faults, "fault", nil, "let something go wrong, such as lost-after:p=0.02 (repeatable)")
	flags.StringVar(&f.admin, "admin", "", "serve the admin interface on this loopback `ADDRESS`, such as 127.0.0.1:8322")
	flags.StringVar(&config, "config", "", "read "+assumptionsName+" from this YAML `FILE`; its other keys are those of plan and run")
	return cmd
}

// config turns the flags into the sandbox's configuration.
func (f *sandboxFlags) config(env environment) (sandbox.Config, error) {
	config := sandbox.DefaultConfig()
	if key := env.getenv("SERVICE_API_KEY"); key != "" {
		config.Key = key
	}
	config.Seed, config.LedgerPath, config.AttemptLimit, config.Now = f.seed, f.ledger, f.attemptLimit, func() time.Time { return env.now().Add(f.assumed.clockSkew) }
	config.Window = sandbox.Window{Limit: f.rate.Slots, Per: f.rate.Window}
	config.MatchRates[v1.WorkEmail] = float64(f.matchEmail) / 100
	config.MatchRates[v1.BusinessPhone] = float64(f.matchPhone) / 100
	config.UnknownRate = float64(f.unknown) / 100
	config.Free = enrich.ByField[int64]{v1.WorkEmail: f.freeEmails, v1.BusinessPhone: f.freePhones}
	config.Plan, config.ReservationConflicts, config.MCP = f.plan.Value, f.assumed.conflicts, f.assumed.mcp
	plan, err := config.Card.Option(config.Plan)
	if err != nil {
		return config, err
	}
	config.IncludedCents = int64(plan.MonthlyIncluded / cost.Cent)
	setCents(&config.IncludedCents, f.included)
	setCents(&config.PrepaidCents, f.prepaid)
	if f.budget.None {
		config.BudgetCapCents = nil
	} else {
		setCents(config.BudgetCapCents, f.budget.MoneyFlag)
	}
	if config.Latency, err = parseLatency(f.latency); err != nil {
		return config, err
	}
	if err := f.second(&config.V2, env); err != nil {
		return config, err
	}
	if err := f.crm(&config.CRM, env); err != nil {
		return config, err
	}
	for _, text := range f.faults {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			return config, fmt.Errorf("--%w", err) // "--fault ..."
		}
		config.Faults = append(config.Faults, fault)
	}
	return config, nil
}

// second sets the account of the second interface.
func (f *sandboxFlags) second(account *v2.Config, env environment) error {
	if key := env.getenv("SERVICE_V2_API_KEY"); key != "" {
		account.Key = key
	}
	account.Window = sandbox.Window{Limit: f.rateV2.Slots, Per: f.rateV2.Window}
	account.Daily = map[kit.Module]int64{}
	if err := setUnits(account.Totals, "--units", f.units); err != nil {
		return err
	}
	return setUnits(account.Daily, "--daily-units", f.dailyUnits)
}

// crm sets the account of the CRM.
func (f *sandboxFlags) crm(account *crm.Config, env environment) error {
	for name, value := range map[string]*string{
		"ZOHO_CLIENT_ID": &account.ClientID, "ZOHO_CLIENT_SECRET": &account.ClientSecret, "ZOHO_REFRESH_TOKEN": &account.RefreshToken,
	} {
		if given := env.getenv(name); given != "" {
			*value = given
		}
	}
	account.Contacts, account.Editing = f.contacts, float64(f.editing)/100
	if f.contacts < 0 || f.contacts > maxContacts {
		return fmt.Errorf("--crm-contacts %d: give 0 to %d", f.contacts, maxContacts)
	}
	return nil
}

// maxContacts is the most contacts of the CRM, which keeps them in memory.
const maxContacts = 100_000

func setUnits(limits map[kit.Module]int64, flag string, texts []string) error {
	for _, text := range texts {
		name, number, _ := strings.Cut(text, "=")
		module := kit.Module(name)
		limit, err := strconv.ParseInt(number, 10, 64)
		if err != nil || limit < 0 || !slices.Contains(kit.Modules(), module) {
			return fmt.Errorf("%s %s: write it like companies=1000; the modules are %v", flag, text, kit.Modules())
		}
		limits[module] = limit
	}
	return nil
}

func setCents(cents *int64, v configs.MoneyFlag) {
	if v.Amount != nil {
		*cents = int64(*v.Amount / cost.Cent)
	}
}

func parseLatency(text string) (latency sandbox.Latency, err error) {
	least, most, ranged := strings.Cut(text, "-")
	if !ranged {
		most = least
	}
	latency.Min, err = time.ParseDuration(least)
	if err == nil {
		latency.Max, err = time.ParseDuration(most)
	}
	if err != nil {
		return latency, fmt.Errorf("--latency %s: write it like 200ms or 50ms-250ms", text)
	}
	return latency, nil
}

// checkLoopback refuses addresses that others could reach.
func checkLoopback(flag, address string) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return problem.Usagef("%s %s: the sandbox listens on loopback alone; write it like 127.0.0.1:8321", flag, address)
	}
	return nil
}

func (f *sandboxFlags) serve(ctx context.Context, env environment) error {
	if err := checkLoopback("--listen", f.listen); err != nil {
		return err
	}
	if f.admin != "" {
		if err := checkLoopback("--admin", f.admin); err != nil {
			return err
		}
	}
	config, err := f.config(env)
	if err != nil {
		return problem.AsUsage(err)
	}
	if config.LedgerPath != "" {
		if err := os.MkdirAll(filepath.Dir(config.LedgerPath), 0o700); err != nil {
			return problem.AsUsage(err)
		}
	}
	server, err := workspace.ServeSandbox(config, f.listen)
	if err != nil {
		return err
	}
	admin, err := f.serveAdmin(server, env)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	announce(env, server, admin)
	fmt.Fprintln(env.stderr, "sandbox: nothing here is real; Ctrl-C ends it")
	<-ctx.Done()
	return errors.Join(admin.close(), server.Close())
}
