package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"payonce/io/sandbox"
	"payonce/pipeline/workspace"
)

// A key and a token that were given may be real ones: they are not printed.
func TestSandboxDoesNotPrintGivenSecrets(t *testing.T) {
	var out bytes.Buffer
	for _, given := range []string{"", "given-secret"} {
		env := environment{stdout: &out, getenv: func(string) string { return given }}
		f := &sandboxFlags{admin: "127.0.0.1:0"}
		server, err := workspace.ServeSandbox(sandbox.DefaultConfig(), "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		admin, err := f.serveAdmin(server, env)
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		announce(env, server, admin)
		said := out.String()
		for _, variable := range []string{"SERVICE_V2_BASE_URL=" + server.Address + "/v2", "ZOHO_ACCOUNTS_URL=" + server.Address, "ZOHO_API_URL=" + server.Address} {
			if !strings.Contains(said, variable+"\n") {
				t.Errorf("it does not say %s:\n%s", variable, said)
			}
		}
		if strings.Contains(said, "given-secret") || strings.Contains(said, "TOKEN") != (given == "") || strings.Contains(said, "KEY") != (given == "") || strings.Contains(said, "SECRET") != (given == "") {
			t.Errorf("with %q it says\n%s", given, said)
		}
		if err := errors.Join(admin.close(), server.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestSandboxReadsUnitsAndDailyUnitsOfV2 reads the totals and daily limits of modules.
func TestSandboxReadsUnitsAndDailyUnitsOfV2(t *testing.T) {
	env := environment{getenv: func(name string) string { return map[string]string{"SERVICE_V2_API_KEY": "given"}[name] }}
	cmd := newSandboxCommand(env)
	f := &sandboxFlags{units: []string{"companies=7"}, dailyUnits: []string{"contacts=3"}}
	if err := f.rateV2.Set(cmd.Flags().Lookup("rate-v2").DefValue); err != nil {
		t.Fatal(err)
	}
	account := sandbox.DefaultConfig().V2
	if err := f.second(&account, env); err != nil {
		t.Fatal(err)
	}
	if account.Totals["companies"] != 7 || account.Daily["contacts"] != 3 || account.Key != "given" || account.Window.Limit != 60 {
		t.Errorf("%+v", account.UnitConfig)
	}
	for _, wrong := range []string{"companies", "companies=x", "companies=-1", "money=1"} {
		f.units = []string{wrong}
		if err := f.second(&account, env); err == nil || !strings.Contains(err.Error(), "--units "+wrong) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
