package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
)

// parsedServiceFlags returns the flags of a command line in an environment.
func parsedServiceFlags(t *testing.T, environment map[string]string, args ...string) *serviceFlags {
	t.Helper()
	f := newServiceFlags(quietEnvironment(environment))
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.AddAddresses(flags)
	f.AddJournal(flags)
	f.AddWait(flags)
	f.AddService(flags)
	f.AddPace(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return &f
}

func TestTheSecondInterfaceHasItsOwnAddressKeyAndRate(t *testing.T) {
	t.Parallel()
	environment := map[string]string{
		baseURLVariable: "https://a.example/api/v1", keyVariable: "first", "SERVICE_V2_BASE_URL": "https://b.example/v2", "SERVICE_V2_API_KEY": "second",
	}
	f := parsedServiceFlags(t, environment)
	options := f.Options()
	want := provider.Service{
		Provider: providerv2.Provider{NotFound: "Not found."}, BaseURL: "https://b.example/v2", Key: "second", Timeout: 45 * time.Second, Connections: 16,
		Rate: checkpoint.Rate{Slots: 60, Window: time.Minute}, Kept: checkpoint.Rate{Slots: 60, Window: time.Minute},
	}
	if diff := cmp.Diff(want, options.Services[1], cmpopts.EquateEmpty()); diff != "" || options.Services[0].Key != "first" || !f.Known() {
		t.Errorf("%s%+v", diff, options.Services[0])
	}
	f = parsedServiceFlags(t, environment, "--base-url-v2", "https://c.example/v2", "--rate-v2", "10/1s", "--headroom", "50%", "--timeout", "5s", "--concurrency", "3")
	if err := f.assumed.keys.Set("not-found-text", "None."); err != nil {
		t.Fatal(err)
	}
	want = provider.Service{
		Provider: providerv2.Provider{NotFound: "None."}, BaseURL: "https://c.example/v2", Key: "second", Timeout: 5 * time.Second, Connections: 3,
		Rate: checkpoint.Rate{Slots: 10, Window: time.Second}, Kept: checkpoint.Rate{Slots: 5, Window: time.Second},
	}
	if diff := cmp.Diff(want, f.Options().Services[1], cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if !parsedServiceFlags(t, map[string]string{"SERVICE_V2_BASE_URL": "https://b.example/v2"}).Known() || parsedServiceFlags(t, nil).Known() {
		t.Error("a service is known by either address, and not without one")
	}
}

func TestTheSandboxReplacesEveryAddressThatTheEnvironmentGives(t *testing.T) {
	t.Parallel()
	environment := map[string]string{baseURLVariable: "https://a.example/api/v1", "SERVICE_V2_BASE_URL": "https://b.example/v2"}
	for want, args := range map[string][]string{
		"":            {"--sandbox"},
		"base-url":    {"--sandbox", "--base-url", "https://c.example/api/v1"},
		"base-url-v2": {"--sandbox", "--base-url-v2", "https://c.example/v2"},
		"mcp-url":     {"--sandbox", "--mcp-url", "https://c.example/mcp"},
	} {
		if got := parsedServiceFlags(t, environment, args...).Excluded(); got != want {
			t.Errorf("%q excludes %q, want %q", args, got, want)
		}
	}
	if got := parsedServiceFlags(t, environment, "--base-url-v2", "https://c.example/v2").Excluded(); got != "" {
		t.Errorf("without the sandbox, %q is excluded", got)
	}
}

func TestValuesThatNoEnvironmentMakesRightAreNamed(t *testing.T) {
	t.Parallel()
	f := parsedServiceFlags(t, nil, "--workspace", "a/b", "--timeout", "0s", "--settle-delay", "11m", "--concurrency", "0")
	for key, value := range map[string]string{"request-names": "first_name=name,last_name=name", "module-codenames": "companies=contacts", "not-found-text": `{"detail": "Nothing."}`} {
		if err := f.assumed.keys.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	var flags []string
	for _, problem := range f.Problems() {
		flags = append(flags, problem.Flag)
	}
	if diff := cmp.Diff([]string{"request-names", "module-codenames", "not-found-text", "workspace", "timeout", "settle-delay", "concurrency"}, flags); diff != "" {
		t.Error(diff)
	}
}
