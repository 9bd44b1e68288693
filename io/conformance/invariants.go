package conformance

import (
	"fmt"
	"slices"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// Observation is one lookup and the account around it.
type Observation struct {
	Lookup  enrich.Lookup
	Verdict enrich.Verdict
	// Prices are those that returned fields are charged at.
	Prices cost.Prices
	// Before and After are the account around the lookup; Read says that both are known
	// and that nothing else moved the account meanwhile, as far as is known.
	Before, After cost.Account
	Read          bool
	// Booked is what the record of whoever sent it says that it cost.
	Booked Booked
}

// invariant is a rule that every result keeps, whatever was found. It says how an answer
// breaks it, "" when it does not.
type invariant struct {
	Rule
	broken func(o Observation, a v1.Answer) string
}

// breach returns how an observation breaks the invariant, "" when it does not or is no
// answer.
func (i invariant) breach(o Observation) string {
	answered, ok := o.Verdict.(enrich.Answered)
	if !ok {
		return ""
	}
	answer, err := v1.DecodeAnswer(answered)
	if err != nil {
		return err.Error()
	}
	return i.broken(o, answer)
}

// invariants returns the rules of "Enrichment result" and "Outcome rules" that hold for
// every result alone.
func invariants() []invariant {
	return []invariant{
		{newRule("result/matched", "Outcome rules", "matched exactly when every requested field is returned, and then nothing is unresolved"), matchedInvariant},
		{newRule("result/partial", "Outcome rules", "partial exactly when a person is identified and a requested field is missing; those are unresolved, in any order"), partialInvariant},
		{newRule("result/not-found", "Outcome rules", "without a person there is no data, and the person is what is unresolved"), notFoundInvariant},
		{newRule("result/full-name", "Enrichment result", "the full name is there when a person is identified"), fullNameInvariant},
		{newRule("result/only-asked", "Enrichment result", "nothing is returned that was not asked for"), onlyAskedInvariant},
		{newRule("result/phone-type", "Enrichment result", "a phone comes with its type"), phoneTypeInvariant},
		{newRule("result/request-id", "Enrichment result", "a result has an identifier for support"), requestIDInvariant},
		{newRule("result/operation", "Enrichment result", "an enrich says contact_enrichment; the names of the others are assumed"), operationInvariant},
		{newRule("result/grounding", "Enrichment result", "a result says when it was retrieved, and out of what"), groundingInvariant},
		{newRule("result/charge", "Outcome rules", "each returned field costs a unit of its free allowance, or else its rate; nothing else moves the account"), chargeInvariant},
	}
}

func matchedInvariant(o Observation, a v1.Answer) string {
	all := a.Returned()&o.Lookup.Fields == o.Lookup.Fields
	if (a.Status == enrich.Matched) != all || all && len(a.Unresolved) > 0 {
		return fmt.Sprintf("%s with [%s] of [%s] and %q unresolved", a.Status, a.Returned(), o.Lookup.Fields, a.Unresolved)
	}
	return ""
}

func partialInvariant(o Observation, a v1.Answer) string {
	if a.Status != enrich.Partial {
		return ""
	}
	var missing []string
	for f := range o.Lookup.Fields.Without(a.Returned()).Each() {
		missing = append(missing, v1.Catalogue().Name(f))
	}
	unresolved := slices.Sorted(slices.Values(a.Unresolved))
	slices.Sort(missing)
	if !slices.Equal(missing, unresolved) {
		return fmt.Sprintf("%q unresolved, %q missing", unresolved, missing)
	}
	return ""
}

func notFoundInvariant(_ Observation, a v1.Answer) string {
	nobody := slices.Equal(a.Unresolved, []string{"person"})
	if a.Status != enrich.NotFound && !slices.Contains(a.Unresolved, "person") {
		return ""
	}
	if a.Status != enrich.NotFound || !nobody || a.Returned() != 0 || a.FullName != "" {
		return fmt.Sprintf("%s, %q unresolved, [%s] returned", a.Status, a.Unresolved, a.Returned())
	}
	return ""
}

func fullNameInvariant(_ Observation, a v1.Answer) string {
	if (a.Status != enrich.NotFound) != (a.FullName != "") {
		return fmt.Sprintf("%s, and a full name: %t", a.Status, a.FullName != "")
	}
	return ""
}

func onlyAskedInvariant(o Observation, a v1.Answer) string {
	if more := a.Returned().Without(o.Lookup.Fields); more != 0 {
		return fmt.Sprintf("[%s] returned, [%s] asked for", a.Returned(), o.Lookup.Fields)
	}
	return ""
}

func phoneTypeInvariant(_ Observation, a v1.Answer) string {
	if (a.BusinessPhone != "") != (a.PhoneType != "") {
		return fmt.Sprintf("a phone: %t, its type: %q", a.BusinessPhone != "", a.PhoneType)
	}
	return ""
}

func requestIDInvariant(_ Observation, a v1.Answer) string {
	if a.RequestID == "" {
		return "no request_id"
	}
	return ""
}

// operationInvariant holds the name of enrich, which is known. A find may be sent as an
// enrich, for the profile.
func operationInvariant(o Observation, a v1.Answer) string {
	want := []string{"contact_enrichment"}
	switch v1.OperationOf(o.Lookup.Fields) {
	case v1.FindWorkEmail:
		want = append(want, "work_email_lookup")
	case v1.FindPhone:
		want = append(want, "business_phone_lookup")
	}
	if !slices.Contains(want, a.Operation) {
		return fmt.Sprintf("%q, want %s", a.Operation, strings.Join(want, " or "))
	}
	return ""
}

func groundingInvariant(_ Observation, a v1.Answer) string {
	if a.RetrievedAt.IsZero() || a.Provenance == "" {
		return fmt.Sprintf("retrieved at %s out of %q", a.RetrievedAt, a.Provenance)
	}
	return ""
}

// chargeInvariant holds only where the account was seen before and after.
func chargeInvariant(o Observation, a v1.Answer) string {
	if !o.Read {
		return ""
	}
	want := movement{}
	for f := range a.Returned().Each() {
		switch units, price := o.Before.Free[f], o.Prices[f]; {
		case !units.Known:
			return ""
		case units.Value > 0:
			want.free[f]++
		default:
			want.money += price
		}
	}
	got := moved(o.Before, o.After)
	if o.Before.Balance.Available.Known && o.After.Balance.Available.Known && got.money != want.money || got.free != want.free {
		return fmt.Sprintf("the account lost %s; [%s] returned cost $%s and %d free units", got, a.Returned(), want.money, want.free)
	}
	return ""
}

// The sets of fields that are asked for.
const (
	email = enrich.Fields(1) << v1.WorkEmail
	phone = enrich.Fields(1) << v1.BusinessPhone
	both  = email | phone
)
