package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/io/sandbox"
	sandboxunits "payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// codes stands for the words of a command: it returns the code itself.
func codes(code string, _ ...any) string { return code }

// optionsFor returns options for a service at an address, with a journal below a directory.
func optionsFor(address, state string) workspace.Options {
	rate := checkpoint.Rate{Slots: 30, Window: time.Minute}
	return workspace.Options{
		Journal: workspace.Journal{State: state, Name: "default", Key: workspace.Key{From: "THE_KEY"}},
		Services: []provider.Service{
			{Provider: providerv1.Provider{}, BaseURL: address, Key: sandbox.DefaultKey, Timeout: time.Minute, Connections: 2, Rate: rate, Kept: rate},
			{Provider: providerv2.Provider{}},
		},
	}
}

// diagnose runs all checks.
func diagnose(t *testing.T, options workspace.Options) *Diagnosis {
	t.Helper()
	env := workspace.Environment{Now: time.Now, Program: "batch", Version: "0"}
	found, err := Diagnose(t.Context(), env, options, provider.Budget{}, codes, error.Error)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// of returns the results of one check with a result.
func of(d *report.Diagnosis, check, result string) []report.CheckResult {
	var found []report.CheckResult
	for _, f := range d.Checks {
		if f.Check == check && f.Result == result {
			found = append(found, f)
		}
	}
	return found
}

func serve(t *testing.T) *workspace.Embedded {
	t.Helper()
	return serveWith(t, sandbox.DefaultConfig())
}

// serveWith starts a service with a configuration.
func serveWith(t *testing.T, config sandbox.Config) *workspace.Embedded {
	t.Helper()
	service, err := workspace.ServeSandbox(config, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	return service
}

func TestAServiceThatIsSoundIsUsableAndNothingIsSentOrLeft(t *testing.T) {
	t.Parallel()
	service, state := serve(t), filepath.Join(t.TempDir(), "state")
	found := diagnose(t, optionsFor(service.BaseURL("v1"), state))
	if !found.Report.Usable || found.Kind != 0 || found.Report.Problems > 0 {
		t.Errorf("%+v", found.Report)
	}
	for _, check := range []string{"base URL", "key", "state directory", "disk", "encryption key", "journal"} {
		if len(of(found.Report, check, report.CheckOK)) == 0 {
			t.Errorf("%s is not found to be well", check)
		}
	}
	for operation, posts := range service.Service.Ledger().Posts {
		if posts > 0 {
			t.Errorf("%d requests to %s", posts, operation)
		}
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("the place of the journals was made")
	}
}

func TestWhatKeepsARunFromStartingSaysWhoHasToAct(t *testing.T) {
	t.Parallel()
	service := serve(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(*workspace.Options)
		check  string
		kind   problem.Kind
	}{
		"no address":            {func(o *workspace.Options) { o.Services[0].BaseURL = "" }, "base URL", problem.Usage},
		"a key of nobody":       {func(o *workspace.Options) { o.Services[0].Key = "wrong" }, "key", problem.Refused},
		"no key":                {func(o *workspace.Options) { o.Services[0].Key = "" }, "key", problem.Usage},
		"half a journal's key":  {func(o *workspace.Options) { o.Journal.Key.Text = "0a0a" }, "encryption key", problem.Usage},
		"a file in place of it": {func(o *workspace.Options) { o.Journal.State = blocked }, "state directory", problem.Usage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := optionsFor(service.BaseURL("v1"), t.TempDir())
			test.change(&options)
			found := diagnose(t, options)
			if found.Report.Usable || found.Kind != test.kind || len(of(found.Report, test.check, report.CheckProblem)) != 1 {
				t.Errorf("kind %d, %+v", found.Kind, found.Report)
			}
		})
	}
}

// A journal that another command holds does not keep a later run from starting.
func TestAJournalInUseIsAWarning(t *testing.T) {
	t.Parallel()
	service := serve(t)
	options := optionsFor(service.BaseURL("v1"), t.TempDir())
	holder := &workspace.Session{Options: options, Env: workspace.Environment{Now: time.Now, Program: "batch"}}
	if err := holder.OpenJournal(t.Context(), "run leads"); err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	found := diagnose(t, options)
	warnings := of(found.Report, "journal", report.CheckWarning)
	if !found.Report.Usable || len(warnings) != 1 || warnings[0].Advice != "journal_in_use" {
		t.Errorf("%+v", found.Report)
	}
}

// withV2 returns options for both interfaces of a sandbox.
func withV2(service *workspace.Embedded, state string) workspace.Options {
	options := optionsFor(service.BaseURL("v1"), state)
	second := &options.Services[1]
	second.BaseURL, second.Key = service.BaseURL("v2"), sandboxv2.DefaultKey
	second.Timeout, second.Rate = time.Minute, second.Interface().Rate
	return options
}

func TestTheSecondInterfaceIsCheckedWithFreeCallsAlone(t *testing.T) {
	t.Parallel()
	service := serve(t)
	for name, options := range map[string]workspace.Options{
		"both": withV2(service, t.TempDir()), "alone": withV2(service, t.TempDir()),
	} {
		if name == "alone" {
			options.Services[0].BaseURL = ""
		}
		found := diagnose(t, options)
		if !found.Report.Usable || found.Report.Problems > 0 {
			t.Errorf("%s: %+v", name, found.Report)
		}
		for check, results := range map[string]int{"v2 base URL": 1, "v2 key": 1, "v2 modules": 6, "v2 contacts": 1, "v2 rate limit": 1, "journal": 1} {
			if got := len(of(found.Report, check, report.CheckOK)); got != results {
				t.Errorf("%s: %s is found to be well %d times, want %d: %+v", name, check, got, results, found.Report.Checks)
			}
		}
		if first := len(of(found.Report, "base URL", report.CheckOK)); first > 0 != (name == "both") {
			t.Errorf("%s: v1 is found %d times", name, first)
		}
	}
	if records := service.Service.Second().Units().Records(); len(records) > 0 {
		t.Errorf("%d data operations", len(records))
	}
}

func TestWhatIsWrongWithTheSecondInterfaceIsReported(t *testing.T) {
	t.Parallel()
	service := serve(t)
	for name, test := range map[string]struct {
		change        func(*provider.Service)
		check, result string
		kind          problem.Kind
		advice        string
	}{
		"a key of nobody": {func(o *provider.Service) { o.Key = "wrong" }, "v2 key", report.CheckProblem, problem.Refused, "give_key_v2"},
		"no key":          {func(o *provider.Service) { o.Key = "" }, "v2 key", report.CheckProblem, problem.Usage, "give_key_v2"},
		"no address":      {func(o *provider.Service) { o.BaseURL = "x" }, "v2 base URL", report.CheckProblem, problem.Usage, "give_base_url_v2"},
		"a fast rate":     {func(o *provider.Service) { o.Rate.Slots = 100 }, "v2 rate limit", report.CheckWarning, 0, "give_rate_v2"},
		"another codename": {func(o *provider.Service) {
			o.Provider = providerv2.Provider{Modules: v2.Modules{Codenames: map[cost.Meter]string{v2.MeterCompanies: "company_data"}}}
		}, "v2 modules", report.CheckWarning, 0, "modules_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := withV2(service, t.TempDir())
			test.change(&options.Services[1])
			found := diagnose(t, options)
			results := of(found.Report, test.check, test.result)
			if len(results) != 1 || results[0].Advice != test.advice || found.Report.Usable != (test.kind == 0) {
				t.Errorf("kind %d, %+v", found.Kind, found.Report)
			}
			if name != "no address" && found.Kind != test.kind {
				t.Errorf("kind %d, want %d", found.Kind, test.kind)
			}
		})
	}
}

