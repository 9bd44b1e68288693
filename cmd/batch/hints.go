// This file words what to do next. The packages below say what happened, and know no flags and no commands.

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"payonce/io/service/v1"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
)

// The environment variables with the keys that encrypt the journal at rest.
const (
	journalKeyVariable    = "BATCH_JOURNAL_KEY"
	newJournalKeyVariable = "BATCH_JOURNAL_NEW_KEY"
)

// texts say what to do next, by the code of what happened: the codes of refusals
// (specification v1, "Errors") and those of reports. Some take values.
var texts = map[string]string{
	"limit max-spend":           "--max-spend",
	"limit daily":               "--daily",
	"limit monthly":             "--monthly",
	"limit workspace-monthly":   "--workspace-monthly",
	"encoding_guessed":          "; --encoding sets another one",
	"save_mapping":              "To save it, add --save %s to the command.",
	"complete_first":            "; %s with --complete-first",
	"no_history":                "; add --sample 20 to see what a paid sample of 20 people costs",
	"approval":                  "agree to it with --approve %s",
	"approval_given":            " with --approve",
	"namesakes":                 "Add --also RECORD for each that is the person, or --all-namesakes.",
	"more_runs":                 "; --limit 0 shows all, --since and --job choose some",
	"each_run":                  "; --runs shows them",
	"rekeyed":                   "Set " + journalKeyVariable + " to it from now on.",
	"invalid_api_key":           "Set SERVICE_API_KEY to a valid key",
	"workspace_inactive":        "Have the workspace's owner activate it",
	"access_restricted":         "Have the workspace's owner lift the restriction",
	"free_allowance_exhausted":  "Have the owner choose a paid plan",
	"credits_exhausted":         "Have the owner add credit",
	"usage_budget_reached":      "Have the billing owner raise the budget; a top-up does not change it",
	v1.CodePricingUnavailable:   "Ask the service for a plan that prices this operation; credit does not enable it",
	"limits.daily":              "Wait until 00:00 UTC; other modules are still served",
	"limit":                     "Have the account's owner raise the limit of the module; others are still served",
	"attempt_limit_reached":     "Wait for the next usage period",
	dispatch.CodeAskedToWait:    "Wait until then; if the wait is a mistake of the service, end it with batch journal unpause",
	dispatch.CodeResponsesLost:  "Find out why responses do not arrive",
	v2.CodeUnknownRoute:         "Compare --base-url-v2 with the service's documentation; if the service says this when it finds nothing, give its text under service-assumptions: not-found-text in the configuration",
	dispatch.CodeAccountRefused: "Look at the account with batch account",
	dispatch.CodeModuleDiffers:  "Correct the modules in the configuration (service-assumptions: modules, module-codenames); batch doctor --max-units companies=1 checks one of them with a paid call",
	dispatch.CodeUnreachable:    "Check the network and the address of the service",
	"input_schema":              "Compare the service with the assumptions with batch doctor; request-names in the configuration gives other names, --reask-missing 0s asks rejected rows again",
	"input_condition":           "Check the columns in the plan, and the condition that batch doctor shows; --reask-missing 0s asks rejected rows again",
	"mcp_tool_changed":          "Look at the tools with batch doctor, or go on with --transport rest",
	"mcp_protocol_version":      "Go on with --transport rest",
	// What to do about errors. The text continues the error.
	"flag_in_configuration":   "; write %s under " + assumptionsName + " in the configuration file that --config names",
	"flag_in_docs":            "; docs/nightly.md has it under \"%s\"",
	"not_connected":           ": set SERVICE_BASE_URL and SERVICE_API_KEY, or try --sandbox",
	"job_not_connected":       ": set SERVICE_BASE_URL and SERVICE_API_KEY, or write sandbox: true into the jobs file to rehearse",
	"ambiguous":               "; --candidates FILE writes them",
	"mismatch":                "; to accept them, run batch write %s -o FILE --accept-mismatch, or the same command with --accept-mismatch",
	"run_ambiguous":           "; give more of the name",
	"no_identity":             "; name them with --map, such as --map profile_url=COLUMN",
	"price_too_low":           ": choose the right option with --rate-option, or correct the price in the rate card",
	"path_unknown":            "; write the service's own in the configuration: service-assumptions: {request-names: {%s: PATH}}",
	"base_url":                "; give --base-url like https://host/api/v1",
	"max_units_missing":       "; give %s",
	"watch_unknown":           "; first run the list with --fields company, or name the column of ids with --map company_id=COLUMN",
	"watch_unanswered":        "; batch run --fields company asks for them",
	"watch_never_polled":      "; batch watch poll records the changes",
	"watch_rebuy":             " without --rebuy",
	"v2_missing":              "; give --base-url-v2 URL like https://host/v2, or --sandbox",
	"search_cannot_ask":       "; look at the plan with --dry-run first, then give --yes",
	"two_journals":            ". Give one of the two addresses at a time, or begin a workspace for both with --workspace NAME",
	"state_unreadable":        "; give --state DIR or set BATCH_STATE to a directory that can be read",
	"secret":                  "; the service key is read from SERVICE_API_KEY alone",
	"encryption_key":          "; the key comes from " + journalKeyVariable + ", and \"batch journal rekey\" turns encryption on or changes the key",
	"state_not_writable":      "; make it writable, or give --state DIR or set BATCH_STATE to a directory that can be written: " + otherState,
	"journal_of_another_user": "; the journal belongs to the user who created it: work as that user, or give --state DIR: " + otherState,
	"disk_filled":             "; make room there and run the same command again",
	"disk_full":               "; nothing was sent: make room there and run the same command again",
	"journal_owner_ended":     "; nothing was changed: run the same command again",
	"journal_unreachable":     "; nothing was sent: check BATCH_JOURNAL or --journal, and run the same command again",
	"journal_rights":          "; run the same command as a role that may, such as the one that owns the tables",
	"journal_failed":          "; run the same command again: it continues from what is recorded",
	"journal_failed_over":     "; no lookup is sent until you have run \"batch reconcile --accept-failover\"",
	"journal_replaced":        "; restore the database from a backup. To begin a new journal, which buys everything again, remove that file",
	"cannot_ask_failover":     "; look at what is listed above, then give --yes",
	"journal_copied":          "; set BATCH_JOURNAL to that database, or give --journal",
	"copy_unfinished":         "; repeat \"batch journal copy\" with that database, or end it with \"batch journal copy --undo\"",
	"copy_not_empty":          "; copy it to another database or another --workspace. Two journals cannot be joined",
	"copy_gone":               "; nothing was changed: restore the database. What was bought there since the copy would be bought again from the directory",
	"copy_used":               "; nothing was changed: what was bought since is only in the database",
	"journal_older":           "; run \"batch journal migrate\" as the role that owns the tables",
	"journal_shared":          "; nothing was changed: run the same command again when they have ended; \"journal rekey\" waits for them with --wait DURATION",
	"journal_held":            "; wait until it ends: another --workspace would pay again",
	"journal_version":         "; open it with the program that wrote it: this one sends nothing and leaves the journal as it is",
	"journal_damaged":         "; nothing more is sent; what was bought since the backup is not in it and would be bought again",
	"journal_newer":           "; open it with that program or a newer one: this one sends nothing and leaves the journal as it is",
	"other_service":           "; if the service moved to another address, give --same-workspace once",
	"other_key":               "; if the key was rotated, so that both keys are of one account, give --same-workspace once. If it belongs to another workspace, give another --workspace NAME",
	"other_key_unchecked":     ". Run the same command again when the service can be reached, or set the API key that the journal was made with",
	"plan_file":               "; make a new one with \"batch plan LIST --out FILE\"",
	"output_missing":          ": give -o FILE",
	"approval_missing":        "; look at the plan, then give --approve %s",
	"job_approval_missing":    "; to approve it, run %s",
	"years_alone":             "; name the figures with --figures, such as --figures Turnover,EBITDA",
	"no_tables":               "; leave --tables out, or ask for a field that has tables with --fields",
	"max_spend_missing":       "; give --max-spend USD",
	"not_configured_v1":       ": set SERVICE_BASE_URL and SERVICE_API_KEY",
	"cannot_ask":              "; look at \"batch plan\" first, then give --yes",
	"cannot_ask_erase":        "; look at what is listed above, then give --yes",
	"cannot_ask_callback":     "; look at it with batch watch callback, then give --yes to replace it",
	"callback_address":        "; give the https address at which other machines reach the receiver, like https://hooks.example.com",
	"callback_differs":        "; look at it with batch watch callback",
	"listen_plain":            "; give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy with a certificate",
	"secret_readable":         ": chmod 600 %s; if others may have read it, replace it with batch watch callback path --new",
	"no_such_job":             "; \"batch runs\" lists the runs",
	"no_record_id":            "; run the list again with --map record_id=COLUMN, which buys nothing twice",
	"crm_several_files":       "; name a file with -o, or give --empty-cells and tell the import to skip empty cells",
	"crm_not_pulled":          "; pull the list with batch crm pull, or write an import file with batch crm export",
	"crm_not_connected":       "; set these variables, or try --sandbox",
	"crm_refused":             "; compare ZOHO_CLIENT_ID, ZOHO_CLIENT_SECRET, ZOHO_REFRESH_TOKEN with its scopes, and ZOHO_DATA_CENTER with the API console of Zoho, then run the same command again",
	"crm_exhausted":           "; run the same command again when the limit has ended",
	"crm_unreachable":         "; run the same command again when the CRM can be reached",
	"crm_interrupted":         "; run the same command again to continue",
	"cannot_ask_undo":         "; look at what is listed above, then give --yes",
	"no_such_run":             "; \"batch runs\" lists them",
	"not_in_doubt":            "; \"batch reconcile\" shows those that are",
	// Advice of the doctor.
	"no_document":           "The assumed names and prices are then used; compare them with the service's documentation",
	"mcp_endpoint":          "Give the endpoint with --mcp-url or SERVICE_MCP_URL; only --transport mcp needs it",
	"use_rest":              "Go on with --transport rest",
	"operation_unknown":     "If it has another name, give that under service-assumptions: request-names in the configuration, or use the other --transport",
	"input_schema_unusable": "Lookups are sent in the assumed form",
	"member_unknown":        "Give the service's names under service-assumptions: request-names in the configuration; a lookup with names that it does not allow is refused",
	"price_unknown":         "A run that asks for such a field is refused: give its price in a rate card of your own, --rate-card FILE",
	"prices_disagree":       "Find out which is right, and choose it with --rate-option or --rate-card",
	"give_base_url":         "Give --base-url or set SERVICE_BASE_URL",
	"give_key_v2":           "Set SERVICE_V2_API_KEY to the key of the v2 interface; the account's profile shows it",
	"modules_missing":       "Give the service's names under service-assumptions: module-codenames in the configuration; without a counter, lost calls of a module stay in doubt",
	"module_used_up":        "Its calls are refused until the account's owner raises the total",
	"module_silent":         "Lost calls of it stay in doubt; ask the service about it",
	"raise_units":           "Give --max-units companies=N; the limit counts the units of all checks",
	"path_prefix":           "Give the address with its path prefix, such as https://host/api/v1, unless your service has another one",
	"ask_service":           "If it does not change, ask the service about it",
	"run_again":             "Correct this, then run the command again",
	"look_at_account":       "Look at the account with batch account",
	"compare_clock":         "Compare this machine's clock with a time server",
	"set_clock":             "Set it: ceilings by day and month, and waits that the service gives as a time, depend on it",
	"try_one":               "Begin with one lookup, --limit 1, to find out",
	"condition_unusable":    "It is not checked before sending: the service itself refuses lookups that do not meet it",
	"condition_unmet":       "No such lookup is sent. Give the service's names under service-assumptions: request-names in the configuration, or ask the workspace's owner what the condition is for",
	"give_state":            "Give --state DIR or set BATCH_STATE to a directory that can be written",
	"make_readable":         "Make the directory readable",
	"journal_in_use":        "Wait until it ends: another --workspace would pay again",
	"look_at_channel":       "Send it a message with batch jobs test-alert",
	"look_at_doubts":        "Look at them with batch reconcile",
	"give_rate":             "Lookups beyond the limit are refused and waited for; give the workspace's own limit",
	"rate_shown":            "Give the limit with --rate, such as --rate %d/60s",
	"chmod":                 "It holds people's data: chmod 700 %s",
	"members_missing": "A key without a workspace shows no balance. A value that cannot be read is unknown: its ceiling cannot be kept, " +
		"and a free allowance that is not shown is not counted on",
	"invalid_identifiers": "Check the columns in the plan; --reask-missing 0s asks rejected rows again",
}

