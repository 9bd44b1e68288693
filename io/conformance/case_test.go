package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// Case tries one rule.
type Case struct {
	Rule
	// Over is the transport that the rule is about, or that shows it; "" for both.
	Over v1.Transport
	// Begin changes the workspace that Workspace returns; nil for nothing.
	Begin func(*sandbox.Config)
	Steps []Step
}

// Step is one thing that happens in a case. An error says how the service, or what the
// client made of it, differs from what the step wants.
type Step interface {
	play(ctx context.Context, p *play) error
}

// Cases returns every case, in the order of the specification.
func Cases() []Case {
	var all []Case
	for _, group := range [][]Case{
		requestCases(), outcomeCases(), chargeCases(), rateCases(), balanceCases(), billingCases(),
		accountCases(), readinessCases(), keyCasesV1(), restCases(), mcpCases(), mcpFailureCases(),
		errorCasesV1(), windowCases(), limitCasesV1(), budgetCases(), lossCasesV1(), publishedCases(),
	} {
		all = append(all, group...)
	}
	return all
}

// Plays reports whether the case is played in a way.
func (c Case) Plays(way Way) bool { return c.Over == "" || c.Over == way.Transport }

// Hangs reports whether a client of the case waits until its own time-out.
func (c Case) Hangs() bool {
	return slices.ContainsFunc(c.Steps, func(step Step) bool {
		fault, faulty := step.(Faulty)
		return faulty && fault.Answer == sandbox.Hanging
	})
}

// LooksUp reports whether a lookup is sent in the case.
func (c Case) LooksUp() bool {
	return slices.ContainsFunc(c.Steps, func(step Step) bool {
		message, isMessage := step.(Message)
		_, isFind := step.(Find)
		return isFind || isMessage && message.Arrives
	})
}

// Play plays a case on a stage and returns everything in which the rule does not hold,
// nil when it does.
func Play(ctx context.Context, stage Stage, way Way, c Case) error {
	p, err := raise(stage, way, c)
	if err != nil {
		return err
	}
	defer p.fall()
	var problems []error
	for i, step := range c.Steps {
		if err := step.play(ctx, p); err != nil {
			problems = append(problems, fmt.Errorf("step %d: %w", i+1, err))
			break // what follows rests on it
		}
	}
	return errors.Join(append(problems, p.balanced())...)
}

// ruleOf returns the rule with a name; without one there is no case.
func ruleOf(name string) Rule {
	for _, rule := range caseRulesV1() {
		if rule.Name == name {
			return rule
		}
	}
	panic("no rule is named " + name)
}

// TestEveryCaseRuleHasOneCase compares the rules that are reported with the cases, in their
// order.
func TestEveryCaseRuleHasOneCase(t *testing.T) {
	var tried []Rule
	for _, c := range Cases() {
		tried = append(tried, c.Rule)
	}
	if diff := cmp.Diff(caseRulesV1(), tried); diff != "" {
		t.Errorf("rules (-reported +tried):\n%s", diff)
	}
}
