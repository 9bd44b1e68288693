package configs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// variable is a variable of the environment in a value, such as ${LIST_NAME}. A
// doubled dollar sign is a plain one.
var variable = regexp.MustCompile(`\$\$|\$\{([^}]*)\}`)

// onlyVariable matches a variable alone.
var onlyVariable = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// secretName matches names of variables that hold secrets. A value of the
// configuration may be shown in a plan, kept in the journal or printed in an error.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential`)

// expand puts the values of variables in the place of their names, in the value of a flag.
func (t Target) expand(flag, text string) (string, error) {
	isSecret := slices.Contains(t.Secrets, flag)
	if isSecret && !onlyVariable.MatchString(text) {
		return "", errors.New("secrets do not belong in the file: write the name of a variable of the environment, such as ${ALERT_SECRET}")
	}
	var problem error
	expanded := variable.ReplaceAllStringFunc(text, func(match string) string {
		if match == "$$" {
			return "$"
		}
		name := match[2 : len(match)-1]
		value := t.Getenv(name)
		switch {
		case !isSecret && secretName.MatchString(name):
			problem = fmt.Errorf("${%s} looks like a secret, which does not belong in a configuration%s", name, t.SecretHint)
		case value == "":
			problem = fmt.Errorf("the variable %s of the environment is not set", name)
		}
		return value
	})
	return expanded, problem
}
