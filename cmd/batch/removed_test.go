package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// No command has a flag that is removed, and every removed flag names a key that the section has.
func TestRemovedFlagsAreGoneAndNameTheirKeys(t *testing.T) {
	t.Parallel()
	keys := newAssumptions().keys
	for name, flag := range removedFlags {
		if (flag.key == "") == (flag.page == "") || flag.key != "" && keys.Lookup(flag.key) == nil {
			t.Errorf("--%s: %+v is not a key of the section or a section of the docs", name, flag)
		}
	}
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if _, removed := removedFlags[flag.Name]; removed || keys.Lookup(flag.Name) != nil {
				t.Errorf("%s has --%s", cmd.CommandPath(), flag.Name)
			}
		})
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(newRootCommand(quietEnvironment(nil)))
}

// A removed flag ends every command that had it with 2 and the key in the hint.
func TestARemovedFlagNamesItsKey(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"run l.csv", "plan l.csv", "account", "doctor", "conformance", "reconcile", "budget", "search companies", "search people", "search employees l.csv",
		"ratecard import", "sandbox",
	} {
		for name, flag := range removedFlags {
			if flag.key == "" {
				continue
			}
			var stderr bytes.Buffer
			env := quietEnvironment(nil)
			env.stderr = &stderr
			code := execute(t.Context(), env, append(strings.Fields(words), "--"+name, "a=b"))
			if want := "; write " + flag.key + " under service-assumptions in the configuration file"; code != exitUsage || !strings.Contains(stderr.String(), want) {
				t.Errorf("batch %s --%s ends with %d and says %s", words, name, code, &stderr)
			}
		}
	}
}
