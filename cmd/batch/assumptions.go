// This file holds the section of a configuration that corrects what is assumed of the service where its specification
// does not say it.

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
	"payonce/io/service/v2"
	"payonce/pipeline/provider/providerv1"
)

// assumptionsName is the name of the section.
const assumptionsName = "service-assumptions"

// assumptions are the values of the section. No command line has them.
type assumptions struct {
	keys *pflag.FlagSet

	modules   configs.PairsFlag // of operations
	codenames configs.PairsFlag // of modules
	names     configs.PairsFlag // of requests
	notFound  string            // in a 404 of v2

	// Of the server of batch sandbox.
	conflicts bool
	mcp       sandbox.MCP
	clockSkew time.Duration
}

// newAssumptions returns what holds without a configuration.
func newAssumptions() *assumptions {
	a := &assumptions{
		keys: pflag.NewFlagSet(assumptionsName, pflag.ContinueOnError),
		modules: configs.PairsFlag{Form: "OPERATION=MODULE", Known: true, Check: func(name, module string) error {
			_, err := v2.ParseModules(map[string]string{name: module}, nil)
			return err
		}},
		codenames: configs.PairsFlag{Form: "MODULE=CODENAME", Check: func(module, codename string) error {
			return v2.CheckModule(module)
		}},
		names: configs.PairsFlag{Form: "NAME=VALUE", Check: func(name, value string) error {
			_, err := providerv1.ParseRequestNames(map[string]string{name: value})
			return err
		}},
	}
	a.keys.Var(&a.modules, "modules", "on which module v2 counts an operation, where it is not the assumed one, such as overview: none")
	a.keys.Var(&a.codenames, "module-codenames", "what v2 calls a module in its counters, where it is not the assumed name")
	a.keys.Var(&a.names, "request-names", "what the service calls a path or a member of a request, where it differs; the names are "+strings.Join(providerv1.RequestNames(), ", "))
	a.keys.StringVar(&a.notFound, "not-found-text", v2.DefaultNotFound,
		"the text in the 404 of v2 when it finds nothing; any other 404 stops the run, because the address may be wrong")
	a.keys.BoolVar(&a.conflicts, "reservation-conflicts", false, "batch sandbox refuses lookups with 409 while others hold what they need")
	a.keys.BoolVar(&a.mcp.Sessions, "mcp-sessions", false, "batch sandbox gives MCP clients sessions, whose ID each request has to carry")
	a.keys.BoolVar(&a.mcp.EventStream, "mcp-events", false, "batch sandbox answers MCP with a stream of events, not with JSON")
	a.keys.DurationVar(&a.clockSkew, "clock-skew", 0, "how far the clock of batch sandbox is ahead")
	return a
}

// section returns the section whose keys set the values.
func (a *assumptions) section() configs.Section {
	return configs.Section{Name: assumptionsName, Text: "Corrects what is assumed of the service where its specification does not say it.", Keys: a.keys}
}

// requestNames returns the names that requests use. They were checked when the configuration was read.
func (a *assumptions) requestNames() v1.Names {
	names, _ := providerv1.ParseRequestNames(a.names.Values)
	return names
}

// modulesOfV2 returns what is known of the modules of v2. It was checked when the configuration was read.
func (a *assumptions) modulesOfV2() v2.Modules {
	modules, _ := v2.ParseModules(a.modules.Values, a.codenames.Values)
	return modules
}

// problems returns the values that contradict each other.
func (a *assumptions) problems() (problems []configs.FlagProblem) {
	if _, err := providerv1.ParseRequestNames(a.names.Values); err != nil {
		problems = append(problems, configs.FlagProblem{Flag: "request-names", Text: err.Error()})
	}
	if _, err := v2.ParseModules(nil, a.codenames.Values); err != nil {
		problems = append(problems, configs.FlagProblem{Flag: "module-codenames", Text: err.Error()})
	}
	if err := v2.CheckNotFound(a.notFound); err != nil {
		problems = append(problems, configs.FlagProblem{Flag: "not-found-text", Text: fmt.Sprintf("%q: %v", a.notFound, err)})
	}
	return problems
}

// lookup returns the flag of a command, or the key of the section, with a name.
func (a *assumptions) lookup(flags *pflag.FlagSet, name string) *pflag.Flag {
	if key := a.keys.Lookup(name); key != nil {
		return key
	}
	return flags.Lookup(name)
}

// written returns how a person gives a flag or a key of the section.
func (a *assumptions) written(name string) string {
	if a.keys.Lookup(name) != nil {
		return assumptionsName + ": " + name
	}
	return "--" + name
}
