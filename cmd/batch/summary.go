package main

import (
	"cmp"
	"fmt"
	"strings"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline"
)

// summaryView is how a run went, as it is shown and printed with --json.
type summaryView struct {
	Run     string           `json:"run"`
	Job     string           `json:"job"`
	Output  string           `json:"output"`
	Rows    map[string]int64 `json:"rows"`
	Lookups int64            `json:"lookups"`        // ended by this command
	Dropped int64            `json:"phones_dropped"` // not asked for by this command, to keep a short budget for emails
	Posts   int64            `json:"posts"`          // sent by this command
	Spent   cost.Money       `json:"spent_usd"`      // by the run, over all its starts
	// SpentLeast is less than Spent while charges may turn out to have been free.
	SpentLeast cost.Money       `json:"spent_least_usd"`
	SpentNow   cost.Money       `json:"spent_now_usd"` // by this command
	Held       cost.Money       `json:"held_usd"`      // for lookups in doubt
	FreeUsed   map[string]int64 `json:"free_used"`     // by the run
	InDoubt    int64            `json:"in_doubt"`      // lookups of the run
	Tightest   string           `json:"tightest"`      // the ceiling on money with the least left
	Stop       *string          `json:"stop"`          // null when every row has its outcome
	Drift      *driftView       `json:"drift,omitempty"`

	left cost.Money // under the tightest ceiling
}

// driftView is what the account lost that the journal cannot explain.
type driftView struct {
	Money cost.Money       `json:"usd"`
	Free  map[string]int64 `json:"free"`
	// Prices are those that the account shows where they are higher than the ones that
	// the run counted with.
	Prices map[string]cost.Money `json:"higher_prices_usd,omitempty"`
}

// viewDrift returns nil for none.
func viewDrift(drift cost.Drift) *driftView {
	if drift.Zero() {
		return nil
	}
	view := &driftView{Money: drift.Money, Free: byField(drift.Free)}
	for f, shown := range drift.Prices {
		if shown > 0 {
			if view.Prices == nil {
				view.Prices = map[string]cost.Money{}
			}
			view.Prices[enrich.Field(f).String()] = shown
		}
	}
	return view
}

func (d *driftView) String() string {
	lost := fmt.Sprintf("the account lost $%s and %s that this journal did not use", d.Money, listCounts(d.Free))
	if len(d.Prices) == 0 {
		return lost + "; somebody else uses the workspace"
	}
	var prices []string
	for f := range enrich.AllFields.Each() {
		if shown, higher := d.Prices[f.String()]; higher {
			prices = append(prices, fmt.Sprintf("$%s for a %s", shown, f))
		}
	}
	return fmt.Sprintf("the service charges more than was counted, %s by the account; %s", strings.Join(prices, " and "), lost)
}

