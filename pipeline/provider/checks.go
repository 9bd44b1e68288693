// This file has what checks of the doctor have found.

package provider

import (
	"fmt"
	"strings"

	"payonce/configs"
	"payonce/cost"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// Checks keeps what the checks of a workspace find.
type Checks struct {
	Of     Service // that is checked
	Prices PriceOptions
	Hints  report.Hints
	// Explain words an error, and what to do about it.
	Explain func(error) string

	Results  []report.CheckResult
	Problems int
	Kind     problem.Kind // who has to act on the first problem; 0 for a failure of this machine
	// Accepted has the accounts whose keys their services accept, as they were read, by the names of the interfaces.
	Accepted map[string]cost.Account
}

// Accept notes that the service accepts the key of the account, which was read.
func (c *Checks) Accept(account cost.Account) {
	if c.Accepted == nil {
		c.Accepted = map[string]cost.Account{}
	}
	c.Accepted[c.Of.Name()] = account
}

// OK notes that nothing is wrong.
func (c *Checks) OK(check, format string, args ...any) {
	c.add(check, report.CheckOK, "", fmt.Sprintf(format, args...))
}

// Warn notes what should be seen to; the code names the advice.
func (c *Checks) Warn(check, code, format string, args ...any) {
	c.Advise(check, c.Hints(code), format, args...)
}

// Advise is Warn with the words of the advice.
func (c *Checks) Advise(check, advice, format string, args ...any) {
	c.add(check, report.CheckWarning, advice, fmt.Sprintf(format, args...))
}

// Problem notes what keeps a run from starting, and who has to act; the code names the advice.
func (c *Checks) Problem(kind problem.Kind, check, code, format string, args ...any) {
	c.add(check, report.CheckProblem, c.Hints(code), fmt.Sprintf(format, args...))
	if c.Problems++; c.Problems == 1 {
		c.Kind = kind
	}
}

// Failed notes an error that keeps a run from starting.
func (c *Checks) Failed(check string, err error) {
	kind := problem.Kind(0)
	if problem.IsUsage(err) {
		kind = problem.Usage
	}
	text := problem.Text(err, c.Hints)
	if text == err.Error() {
		text = c.Explain(err)
	}
	c.Problem(kind, check, "", "%s", text)
}

func (c *Checks) add(check, result, advice, found string) {
	c.Results = append(c.Results, report.CheckResult{Check: check, Result: result, Found: found, Advice: advice})
}

// CheckRate checks that the limit which is kept is not more than the one that is known of the service. The advice says
// what to do otherwise, and known what is known.
func (c *Checks) CheckRate(check, advice, known string, embedded bool) {
	rate, usual := configs.RateFlag(c.Of.Rate), configs.RateFlag(c.Of.Interface().Rate)
	if !rate.Within(usual) && !embedded {
		c.Warn(check, advice, "%s is more than the %s that %s", rate.String(), usual.String(), known)
		return
	}
	c.OK(check, "%s is kept to", rate.String())
}

// SomeOf lists names, the first of them when there are many.
func SomeOf(names []string) string {
	const most = 6
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
