package main

import (
	"fmt"
	"regexp"
	"time"

	"payonce/configs"
)

// maxTimeout keeps a lookup from blocking a run's end for longer than anyone waits.
const maxTimeout = 10 * time.Minute

var workspaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Problems returns every value that no environment makes right.
func (f *serviceFlags) Problems() (problems []configs.FlagProblem) {
	refuse := func(wrong bool, flag, format string, args ...any) {
		if wrong {
			problems = append(problems, configs.FlagProblem{Flag: flag, Text: fmt.Sprintf(format, args...)})
		}
	}
	problems = f.assumed.problems()
	refuse(!workspaceName.MatchString(f.Workspace), "workspace", "%q: use letters, digits, dots, dashes and underscores", f.Workspace)
	refuse(f.Timeout <= 0 || f.Timeout > maxTimeout, "timeout", "%s: choose more than 0 and at most %s", f.Timeout, maxTimeout)
	refuse(f.settleDelay < 0 || f.settleDelay > maxTimeout, "settle-delay", "%s: choose 0 to %s", f.settleDelay, maxTimeout)
	refuse(f.concurrency < 1 || f.concurrency > 1024, "concurrency", "%d: choose 1 to 1024", f.concurrency)
	return problems
}

// Excluded returns the flag that was given beside --sandbox, which replaces every service; "" for none. The
// variables of the environment may stay.
func (f *serviceFlags) Excluded() string {
	if !f.Sandbox {
		return ""
	}
	for _, a := range f.Addresses {
		if a.BaseURL != f.getenv(a.variable(baseURLVariable)) {
			return a.flag("base-url")
		}
	}
	if f.MCPURL != f.getenv(mcpurlVariable) {
		return "mcp-url"
	}
	return ""
}