// interfaceTexts are texts about one interface besides the first, without the name of the interface at the end of the
// code. The braces stand for that name.
var interfaceTexts = map[string]string{
	"base_url":      "; give --base-url-{name} like https://host/{name}",
	"other_service": "; give the earlier address with --base-url-{name}, or another --workspace NAME for another service",
	"not_connected": ": set SERVICE_{NAME}_BASE_URL and SERVICE_{NAME}_API_KEY, or try --sandbox",
	"job_not_connected": ": set SERVICE_{NAME}_BASE_URL and SERVICE_{NAME}_API_KEY, or write sandbox: true into the jobs file to " +
		"rehearse",
	"not_configured": ": set SERVICE_{NAME}_BASE_URL and SERVICE_{NAME}_API_KEY",
	"give_base_url":  "Give --base-url-{name} or set SERVICE_{NAME}_BASE_URL",
	"give_key":       "Set SERVICE_{NAME}_API_KEY to the key of the {name} interface",
	"path_prefix":    "Give the address with its path prefix, such as https://host/{name}, unless your service has another one",
	"give_rate":      "Calls beyond the limit are refused and waited for; give the account's own limit with --rate-{name}",
}

// interfaceText returns the text of a code that ends with the name of an interface.
func interfaceText(code string) (string, bool) {
	at := strings.LastIndexByte(code, '_')
	if at < 0 {
		return "", false
	}
	text, found := interfaceTexts[code[:at]]
	name := code[at+1:]
	return strings.NewReplacer("{name}", name, "{NAME}", strings.ToUpper(name)).Replace(text), found
}

