package conformance

import (
	"fmt"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// publishedChecks look at the OpenAPI document and the MCP tools.
func publishedChecks() []checkV1 {
	ofDocument := func(look func(*evidenceV1, v1.Description) View) func(*evidenceV1) View {
		return func(e *evidenceV1) View {
			if e.documentErr != nil {
				return untested("there is no document")
			}
			return look(e, e.document)
		}
	}
	ofTools := func(look func(*evidenceV1, v1.Description) View) func(*evidenceV1) View {
		return func(e *evidenceV1) View {
			if e.toolsErr != nil {
				return untested("there is no list of tools")
			}
			return look(e, e.tools)
		}
	}
	names := func(_ *evidenceV1, d v1.Description) View { return namesView(d.Check(v1.DefaultNames())) }
	return []checkV1{
		{newRule("live/document", "Assumptions", "the OpenAPI document is at openapi.json, and needs no key"), func(e *evidenceV1) View {
			if e.documentErr != nil {
				return failure(e.documentErr)
			}
			return agree("%s %s", e.document.Title, e.document.Version)
		}},
		{newRule("live/document-names", "Assumptions", "the document has the paths of the lookups, and the parameters that are assumed"), ofDocument(names)},
		{newRule("live/document-card", allowances, "the document publishes the rate card"), ofDocument(cardView)},
		{newRule("live/document-prices", "Versioning", "the document publishes the prices that the workspace pays"), ofDocument(pricesView)},
		{newRule("live/tools", mcpEndpoint, "a session opens in the implemented mode and lists the tools, the free one among them"), func(e *evidenceV1) View {
			if e.toolsErr != nil {
				return failure(e.toolsErr)
			}
			listed := len(e.tools.Operations) + len(e.tools.Others)
			return holds(listed == e.LiveV1.Tools, "%d tools, where %d are expected", listed, e.LiveV1.Tools)
		}},
		{newRule("live/tools-names", "Operation choice", "the tools of the lookups have their names, and take the REST bodies"), ofTools(names)},
		{newRule("live/tools-prices", mcpEndpoint, "the tools publish the prices that the workspace pays"), ofTools(pricesView)},
	}
}

func cardView(e *evidenceV1, d v1.Description) View {
	if len(d.Card.Options) == 0 {
		return untested("no rate card is published")
	}
	if err := sameCard(d.Card, e.Card); err != nil {
		return differ("%s", err)
	}
	return agree("%d options", len(d.Card.Options))
}

func pricesView(e *evidenceV1, d v1.Description) View {
	shown := 0
	for _, operation := range v1.Operations() {
		for f, price := range d.Operations[operation].Prices {
			if shown++; price != e.Prices[f] {
				return differ("$%s for a %s of %s, where the rate card says $%s", price, f, operation, e.Prices[f])
			}
		}
	}
	if shown == 0 {
		return untested("no prices are published")
	}
	return agree("%d prices", shown)
}

// paidChecksV1 returns what takes a lookup.
func paidChecksV1() []checkV1 {
	ofInvalid := func(look func(Observation, enrich.Refused, bool) View) func(*evidenceV1) View {
		return func(e *evidenceV1) View {
			if e.invalid == nil {
				return untested("%s", e.invalidWhy)
			}
			refused, ok := e.invalid.Verdict.(enrich.Refused)
			if refused.Unsent {
				return untested("the client did not send it: %s", refused.Message)
			}
			return look(*e.invalid, refused, ok)
		}
	}
	return []checkV1{
		{newRule("live/invalid-identifiers", errorTable, "identifiers that name nobody are refused with 400"), ofInvalid(func(o Observation, r enrich.Refused, ok bool) View {
			return holds(ok && r.HTTPStatus == 400, "%s", describeVerdict(o.Verdict))
		})},
		{newRule("live/invalid-identifiers-code", "Assumptions", "the code of that refusal is invalid_identifiers"), ofInvalid(func(_ Observation, r enrich.Refused, ok bool) View {
			if !ok {
				return untested("it was not refused")
			}
			return holds(r.Code == string(sandbox.InvalidIdentifiers), "%s", r.Code)
		})},
		{newRule("live/refusal-free", "Errors", "a refusal costs nothing"), ofInvalid(func(o Observation, _ enrich.Refused, ok bool) View {
			if !ok || !o.Read {
				return untested("it was not refused, or the account was not read before and after it")
			}
			lost := moved(o.Before, o.After)
			return holds(lost == movement{}, "the account lost %s", lost)
		})},
		{newRule("live/answered", "Enrichment result", "a lookup is answered with a result"), func(e *evidenceV1) View {
			for _, o := range e.observed {
				if _, ok := o.Verdict.(enrich.Answered); !ok {
					return differ("%s", describeVerdict(o.Verdict))
				}
			}
			if len(e.observed) == 0 {
				return untested("%s", e.observedWhy)
			}
			return agree("%d of %d", len(e.observed), len(e.observed))
		}},
		{newRule("live/booked", "What the service does", "every lookup cost the account what the journal booked for it"), bookedViewV1},
		{newRule("live/sum", "What the service does", "over all lookups the account lost what the returned fields cost"), sumView},
	}
}

// bookedViewV1 compares the account around each lookup with the journal.
func bookedViewV1(e *evidenceV1) View {
	tried := 0
	for _, o := range e.observed {
		if !o.Read || !o.Before.Balance.Available.Known || !o.Before.Free[v1.WorkEmail].Known || !o.Before.Free[v1.BusinessPhone].Known {
			continue
		}
		tried++
		if got := moved(o.Before, o.After); got.money != o.Booked.Money || got.free != o.Booked.Free {
			return differ("the account lost %s; the journal booked %s", got, costOf(movement{money: o.Booked.Money, free: o.Booked.Free}))
		}
	}
	switch {
	case tried > 0:
		return agree("%d of %d", tried, len(e.observed))
	case e.observedWhy != "":
		return untested("%s", e.observedWhy)
	}
	return untested("the account was not read before and after a lookup")
}

// sumView compares the account before the first lookup and after the last with what all
// results cost together: the free allowance first, then the rates.
func sumView(e *evidenceV1) View {
	if len(e.observed) == 0 {
		return untested("%s", e.observedWhy)
	}
	if e.end != nil {
		return untested("the account could not be read at the end")
	}
	var want movement
	before := e.observed[0].Before
	for _, o := range e.observed {
		answered, ok := o.Verdict.(enrich.Answered)
		if !ok {
			return untested("a lookup was not answered")
		}
		for f := range answered.Returned.Each() {
			if !before.Free[f].Known {
				return untested("the status does not show the allowance")
			}
			if before.Free[f].Value > want.free[f] {
				want.free[f]++
			} else {
				want.money += e.Prices[f]
			}
		}
	}
	got := moved(before, e.last.Account)
	if before.Balance.Available == (cost.Optional[cost.Money]{}) {
		return untested("the status does not show the balance")
	}
	return holds(got.free == want.free && got.money == want.money, "the account lost %s; the results cost %s", got, costOf(want))
}

func costOf(m movement) string {
	return fmt.Sprintf("%d free emails, %d free phones and $%s", m.free[v1.WorkEmail], m.free[v1.BusinessPhone], m.money)
}

func sameCard(got, want cost.RateCard) error {
	if len(got.Options) != len(want.Options) {
		return fmt.Errorf("%d options, want %d", len(got.Options), len(want.Options))
	}
	for i, option := range want.Options {
		g := got.Options[i]
		if g.Name != option.Name || g.MonthlyIncluded != option.MonthlyIncluded || !samePrices(g.Prices, option.Prices) {
			return fmt.Errorf("the option %+v, want %+v", g, option)
		}
	}
	return nil
}

func samePrices(a, b cost.Prices) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
