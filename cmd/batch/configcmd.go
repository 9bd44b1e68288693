package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/configs"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newConfigCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check a configuration file, or print its schema for an editor",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigCheckCommand(env), newConfigSchemaCommand(env), newConfigExampleCommand(env))
	return cmd
}

func newConfigCheckCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check a configuration file without doing anything",
		Long: "Check a configuration file for plan and run: unknown keys, wrong values and variables that are\n" +
			"not set are reported with their lines. It reads only the file and sends nothing." +
			exitHelp(exitDone, exitUsage),
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkConfig(env, args[0]); err != nil {
				return problem.AsUsage(err)
			}
			_, err := fmt.Fprintf(env.stdout, "%s is a configuration for plan and run\n", args[0])
			return err
		},
	}
}

// checkConfig reads a configuration as plan and run would.
func checkConfig(env environment, path string) error {
	root := &cobra.Command{}
	forPlan, plan := newPlan(env)
	forRun, run := newRun(env)
	root.AddCommand(plan, run)
	forPlan.config, forRun.config = path, path
	return configs.MergeProblems(forPlan.readConfig(plan), forRun.readConfig(run))
}

func newConfigSchemaCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of configuration files",
		Long: "Print the JSON Schema of configuration files. An editor that knows it completes the keys and\n" +
			"marks mistakes; most take it from a first line such as\n" +
			"  # yaml-language-server: $schema=batch.schema.json" + exitHelp(exitDone, exitUsage),
		RunE: func(*cobra.Command, []string) error {
			_, plan := newPlan(env)
			_, run := newRun(env)
			return report.WriteJSON(env.stdout, configs.FlagSchema(newAssumptions().section(), plan.Flags(), run.Flags()))
		},
	}
}

func newConfigExampleCommand(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "example [NAME]",
		Short: "Print an example configuration, or the names of all",
		Long:  "Print an example configuration to begin with; without NAME, list them." + exitHelp(exitDone, exitUsage),
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			examples, err := configs.Examples()
			if err != nil {
				return err
			}
			var names []string
			for _, example := range examples {
				if len(args) > 0 && args[0] == example.Name {
					_, err := env.stdout.Write(example.Text)
					return err
				}
				names = append(names, example.Name)
			}
			if len(args) > 0 {
				return problem.Usagef("there is no example %q; there are %s", args[0], strings.Join(names, ", "))
			}
			_, err = fmt.Fprintln(env.stdout, strings.Join(names, "\n"))
			return err
		},
	}
}

// targetFlags name what a run writes. Other commands take them from their command line alone.
var targetFlags = []string{"output", "rejects", "new-values", "tables", "candidates"}

// readConfig sets the flags that the configuration names. One file may serve plan, run and
// the commands that look at what they did.
func (o *options) readConfig(cmd *cobra.Command) error {
	target := configTarget(cmd.Root(), o.service.assumed, o.env)
	target.Flags, target.Check = cmd.Flags(), o.problems
	if cmd.Name() != "plan" && cmd.Name() != "run" {
		target.Foreign = targetFlags
	}
	return configs.ReadFlags(o.config, target)
}

// readAssumptions reads the section of assumptions of a configuration. What is not in the section has to be a key of
// plan or run, and says nothing here.
func readAssumptions(root *cobra.Command, path string, env environment) (*assumptions, error) {
	a := newAssumptions()
	target := configTarget(root, a, env)
	target.Flags, target.Check = pflag.NewFlagSet("", pflag.ContinueOnError), a.problems
	target.Known = "the keys are those of batch plan and batch run"
	return a, configs.ReadFlags(path, target)
}

// configTarget returns what all configurations set alike.
func configTarget(root *cobra.Command, a *assumptions, env environment) configs.Target {
	target := commonTarget(env)
	target.Section = a.section()
	for _, c := range root.Commands() {
		if c.Name() == "plan" || c.Name() == "run" {
			target.Others = append(target.Others, c.Flags())
		}
	}
	return target
}

// commonTarget returns what configurations and jobs files set alike.
func commonTarget(env environment) configs.Target {
	return configs.Target{
		Variables: flagVariables(env.addresses()), Getenv: env.getenv, SecretHint: hintOf("secret"), Moved: movedKeys(),
		Suggest: func(name string, names []string) string { return nearestQuestion(name, "", names) },
	}
}
