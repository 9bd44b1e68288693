package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// envOf names the environment variables that stand above a configuration file.
var envOf = map[string]string{"base-url": "SERVICE_BASE_URL", "mcp-url": "SERVICE_MCP_URL", "state": "BATCH_STATE"}

// targetFlags are the flags that name what a run writes.
var targetFlags = []string{"output", "rejects"}

// readConfig sets the flags that the configuration names. Its error tells everything
// that is wrong in it, with the lines.
func (s *settings) readConfig(cmd *cobra.Command) error {
	root, err := readMapping(s.config)
	if err != nil || root == nil {
		return err
	}
	problems := configProblems{file: s.config}
	lines := map[string]int{}
	for i := 0; i+1 < len(root.Content) && len(problems.found) < maxConfigProblems; i += 2 {
		key := resolved(root.Content[i])
		err := s.set(cmd, key, root.Content[i+1])
		if first := lines[key.Value]; first > 0 {
			err = fmt.Errorf("%s stands on line %d already; remove one", key.Value, first)
		}
		line := root.Content[i].Line
		lines[key.Value] = line
		if err != nil {
			problems.add(line, err)
		} else if flag := cmd.Flags().Lookup(key.Value); flag != nil {
			s.configured[key.Value] = line
		}
	}
	for _, problem := range s.valueProblems() {
		if line := s.configured[problem.flag]; line > 0 {
			problems.add(line, fmt.Errorf("%s: %s", problem.flag, problem.text))
		}
	}
	_, err = parseRequestNames(s.requestNames)
	if line := s.configured["request-name"]; err != nil && line > 0 {
		problems.add(line, errors.New(strings.TrimPrefix(err.Error(), "--")))
	}
	return problems.err()
}

// set sets one flag from the configuration, unless something above it has. It then
// counts as given.
func (s *settings) set(cmd *cobra.Command, key, value *yaml.Node) error {
	if key.Kind != yaml.ScalarNode {
		return errors.New("a key is one word, the long name of a flag")
	}
	name := key.Value
	flag := cmd.Flags().Lookup(name)
	if !isListCommand(cmd) && slices.Contains(targetFlags, name) {
		flag = nil // where a run writes to is no place for what another command writes
	}
	switch {
	case flag == nil && !isListFlag(cmd, name) || flag != nil && !inConfig(name):
		return fmt.Errorf("unknown key %q%s; the keys are the long names of the command's flags", name, didYouMean(name, "", configKeys(cmd)))
	case flag == nil:
		return nil // of another command that the file serves too
	case flag.Changed || s.env.getenv(envOf[name]) != "" && envOf[name] != "":
		return nil
	}
	texts, err := scalars(value, takesSeveral(flag))
	for i := range texts {
		if err == nil {
			texts[i], err = expand(texts[i], s.env.getenv)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	flag.Changed = true
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.Replace(texts)
	}
	text := strings.Join(texts, ",")
	if err := flag.Value.Set(text); err != nil {
		if form := formOf(flag); form != "" {
			err = fmt.Errorf("%q: write %s", text, form)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// configKeys returns the keys that a configuration for the command may have, those of plan
// and run among them, in order.
func configKeys(cmd *cobra.Command) []string {
	keys := flagNames(cmd.Flags())
	for _, c := range cmd.Root().Commands() {
		if isListCommand(c) {
			keys = append(keys, flagNames(c.Flags())...)
		}
	}
	keys = slices.DeleteFunc(keys, func(name string) bool { return !inConfig(name) })
	slices.Sort(keys)
	return slices.Compact(keys)
}

// takesSeveral reports whether a flag may have a list of values.
func takesSeveral(flag *pflag.Flag) bool {
	_, isList := flag.Value.(pflag.SliceValue)
	_, isSet := flag.Value.(*fieldsValue)
	return isList || isSet
}

// formOf says what the values of a flag look like, where pflag itself would only
// name the function that could not read one.
func formOf(flag *pflag.Flag) string {
	return map[string]string{
		"bool": "true or false", "int": "a whole number", "int64": "a whole number", "uint64": "a whole number of 0 or more", "duration": "a time span such as 45s",
	}[flag.Value.Type()]
}

// isListFlag reports whether plan or run has a flag of that name: one file may serve
// both, and the commands that look at what they did.
func isListFlag(cmd *cobra.Command, name string) bool {
	return slices.ContainsFunc(cmd.Root().Commands(), func(c *cobra.Command) bool {
		return isListCommand(c) && c.Flags().Lookup(name) != nil
	})
}

// isListCommand reports whether configurations are made for the command.
func isListCommand(cmd *cobra.Command) bool { return cmd.Name() == "plan" || cmd.Name() == "run" }
