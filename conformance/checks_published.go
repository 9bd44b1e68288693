package conformance

import (
	"fmt"

	"payonce/conformance/rules"
	"payonce/cost"
	"payonce/enrich"
	"payonce/sandbox/books"
	"payonce/service/v1"
	"payonce/service/v1/v1fields"
)

// publishedChecks look at the OpenAPI document and the MCP tools.
func publishedChecks() []check {
	ofDocument := func(look func(*evidence, v1.Description) rules.View) func(*evidence) rules.View {
		return func(e *evidence) rules.View {
			if e.documentErr != nil {
				return rules.Untested("there is no document")
			}
			return look(e, e.document)
		}
	}
	ofTools := func(look func(*evidence, v1.Description) rules.View) func(*evidence) rules.View {
		return func(e *evidence) rules.View {
			if e.toolsErr != nil {
				return rules.Untested("there is no list of tools")
			}
			return look(e, e.tools)
		}
	}
	names := func(_ *evidence, d v1.Description) rules.View { return namesView(d.Check(v1.DefaultNames())) }
	return []check{
		{rules.New("live/document", "Assumptions", "the OpenAPI document is at openapi.json, and needs no key"), func(e *evidence) rules.View {
			if e.documentErr != nil {
				return failure(e.documentErr)
			}
			return rules.Agree("%s %s", e.document.Title, e.document.Version)
		}},
		{rules.New("live/document-names", "Assumptions", "the document has the paths of the lookups, and the parameters that are assumed"), ofDocument(names)},
		{rules.New("live/document-card", allowances, "the document publishes the rate card"), ofDocument(cardView)},
		{rules.New("live/document-prices", "Versioning", "the document publishes the prices that the workspace pays"), ofDocument(pricesView)},
		{rules.New("live/tools", mcpEndpoint, "a session opens in the implemented mode and lists the tools, the free one among them"), func(e *evidence) rules.View {
			if e.toolsErr != nil {
				return failure(e.toolsErr)
			}
			listed := len(e.tools.Operations) + len(e.tools.Others)
			return rules.Holds(listed == e.Live.Tools, "%d tools, where %d are expected", listed, e.Live.Tools)
		}},
		{rules.New("live/tools-names", "Operation choice", "the tools of the lookups have their names, and take the REST bodies"), ofTools(names)},
		{rules.New("live/tools-prices", mcpEndpoint, "the tools publish the prices that the workspace pays"), ofTools(pricesView)},
	}
}

func cardView(e *evidence, d v1.Description) rules.View {
	if len(d.Card.Options) == 0 {
		return rules.Untested("no rate card is published")
	}
	if err := sameCard(d.Card, e.Card); err != nil {
		return rules.Differ("%s", err)
	}
	return rules.Agree("%d options", len(d.Card.Options))
}

func pricesView(e *evidence, d v1.Description) rules.View {
	told := 0
	for _, operation := range v1fields.Operations() {
		for f, price := range d.Operations[operation].Prices {
			if told++; price != e.Prices[f] {
				return rules.Differ("$%s for a %s of %s, where the rate card says $%s", price, f, operation, e.Prices[f])
			}
		}
	}
	if told == 0 {
		return rules.Untested("no prices are published")
	}
	return rules.Agree("%d prices", told)
}

// paidChecks returns what takes a lookup.
func paidChecks() []check {
	ofInvalid := func(look func(Observation, enrich.Refused, bool) rules.View) func(*evidence) rules.View {
		return func(e *evidence) rules.View {
			if e.invalid == nil {
				return rules.Untested("%s", e.invalidWhy)
			}
			refused, ok := e.invalid.Verdict.(enrich.Refused)
			if refused.Unsent {
				return rules.Untested("the client did not send it: %s", refused.Message)
			}
			return look(*e.invalid, refused, ok)
		}
	}
	return []check{
		{rules.New("live/invalid-identifiers", errorTable, "identifiers that name nobody are refused with 400"), ofInvalid(func(o Observation, r enrich.Refused, ok bool) rules.View {
			return rules.Holds(ok && r.HTTPStatus == 400, "%s", rules.Describe(o.Verdict))
		})},
		{rules.New("live/invalid-identifiers-code", "Assumptions", "the code of that refusal is invalid_identifiers"), ofInvalid(func(_ Observation, r enrich.Refused, ok bool) rules.View {
			if !ok {
				return rules.Untested("it was not refused")
			}
			return rules.Holds(r.Code == string(books.InvalidIdentifiers), "%s", r.Code)
		})},
		{rules.New("live/refusal-free", "Errors", "a refusal costs nothing"), ofInvalid(func(o Observation, _ enrich.Refused, ok bool) rules.View {
			if !ok || !o.Read {
				return rules.Untested("it was not refused, or the account was not read before and after it")
			}
			lost := moved(o.Before, o.After)
			return rules.Holds(lost == movement{}, "the account lost %s", lost)
		})},
		{rules.New("live/answered", "Enrichment result", "a lookup is answered with a result"), func(e *evidence) rules.View {
			for _, o := range e.observed {
				if _, ok := o.Verdict.(enrich.Answered); !ok {
					return rules.Differ("%s", rules.Describe(o.Verdict))
				}
			}
			if len(e.observed) == 0 {
				return rules.Untested("%s", e.observedWhy)
			}
			return rules.Agree("%d of %d", len(e.observed), len(e.observed))
		}},
		{rules.New("live/booked", "What the service does", "every lookup cost the account what the journal booked for it"), bookedView},
		{rules.New("live/sum", "What the service does", "over all lookups the account lost what the returned fields cost"), sumView},
	}
}

// bookedView compares the account around each lookup with the journal.
func bookedView(e *evidence) rules.View {
	tried := 0
	for _, o := range e.observed {
		if !o.Read || !o.Before.Balance.Available.Known || !o.Before.Free[v1fields.WorkEmail].Known || !o.Before.Free[v1fields.BusinessPhone].Known {
			continue
		}
		tried++
		if got := moved(o.Before, o.After); got.money != o.Booked.Money || got.free != o.Booked.Free {
			return rules.Differ("the account lost %s; the journal booked %s", got, costOf(movement{money: o.Booked.Money, free: o.Booked.Free}))
		}
	}
	switch {
	case tried > 0:
		return rules.Agree("%d of %d", tried, len(e.observed))
	case e.observedWhy != "":
		return rules.Untested("%s", e.observedWhy)
	}
	return rules.Untested("the account was not read before and after a lookup")
}

// sumView compares the account before the first lookup and after the last with what all
// results cost together: the free allowance first, then the rates.
func sumView(e *evidence) rules.View {
	if len(e.observed) == 0 {
		return rules.Untested("%s", e.observedWhy)
	}
	if e.end != nil {
		return rules.Untested("the account could not be read at the end")
	}
	var want movement
	before := e.observed[0].Before
	for _, o := range e.observed {
		answered, ok := o.Verdict.(enrich.Answered)
		if !ok {
			return rules.Untested("a lookup was not answered")
		}
		for f := range answered.Returned.Each() {
			if !before.Free[f].Known {
				return rules.Untested("the status does not show the allowance")
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
		return rules.Untested("the status does not show the balance")
	}
	return rules.Holds(got.free == want.free && got.money == want.money, "the account lost %s; the results cost %s", got, costOf(want))
}

func costOf(m movement) string {
	return fmt.Sprintf("%d free emails, %d free phones and $%s", m.free[v1fields.WorkEmail], m.free[v1fields.BusinessPhone], m.money)
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
