// This file says what took the place of flags that earlier versions had.

package main

import (
	"github.com/spf13/cobra"

	"payonce/pipeline/problem"
)

// removedFlag is what took the place of a flag: a key of the section of assumptions, or a section of docs/nightly.md.
type removedFlag struct{ key, page string }

// removedFlags are the flags that were removed, by their names.
var removedFlags = map[string]removedFlag{
	"modules":               {key: "modules"},
	"module-codenames":      {key: "module-codenames"},
	"request-name":          {key: "request-names"},
	"not-found-text":        {key: "not-found-text"},
	"reservation-conflicts": {key: "reservation-conflicts"},
	"mcp-sessions":          {key: "mcp-sessions"},
	"mcp-events":            {key: "mcp-events"},
	"clock-skew":            {key: "clock-skew"},
	"cron":                  {page: "Cron"},
	"kubernetes":            {page: "Kubernetes"},
	"image":                 {page: "Kubernetes"},
}

// removedError returns the error for a flag that a command had; nil for another one.
func removedError(cmd *cobra.Command, name string) error {
	flag := removedFlags[name]
	switch {
	case flag.key != "" && cmd.Flags().Lookup("config") != nil:
		return problem.Coded("flag_in_configuration", "the flag --%s was removed", name).With(flag.key)
	case flag.page != "" && cmd.CommandPath() == "batch jobs install":
		return problem.Coded("flag_in_docs", "the flag --%s was removed", name).With(flag.page)
	}
	return nil
}

// movedKeys says where a configuration has now what stood under the name of a removed flag.
func movedKeys() map[string]string {
	moved := map[string]string{}
	for name, flag := range removedFlags {
		if flag.key != "" {
			moved[name] = "write " + flag.key + " under " + assumptionsName
		}
	}
	return moved
}
