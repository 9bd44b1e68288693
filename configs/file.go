// This file reads configuration files: YAML mappings whose keys are long names of flags.

package configs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// Target is what a configuration sets.
type Target struct {
	Flags *pflag.FlagSet
	// Others are the flags of other commands that the file serves too. They are allowed and
	// not set.
	Others []*pflag.FlagSet
	// Foreign are names of flags that the file means for the other commands alone.
	Foreign []string
	// Section is the key of the file that has keys of its own, if its Name is set.
	Section Section
	// Moved returns the present place in the file of a key that was a flag in an earlier version.
	Moved map[string]string
	// Variables are the environment variables that win over the file, by the flag's name.
	Variables map[string]string
	Getenv    func(string) string
	// Known says which keys are known; "" says that they are names of flags.
	Known string
	// Refuse returns an error for a key, or a value of it, that the file must not have; the value is "" for
	// the key alone. It may be nil.
	Refuse func(key, value string) error
	// Secrets are names of flags whose values are secrets. Each is one variable of the environment, whose name
	// may be that of a secret. Refuse is not asked about them.
	Secrets []string
	// SecretHint follows the error of a value that would hold a secret.
	SecretHint string
	// Suggest asks about the name that is most like an unknown one.
	Suggest func(name string, names []string) string
	// Check returns the values that no flag may have, once all are set.
	Check func() []FlagProblem
}

// Section is a key of a configuration that has keys of its own. They are not flags of a command line.
type Section struct {
	Name string
	Text string // what the section is for
	Keys *pflag.FlagSet
}

// of returns what the section of a configuration sets.
func (s Section) of(t Target) Target {
	t.Flags, t.Others, t.Foreign, t.Variables, t.Section = s.Keys, nil, nil, nil, Section{}
	t.Known = s.Name + " has the keys " + strings.Join(t.keys(), ", ")
	return t
}

// flagNames says which keys a configuration has.
const flagNames = "the keys are the long names of the command's flags"

// keyError is an error of a key, not of its value.
type keyError struct{ error }

// FlagProblem is a value that a flag must not have: its name, and the value with what to choose.
type FlagProblem struct{ Flag, Text string }

// ReadFlags sets the flags that the file names. Its error says everything that is wrong in it,
// with the lines.
func ReadFlags(path string, t Target) error {
	document, err := open(&Problems{file: path})
	if err != nil {
		return err
	}
	root := document.Root()
	root.Set(t)
	root.Check(t)
	return document.Err()
}

// set sets one flag, unless something above the file has. It then counts as given.
func (t Target) set(key, value *yaml.Node) error {
	name := t.flagName(key.Value)
	if err := t.refuse(name, ""); err != nil {
		return keyError{fmt.Errorf("%q: %w", name, err)}
	}
	flag := t.Flags.Lookup(name)
	if slices.Contains(t.Foreign, name) {
		flag = nil
	}
	switch variable := t.Variables[name]; {
	case flag == nil && t.moved(name) != "":
		return keyError{fmt.Errorf("%s is not a key any more: %s", name, t.moved(name))}
	case flag == nil && !t.ofOthers(name) || flag != nil && !allowed(name):
		return keyError{fmt.Errorf("unknown key %q%s; %s", name, t.Suggest(name, t.keys()), cmp.Or(t.Known, flagNames))}
	case flag == nil:
		return nil
	case flag.Changed || variable != "" && t.Getenv(variable) != "":
		return nil
	}
	_, isPairs := flag.Value.(*PairsFlag)
	texts, err := scalars(value, takesSeveral(flag), isPairs)
	for i := range texts {
		if err == nil {
			err = t.refuse(name, texts[i])
		}
		if err == nil {
			texts[i], err = t.expand(name, texts[i])
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	flag.Changed = true
	if list, ok := flag.Value.(listValue); ok && resolved(value).Kind == yaml.SequenceNode {
		if err := list.ReplaceList(texts); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		if err := list.Replace(texts); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	text := strings.Join(texts, ",")
	if err := flag.Value.Set(text); err != nil {
		if form := FlagForm(flag); form != "" {
			err = fmt.Errorf("%q: write %s", text, form)
		} else if _, isCount := flag.Value.(*CountFlag); isCount {
			err = fmt.Errorf("%q: %w", text, err)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// listValue is a value of a flag that a list of one item sets to something else than the item alone does.
type listValue interface{ ReplaceList(items []string) error }

// moved returns the present place of a key; "" for a key that did not move.
func (t Target) moved(key string) string { return t.Moved[strings.ReplaceAll(key, "_", "-")] }

// flagName returns the name of the flag of a key. The keys of flags with pairs may have underscores, as in
// unit_prices.
func (t Target) flagName(key string) string {
	name := strings.ReplaceAll(key, "_", "-")
	for _, flags := range append([]*pflag.FlagSet{t.Flags}, t.Others...) {
		if flag := flags.Lookup(name); flag != nil {
			if _, isPairs := flag.Value.(*PairsFlag); isPairs {
				return name
			}
		}
	}
	return key
}

func (t Target) refuse(key, value string) error {
	if t.Refuse == nil || slices.Contains(t.Secrets, key) {
		return nil
	}
	return t.Refuse(key, value)
}

// ofOthers reports whether another command that the file serves has a flag of that name.
func (t Target) ofOthers(name string) bool {
	return slices.ContainsFunc(t.Others, func(flags *pflag.FlagSet) bool { return flags.Lookup(name) != nil })
}

// keys returns the keys that a file may have, in order.
func (t Target) keys() []string {
	var keys []string
	for _, flags := range append([]*pflag.FlagSet{t.Flags}, t.Others...) {
		flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && allowed(f.Name) {
				keys = append(keys, f.Name)
			}
		})
	}
	if t.Section.Name != "" {
		keys = append(keys, t.Section.Name)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// allowed reports whether a file may hold the flag of a name.
func allowed(name string) bool { return name != "config" && name != "help" && name != "help-all" }

// takesSeveral reports whether a flag may have a list of values.
func takesSeveral(flag *pflag.Flag) bool {
	_, isList := flag.Value.(pflag.SliceValue)
	switch flag.Value.(type) {
	case *FieldsFlag, *NamesFlag, *FiguresFlag, *YearsFlag:
		return true
	}
	return isList
}

// FlagForm says what the values of a flag look like, where pflag itself would only name the
// function that could not read one.
func FlagForm(flag *pflag.Flag) string {
	return map[string]string{
		"bool": "true or false", "int": "a whole number", "int64": "a whole number", "uint64": "a whole number of 0 or more", "duration": "a time span such as 45s",
	}[flag.Value.Type()]
}
