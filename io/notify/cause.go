// This file words why an occurrence did not run or did not come to its end.

package notify

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"payonce/checkpoint/record"
)

// The reasons of occurrences that did not run.
const (
	reasonMissed  = "missed"
	reasonOverlap = "overlap"
	reasonPaused  = "paused"
)

// CauseOf says in one sentence, without a full stop, why an occurrence did not run or did not come to its end; "" for
// one that ran well. It has nothing of a list.
func CauseOf(one record.Occurrence) string {
	kind, name, _ := strings.Cut(code(one.Reason), ":")
	switch {
	case one.Reason == record.NotFinished:
		return "it did not come to its end within its catch-up window"
	case one.Cause != "":
		return one.Cause
	case one.Exit == exitApproval && one.Possible > 0:
		return fmt.Sprintf("the run can spend $%s and needs an approval", one.Possible)
	case one.Reason == reasonMissed:
		return "its catch-up window had passed"
	case one.Reason == reasonOverlap:
		return "an earlier occurrence had not come to its end"
	case one.Starts == 0 && strings.HasPrefix(one.Reason, reasonPaused):
		return "the job was paused"
	case kind == "ceiling":
		return "the run reached the ceiling " + name
	case isCeiling(one):
		return "the run reached a limit of the account (" + cmp.Or(name, kind) + ")"
	case one.Reason == "" && one.Exit == exitDone:
		return ""
	}
	return cmp.Or(causes[cmp.Or(name, kind)], meaning(one.Exit))
}

// causes are the causes of codes, where a code says more than the exit code.
var causes = map[string]string{
	"unreachable":                   "the service cannot be reached",
	"responses_lost":                "responses of the service do not arrive",
	"temporarily_unavailable":       "the service is temporarily unavailable",
	"rate_limited":                  "the service refuses because of its rate limit",
	"asked_to_wait":                 "the service asks for a pause",
	"account_status_refused":        "the service does not show the account",
	"invalid_api_key":               "the service refuses the API key",
	"workspace_inactive":            "the workspace is not active",
	"access_restricted":             "the service restricts the workspace's access",
	"free_allowance_exhausted":      "the free allowance is used up, and the account has no paid plan",
	"credits_exhausted":             "the account has no more credit",
	"operation_pricing_unavailable": "the account's plan has no price for the operation",
	"attempt_limit_reached":         "the account's limit of attempts is reached",
	"price_higher":                  "the account shows a higher price than the one in use",
	"module_differs":                "the service counts on another module than is assumed",
	"approval_missing":              "the run needs an approval",
	"interrupted":                   "the run was interrupted",
	"journal_held":                  "another process owned the journal",
	"journal_damaged":               "the journal is damaged",
	"journal_version":               "the journal is of another version of the program",
	"other_key":                     "the API key is not the one of the journal",
	"other_key_unchecked":           "the API key is not the one of the journal, and the service could not be asked whether it is valid",
	"not_connected":                 "no service is configured: its address or its key is not set",
	"job_not_connected":             "no service is configured: its address or its key is not set",
	"no_identity":                   "no column of the list says who its people or companies are",
	"disk_full":                     "the disk is full",
	"state_not_writable":            "the directory of the journal cannot be written to",
}

// meaning returns what an exit code means.
func meaning(exit int64) string {
	text := map[int64]string{
		1: "there was an internal failure", 2: "the configuration or the list is wrong", exitCeiling: "a ceiling was reached",
		4: "the service refuses or cannot be reached", exitDoubt: "the outcome of some lookups is not known",
		exitApproval: "the run needs an approval",
	}[exit]
	return cmp.Or(text, "the run ended with exit code "+strconv.FormatInt(exit, 10))
}

// Advice returns the command that a person can paste after an occurrence that did not run or did not come to its end,
// and what it does; "" when no person has to act.
func Advice(one record.Occurrence, c Commands) (doing, command string) {
	switch {
	case one.Starts == 0:
		return "To run it", c.Run
	case one.Ended.IsZero() && one.Reason == "" || !one.Until.IsZero() || one.Reason == "interrupted" || one.Reason == "journal_held":
		return "", "" // it runs, or goes on by itself
	case one.Reason == record.NotFinished:
		return "To go on with it", c.Run
	case one.Exit == exitDoubt:
		return "To decide what is not known", c.Reconcile
	case one.Exit == exitDone:
		return "", ""
	case one.Exit == exitApproval:
		return "To approve it", c.Approve
	case isCeiling(one):
		return "To look up what is left after a ceiling was raised", c.Run
	}
	return "To run it again", c.Run
}

// unclear reports whether only the messages of the start have the cause of a failure, because its code has none.
func unclear(one record.Occurrence) bool {
	return one.Cause == "" && CauseOf(one) == meaning(one.Exit) && (one.Exit == 1 || one.Exit == 2)
}
