package main

import (
	"fmt"
	"strings"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
)

// summaryView is how a run went, as it is shown and printed with --json.
type summaryView struct {
	Run      string           `json:"run"`
	Output   string           `json:"output"`
	Rows     map[string]int64 `json:"rows"`
	Lookups  int64            `json:"lookups"`       // ended by this command
	Posts    int64            `json:"posts"`         // sent by this command
	Spent    cost.Money       `json:"spent_usd"`     // by the run, over all its starts
	SpentNow cost.Money       `json:"spent_now_usd"` // by this command
	Held     cost.Money       `json:"held_usd"`      // for lookups in doubt
	FreeUsed map[string]int64 `json:"free_used"`     // by the run
	InDoubt  int64            `json:"in_doubt"`      // lookups of the run
	Stop     *string          `json:"stop"`          // null when every row has its outcome
	Drift    *driftView       `json:"drift,omitempty"`
}

// driftView is what the account lost that the journal cannot explain.
type driftView struct {
	Money cost.Money       `json:"usd"`
	Free  map[string]int64 `json:"free"`
}

// conclude prints the summary and returns the error that ends the command.
func (j *job) conclude(rows map[pipeline.Status]int64, tally pipeline.Tally, stop pipeline.Stop, drift cost.Drift) error {
	view := j.summary(rows, tally, stop, drift)
	var err error
	if j.json {
		err = printJSON(j.env.stdout, view)
	} else {
		err = j.printSummary(view, stop)
	}
	if err != nil {
		return err
	}
	code := codeOfStop(stop)
	if code == exitDone && rows[pipeline.StatusInDoubt]+rows[pipeline.StatusForfeited] > 0 {
		code = exitDoubt
	}
	if code == exitDone {
		return nil
	}
	return stopError{code}
}

func (j *job) summary(rows map[pipeline.Status]int64, tally pipeline.Tally, stop pipeline.Stop, drift cost.Drift) summaryView {
	totals := j.journal.Totals(checkpoint.RunScope(j.name))
	doubts, _ := j.journal.InDoubt(j.name)
	view := summaryView{
		Run: j.name, Output: j.output, Rows: rowsByName(rows), Lookups: tally.Lookups, Posts: tally.Posts,
		Spent: totals.Settled, SpentNow: tally.Spent, Held: totals.Held, FreeUsed: byField(totals.FreeUsed), InDoubt: int64(doubts),
	}
	if stop != nil {
		word := stop.Word()
		view.Stop = &word
	}
	if !drift.Zero() {
		view.Drift = &driftView{Money: drift.Money, Free: byField(drift.Free)}
	}
	return view
}

func byField(counts [enrich.NumFields]int64) map[string]int64 {
	named := map[string]int64{}
	for f, n := range counts {
		named[enrich.Field(f).String()] = n
	}
	return named
}

// statusOrder is the order in which outcomes are shown.
var statusOrder = []pipeline.Status{
	pipeline.StatusMatched, pipeline.StatusPartial, pipeline.StatusNotFound, pipeline.StatusFilled,
	pipeline.StatusDuplicate, pipeline.StatusUnidentifiable, pipeline.StatusRejected,
	pipeline.StatusInDoubt, pipeline.StatusForfeited, pipeline.StatusNotAttempted,
}

func (j *job) printSummary(view summaryView, stop pipeline.Stop) error {
	p := &printer{w: j.env.stdout}
	p.line("Summary of run %s", view.Run)
	p.line("")
	p.rows(view.Rows)
	p.line("")
	p.entry("lookups", "%d (%d requests)", view.Lookups, view.Posts)
	p.entry("spent", "$%s of $%s", view.Spent, *j.maxSpend.amount)
	if view.Held > 0 {
		p.entry("held", "$%s for lookups in doubt", view.Held)
	}
	p.entry("free allowance used", "%s", listCounts(view.FreeUsed))
	if view.Drift != nil {
		p.entry("drift", "the account lost $%s and %s that this journal did not use; somebody else uses the workspace",
			view.Drift.Money, listCounts(view.Drift.Free))
	}
	p.entry("output", "%s", view.Output)
	if text := j.advice(view, stop); text != "" {
		p.line("")
		p.line("%s", text)
	}
	return p.err
}

// rows prints the rows by outcome.
func (p *printer) rows(rows map[string]int64) {
	for _, status := range statusOrder {
		if n := rows[string(status)]; n > 0 {
			p.entry("rows "+string(status), "%d", n)
		}
	}
}

// listCounts prints counts by field, in the order of the fields.
func listCounts(counts map[string]int64) string {
	var parts []string
	for f := range enrich.AllFields.Each() {
		if n, found := counts[f.String()]; found {
			parts = append(parts, fmt.Sprintf("%d %s", n, f))
		}
	}
	return strings.Join(parts, ", ")
}

// advice says why the run stopped and what to do next.
func (j *job) advice(view summaryView, stop pipeline.Stop) string {
	switch stop := stop.(type) {
	case nil:
		if view.InDoubt > 0 {
			return fmt.Sprintf("The responses to %d lookups were lost: they may have been charged, so they are not sent again.\n%q shows them and what the account proves about them.", view.InDoubt, "batch reconcile")
		}
		return ""
	case pipeline.CeilingReached:
		next := "raise it and run the same command again"
		if stop.Ceiling.Name != "max-spend" {
			next = "once the account has more, run the same command again"
		}
		return fmt.Sprintf("Stopped at the ceiling %s: the next lookup can cost $%s, and $%s is left.\nNothing is lost: %s to go on.",
			stop.Ceiling.Name, stop.Need, max(stop.Left, 0), next)
	case pipeline.Interrupted:
		return "Interrupted. All answers that came are recorded and written; run the same command again to go on."
	case pipeline.ServiceRefused:
		message := ""
		if stop.Message != "" {
			message = ": " + stop.Message
		}
		return fmt.Sprintf("The service refused (%s)%s.\nNothing else was sent. %s, then run the same command again to go on.",
			stop.Code, message, remedy(stop.Code))
	}
	return "Run the same command again to go on."
}

// remedies say who can do what about a refusal (specification v1, "Errors").
var remedies = map[string]string{
	"invalid_api_key":               "Set SERVICE_API_KEY to a valid key",
	"workspace_inactive":            "Have the workspace's owner activate it",
	"access_restricted":             "Have the workspace's owner lift the restriction",
	"free_allowance_exhausted":      "Have the owner choose a paid plan",
	"credits_exhausted":             "Have the owner add credit",
	"usage_budget_reached":          "Have the billing owner raise the budget; a top-up does not change it",
	"operation_pricing_unavailable": "Ask the service for a plan that prices this operation; credit does not enable it",
	"attempt_limit_reached":         "Wait for the next usage period",
	"responses_lost":                "Find out why responses do not arrive",
	"account_status_refused":        "Look at the account with batch account",
	"unreachable":                   "Check the network and --base-url",
	"invalid_identifiers":           "Check the columns in the plan; --reask-missing 0s asks rejected rows again",
}

func remedy(code string) string {
	if text, known := remedies[code]; known {
		return text
	}
	return "Find out what it means"
}