func TestAChannelThatFailsForDaysIsAWarning(t *testing.T) {
	t.Parallel()
	service := serve(t)
	for name, test := range map[string]struct {
		age      time.Duration
		warnings int
	}{"for two days": {48 * time.Hour, 1}, "for an hour": {time.Hour, 0}} {
		options := optionsFor(service.BaseURL("v1"), t.TempDir())
		session := &workspace.Session{Options: options, Env: workspace.Environment{Now: time.Now, Program: "batch"}}
		if err := session.OpenJournal(t.Context(), "test"); err != nil {
			t.Fatal(err)
		}
		if err := session.Close(); err != nil {
			t.Fatal(err)
		}
		opening, err := options.Opening(session.Env, "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := options.Dir()
		if err != nil {
			t.Fatal(err)
		}
		alert := record.Alert{Job: "nightly", Kind: "failure", At: time.Now().Add(-test.age), Deliveries: []record.Delivery{
			{Channel: "ops", Tries: 3, Tried: time.Now(), Error: "the receiver answered 500 Internal Server Error"},
		}}
		err = workspace.WithStore(t.Context(), dir, opening, func(s record.Store) error {
			writes, err := checkpoint.AddAlerts(s, []record.Alert{alert})
			if err != nil {
				return err
			}
			return s.Commit(writes)
		})
		if err != nil {
			t.Fatal(err)
		}
		found := diagnose(t, options)
		warnings := of(found.Report, "alerts", report.CheckWarning)
		if len(warnings) != test.warnings || !found.Report.Usable {
			t.Errorf("%s: %+v", name, found.Report.Checks)
		}
		for _, warning := range warnings {
			if !strings.HasPrefix(warning.Found, "the channel ops has not accepted alerts of the job nightly since ") || warning.Advice != "look_at_channel" {
				t.Errorf("%s: %+v", name, warning)
			}
		}
	}
}

// counting diagnoses with one unit of companies that may be used, on a service with a mapping of modules.
func counting(t *testing.T, service *workspace.Embedded, state string, modules v2.Modules) *Diagnosis {
	t.Helper()
	options := withV2(service, state)
	provider.Change(options.Services, func(p *providerv2.Provider) { p.Modules = modules })
	env := workspace.Environment{Now: time.Now, Program: "batch", Version: "0"}
	limits := provider.Budget{Units: map[string]int64{"companies": 1, "contacts": 1}}
	found, err := Diagnose(t.Context(), env, options, limits, codes, error.Error)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOnePaidCallShowsThatTheCountersMoveAsTheMappingSays(t *testing.T) {
	t.Parallel()
	service, state := serve(t), t.TempDir()
	found := counting(t, service, state, v2.Modules{})
	results := of(found.Report, v2Counting, report.CheckOK)
	if len(results) != 1 || results[0].Found != "a call of prospecting used 1 unit of companies" || !found.Report.Usable {
		t.Errorf("%+v", found.Report.Checks)
	}
	if records := service.Service.Second().Units().Records(); len(records) != 1 {
		t.Errorf("%d calls, want 1", len(records))
	}
	// The limit counts the units of all checks, so that nothing is sent any more.
	found = counting(t, service, state, v2.Modules{})
	if results = of(found.Report, v2Counting, report.CheckWarning); len(results) != 1 || !strings.Contains(results[0].Found, "max-units") {
		t.Errorf("%+v", found.Report.Checks)
	}
	if records := service.Service.Second().Units().Records(); len(records) != 1 {
		t.Errorf("%d calls, want 1", len(records))
	}
}

// TestUnitsThatAnotherModuleCountedAreAWarning: the journal booked them on the assumed one.
func TestUnitsThatAnotherModuleCountedAreAWarning(t *testing.T) {
	t.Parallel()
	for name, moved := range map[string]map[string]sandboxunits.Module{
		"the assumed module": nil,
		"another module":     {"POST /prospecting": sandboxunits.Ownership},
	} {
		config, state := sandbox.DefaultConfig(), t.TempDir()
		config.V2.Modules = moved
		service := serveWith(t, config)
		counting(t, service, state, v2.Modules{})
		found := of(diagnose(t, withV2(service, state)).Report, "v2 modules", report.CheckWarning)
		if len(found) != len(moved) {
			t.Errorf("%s: %+v", name, found)
		}
		for _, f := range found {
			if !strings.HasPrefix(f.Found, "units that were booked as 1 of companies were counted on ownership: ") || f.Advice != "module_differs" {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

func TestCountersAreNotCheckedWithoutALimitOnAModuleOfSearches(t *testing.T) {
	t.Parallel()
	service := serve(t)
	env := workspace.Environment{Now: time.Now, Program: "batch", Version: "0"}
	limits := provider.Budget{Units: map[string]int64{"financials": 1}}
	found, err := Diagnose(t.Context(), env, withV2(service, t.TempDir()), limits, codes, error.Error)
	if err != nil {
		t.Fatal(err)
	}
	results := of(found.Report, v2Counting, report.CheckWarning)
	if len(results) != 1 || !strings.HasSuffix(results[0].Found, "a limit on units of companies or contacts is needed") {
		t.Errorf("%+v", found.Report.Checks)
	}
	if records := service.Service.Second().Units().Records(); len(records) > 0 {
		t.Errorf("%d calls", len(records))
	}
}

func TestCountersAreNotCheckedWhereSomethingIsWrong(t *testing.T) {
	t.Parallel()
	service := serve(t)
	options := withV2(service, t.TempDir())
	options.Services[1].Key = "wrong"
	env := workspace.Environment{Now: time.Now, Program: "batch", Version: "0"}
	limits := provider.Budget{Units: map[string]int64{"companies": 1}}
	found, err := Diagnose(t.Context(), env, options, limits, codes, error.Error)
	if err != nil {
		t.Fatal(err)
	}
	if results := of(found.Report, v2Counting, report.CheckWarning); len(results) != 1 || found.Report.Usable {
		t.Errorf("%+v", found.Report.Checks)
	}
	if records := service.Service.Second().Units().Records(); len(records) > 0 {
		t.Errorf("%d calls", len(records))
	}
}

func TestAWrongMappingOfModulesIsAProblemWithTheLineThatCorrectsIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		operations, codenames map[string]string
		want                  string
	}{
		"another module":   {map[string]string{"prospecting": "contacts"}, nil, "where contacts is expected; write this line in the configuration: service-assumptions: {modules: {prospecting: companies}}; others may have used the account meanwhile"},
		"another codename": {nil, map[string]string{"companies": "firms"}, "where firms is expected; write this line in the configuration: service-assumptions: {module-codenames: {companies: companies}}; others may have used the account meanwhile"},
	} {
		modules, err := v2.ParseModules(test.operations, test.codenames)
		if err != nil {
			t.Fatal(err)
		}
		found := counting(t, serve(t), t.TempDir(), modules)
		results := of(found.Report, v2Counting, report.CheckProblem)
		if len(results) != 1 || !strings.HasSuffix(results[0].Found, test.want) || found.Report.Usable || found.Kind != problem.Usage {
			t.Errorf("%s: %+v", name, found.Report.Checks)
		}
	}
}