// otherState says what another directory for journals means.
const otherState = "the journal there is another one and buys again what it does not know"

// hintOf words what to do next; it is "" where there is nothing to say.
func hintOf(code string, values ...any) string { return hintFlags("").For(code, values...) }

// For words what to do next about what a code names; it is "" where there is nothing to say.
func (h hintFlags) For(code string, values ...any) string {
	text, found := texts[code]
	if !found {
		text, found = interfaceText(code)
	}
	if !found || len(values) == 0 {
		return h.within(text)
	}
	if code == "max_units_missing" {
		values = []any{unitFlags(values)}
		return fmt.Sprintf(text, values...)
	}
	shown := slices.Clone(values)
	for i, value := range shown {
		if word, is := value.(string); is {
			shown[i] = report.ShellWord(word)
		}
	}
	return fmt.Sprintf(h.within(text), shown...)
}

// unitFlags returns the flags that limit the units of meters.
func unitFlags(meters []any) string {
	var flags []string
	for _, meter := range meters {
		flags = append(flags, fmt.Sprintf("--max-units %s=N", meter))
	}
	return strings.Join(flags, " ")
}

// remedy says who can do what about a refusal of the service.
func (h hintFlags) remedy(code string) string {
	return cmp.Or(h.For(code), "Find out what it means")
}
