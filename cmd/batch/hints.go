package main

import (
	"cmp"
	"fmt"

	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/service/v1"
)

// hints say what to do next, by the code of what happened: the codes of refusals
// (specification v1, "Errors") and those of reports. Some take values.
var hints = map[string]string{
	"approval":                  "agree to it with --approve %s",
	"exclusive":                 "batch run or batch reconcile with --exclusive",
	"assume":                    "batch reconcile --assume charged|not-charged [ATTEMPT...]",
	"rekeyed":                   "Set " + journalKeyName + " to it from now on.",
	"invalid_api_key":           "Set SERVICE_API_KEY to a valid key",
	"workspace_inactive":        "Have the workspace's owner activate it",
	"access_restricted":         "Have the workspace's owner lift the restriction",
	"free_allowance_exhausted":  "Have the owner choose a paid plan",
	"credits_exhausted":         "Have the owner add credit",
	"usage_budget_reached":      "Have the billing owner raise the budget; a top-up does not change it",
	v1.CodePricingUnavailable:   "Ask the service for a plan that prices this operation; credit does not enable it",
	"attempt_limit_reached":     "Wait for the next usage period",
	dispatch.CodeAskedToWait:    "Wait until then; if the service cannot have meant that, end the wait with batch journal unpause",
	dispatch.CodeResponsesLost:  "Find out why responses do not arrive",
	dispatch.CodeAccountRefused: "Look at the account with batch account",
	dispatch.CodeUnreachable:    "Check the network and --base-url",
	"input_schema":              "Compare the service with what is assumed of it with batch doctor; --request-name gives other names, --reask-missing 0s asks rejected rows again",
	"input_condition":           "Check the columns in the plan and what batch doctor says of the condition; --reask-missing 0s asks rejected rows again",
	"mcp_tool_changed":          "Look at the tools with batch doctor, or go on with --transport rest",
	"mcp_protocol_version":      "Go on with --transport rest",
	"invalid_identifiers":       "Check the columns in the plan; --reask-missing 0s asks rejected rows again",
}

// hint words what to do next; it is "" where there is nothing to say.
func hint(code string, values ...any) string {
	text, found := hints[code]
	if !found || len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// show writes what a command found, as --json asks for.
func (s *settings) show(r report.Report) error {
	if s.json {
		return report.JSON(s.env.stdout, r)
	}
	return report.Text(s.env.stdout, r, hint)
}

// remedy says who can do what about a refusal of the service.
func remedy(code string) string { return cmp.Or(hint(code), "Find out what it means") }