// conclude prints the summary and returns the error that ends the command.
func (j *job) conclude(rows map[pipeline.Status]int64, tally pipeline.Tally, stop pipeline.Stop, drift cost.Drift) error {
	view, err := j.summary(rows, tally, stop, drift)
	if err != nil {
		return err
	}
	if j.json {
		err = printJSON(j.env.stdout, view)
	} else {
		err = j.printSummary(view, stop)
	}
	if err := unlessUnread(err); err != nil {
		return fmt.Errorf("the run has ended and %s is written, but how it went cannot be told: %w", placeOf(j.output), err)
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

func (j *job) summary(rows map[pipeline.Status]int64, tally pipeline.Tally, stop pipeline.Stop, drift cost.Drift) (summaryView, error) {
	totals := j.journal.Totals(checkpoint.RunScope(j.name))
	doubts, _ := j.journal.InDoubt(j.name)
	mayBeFree, err := j.journal.MayBeFree(checkpoint.RunScope(j.name))
	if err != nil {
		return summaryView{}, err
	}
	view := summaryView{
		Run: j.name, Job: j.jobName(), Output: j.output, Rows: rowsByName(rows), Lookups: tally.Lookups, Dropped: tally.Dropped, Posts: tally.Posts,
		Spent: totals.Settled, SpentLeast: totals.Settled - mayBeFree, SpentNow: tally.Spent, Held: totals.Held, FreeUsed: byField(totals.FreeUsed), InDoubt: int64(doubts),
	}
	tightest, left := j.tightest()
	view.Tightest, view.left = tightest.Name, left
	if stop != nil {
		word := stop.Word()
		view.Stop = &word
	}
	view.Drift = viewDrift(drift)
	return view, nil
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
	p.entry("lookups", "%d (%s)", view.Lookups, counted(view.Posts, "request"))
	if view.Dropped > 0 {
		p.entry("phones not asked for", "%d, to keep a short budget for emails", view.Dropped)
	}
	p.entry("spent", "%s of $%s", upTo(view.SpentLeast, view.Spent), *j.maxSpend.amount)
	p.entry("tightest ceiling", "%s, $%s left", view.Tightest, view.left)
	if view.Held > 0 {
		p.entry("held", "$%s for lookups in doubt", view.Held)
	}
	p.prose("free allowance used", "%s", listCounts(view.FreeUsed))
	if view.Drift != nil {
		p.prose("drift", "%s", view.Drift)
	}
	p.entry("output", "%s", view.Output)
	if text := j.advice(view, stop); text != "" {
		p.line("")
		p.line("%s", text)
	}
	return p.err
}

// upTo shows an amount of money, or its bounds while it is not certain: a part of it may
// turn out to have been paid by the free allowance.
func upTo(least, most cost.Money) string {
	if least == most {
		return "$" + most.String()
	}
	return fmt.Sprintf("up to $%s, at least $%s,", most, least)
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
			return fmt.Sprintf("The responses to %s were lost. They may have been charged, so they are not sent again.\n"+
				"The account does not prove more, because somebody else may have spent from it.\n"+
				"%q shows them and what you can do. If nobody else uses the account, give --exclusive.", lookupCount(view.InDoubt), "batch reconcile")
		}
		return ""
	case pipeline.CeilingReached:
		return j.ceilingAdvice(stop)
	case pipeline.PriceHigher:
		return fmt.Sprintf("Stopped because the account shows $%s for a %s, and this run counted with $%s: its ceilings are not safe.\nNothing else was sent. Choose the right option with --rate-option, or correct the price in the rate card, then run the command again to go on.",
			stop.Shown, stop.Field, stop.InUse)
	case pipeline.Interrupted:
		return "Interrupted. All answers that came are recorded and written; run the same command again to go on."
	case pipeline.ServiceRefused:
		message := ""
		if stop.Message != "" {
			message = ": " + strings.TrimRight(stop.Message, ".")
		}
		return fmt.Sprintf("The service refused (%s)%s.\nNothing else was sent. %s, then run the same command again to go on.",
			stop.Code, message, remedy(stop.Code))
	}
	return "Run the same command again to go on."
}

// ceilingAdvice says under which ceiling the run ended and how it can go on.
func (j *job) ceilingAdvice(stop pipeline.CeilingReached) string {
	c := stop.Ceiling
	why := fmt.Sprintf("the next lookup can cost %s, and %s is left", c.Format(stop.Need), c.Format(max(stop.Left, 0)))
	if c.Measure == cost.Lookups {
		why = "it allows " + lookupCount(c.Limit)
	}
	next := "once the account has more, run the same command again"
	switch c.Name {
	case ceilingMaxSpend, ceilingMaxLookups:
		next = "raise it and run the same command again"
	case ceilingApproval:
		next = "run the same command again and have it approved"
	case ceilingDaily, ceilingMonthly, ceilingWorkspaceMonthly:
		next = fmt.Sprintf("raise it, or wait until it begins anew on %s, and run the same command again", showTime(renewal(c.Period, j.env.now())))
	}
	return fmt.Sprintf("Stopped at the ceiling %s: %s.\nNothing is lost: %s to go on.", c.Name, why, next)
}

// remedies say who can do what about a refusal, by its code (specification v1, "Errors").
var remedies = map[string]string{
	"invalid_api_key":           "Set SERVICE_API_KEY to a valid key",
	"workspace_inactive":        "Have the workspace's owner activate it",
	"access_restricted":         "Have the workspace's owner lift the restriction",
	"free_allowance_exhausted":  "Have the owner choose a paid plan",
	"credits_exhausted":         "Have the owner add credit",
	"usage_budget_reached":      "Have the billing owner raise the budget; a top-up does not change it",
	cost.PricingUnavailable:     "Ask the service for a plan that prices this operation; credit does not enable it",
	"attempt_limit_reached":     "Wait for the next usage period",
	pipeline.CodeAskedToWait:    "Wait until then; if the service cannot have meant that, end the wait with batch journal unpause",
	pipeline.CodeResponsesLost:  "Find out why responses do not arrive",
	pipeline.CodeAccountRefused: "Look at the account with batch account",
	pipeline.CodeUnreachable:    "Check the network and --base-url",
	"input_schema":              "Compare the service with what is assumed of it with batch doctor; --request-name gives other names, --reask-missing 0s asks rejected rows again",
	"input_condition":           "Check the columns in the plan and what batch doctor says of the condition; --reask-missing 0s asks rejected rows again",
	"mcp_tool_changed":          "Look at the tools with batch doctor, or go on with --transport rest",
	"mcp_protocol_version":      "Go on with --transport rest",
	"invalid_identifiers":       "Check the columns in the plan; --reask-missing 0s asks rejected rows again",
}

func remedy(code string) string {
	return cmp.Or(remedies[code], "Find out what it means")
}
