package v1

import (
	"strings"

	"payonce/io/service"
)

// shape is what a member of the account status has to be so that it can be read.
type shape struct {
	words string
	fits  func(parent service.Object, name string) bool
}

// The shapes of the members.
var (
	aBoolean = shape{"true or false", func(o service.Object, name string) bool { return o.Bool(name).Known }}
	aCount   = shape{"a whole number", func(o service.Object, name string) bool { return o.Integer(name).Known }}
	anAmount = shape{"whole cents", func(o service.Object, name string) bool { return o.Cents(name).Known }}
	aTime    = shape{"a time", func(o service.Object, name string) bool { return !o.Time(name).IsZero() }}
	aText    = shape{"a text", func(o service.Object, name string) bool { return o.String(name).Known }}
	anObject = shape{"an object", func(o service.Object, name string) bool { _, ok := o.Object(name); return ok }}
)

// orNull is the shape of a member that null says something of.
func (s shape) orNull() shape {
	return shape{s.words + " or null", func(o service.Object, name string) bool { return o.IsNull(name) || s.fits(o, name) }}
}

// statusMembers looks for every member of the account status that is read. One that is
// there and cannot be read counts as not found.
func statusMembers(status service.Object) []Assumption {
	var members []Assumption
	look := func(s shape, names ...string) {
		for _, name := range names {
			members = append(members, Assumption{Name: name, Where: "the account status, as " + s.words, Found: holds(status, name, s)})
		}
	}
	look(aBoolean, "key_valid")
	look(aCount, "free_allowance.work_emails_remaining", "free_allowance.business_phones_remaining",
		"free_allowance.work_emails_reserved", "free_allowance.business_phones_reserved")
	look(anAmount, "paid_balance.available_cents", "paid_balance.included_cents", "paid_balance.prepaid_cents", "paid_balance.reserved_cents")
	look(anObject.orNull(), "usage_budget")
	if !status.IsNull("usage_budget") { // null means no cap
		look(anAmount, "usage_budget.cap_cents", "usage_budget.spent_cents", "usage_budget.reserved_cents", "usage_budget.remaining_cents")
		look(aTime, "usage_budget.resets_at")
	}
	for _, operation := range Operations() {
		kind := "lookup_readiness." + ReadinessKind(operation)
		look(aBoolean, kind+".can_call")
		look(aText.orNull(), kind+".reason")
		look(anAmount.orNull(), kind+".maximum_paid_charge_cents") // null without a price
	}
	for _, operation := range Operations() {
		look(aBoolean, "operations."+operation.ResultName()+".available_on_plan")
	}
	return members
}

// holds reports whether a member with a dotted name is there and has a shape.
func holds(o service.Object, name string, s shape) bool {
	first, rest, deeper := strings.Cut(name, ".")
	if !deeper {
		return s.fits(o, first)
	}
	inner, _ := o.Object(first)
	return holds(inner, rest, s)
}
