package main

import (
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"payonce/pipeline/report"
)

// hintFlags are the flags that name the workspace of a command and its configuration, such as
// " --config c.yaml --state d". The commands of hints take them over. Without flags it is "".
type hintFlags string

// hintFlagsOf returns the flags that name the workspace and the configuration, of those that were given, in the
// configuration too. An address with a user or a query is left out, because it may hold a password or a key.
func hintFlagsOf(flags *pflag.FlagSet) hintFlags {
	var words strings.Builder
	names := []string{"config", "sandbox"}
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "base-url" || strings.HasPrefix(flag.Name, "base-url-") {
			names = append(names, flag.Name)
		}
	})
	for _, name := range append(names, "state", "journal", "workspace") {
		flag := flags.Lookup(name)
		secret := "@"
		if strings.HasPrefix(name, "base-url") {
			secret += "?#"
		}
		switch {
		case flag == nil || !flag.Changed || flag.Value.String() == "false" || strings.ContainsAny(flag.Value.String(), secret):
		case name == "sandbox":
			words.WriteString(" --sandbox")
		default:
			words.WriteString(" --" + name + " " + report.ShellWord(flag.Value.String()))
		}
	}
	return hintFlags(words.String())
}

// inWorkspace are the commands of hints that work in a workspace.
var inWorkspace = regexp.MustCompile(`\bbatch (run|plan|runs|reconcile|account|doctor|journal (unpause|rekey|copy|migrate))\b`)

// within adds the flags to the commands in a text.
func (h hintFlags) within(text string) string {
	if h == "" {
		return text
	}
	return inWorkspace.ReplaceAllStringFunc(text, func(command string) string { return command + string(h) })
}
