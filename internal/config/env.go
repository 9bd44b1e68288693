package config

import (
	"fmt"
	"regexp"
)

// variable is a variable of the environment in a value, such as ${LIST_NAME}. A
// doubled dollar sign is a plain one.
var variable = regexp.MustCompile(`\$\$|\$\{([^}]*)\}`)

// secretName matches names of variables that hold secrets. A value of the
// configuration may be shown in a plan, kept in the journal or printed in an error.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential`)

// expand puts the values of variables in the place of their names.
func (t Target) expand(text string) (string, error) {
	var problem error
	expanded := variable.ReplaceAllStringFunc(text, func(match string) string {
		if match == "$$" {
			return "$"
		}
		name := match[2 : len(match)-1]
		value := t.Getenv(name)
		switch {
		case secretName.MatchString(name):
			problem = fmt.Errorf("${%s} looks like a secret, which does not belong in a configuration%s", name, t.SecretHint)
		case value == "":
			problem = fmt.Errorf("the variable %s of the environment is not set", name)
		}
		return value
	})
	return expanded, problem
}
