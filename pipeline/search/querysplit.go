package search

import (
	"slices"

	"payonce/io/service/v2"
)

// Cut is a way to split a search into two parts that differ in one filter. Together they find everything that
// the search finds and that has a value for the filter.
type Cut struct {
	By string // the key of the filter
	// Given says that the search has the filter, so everything that it finds has a value for it.
	Given       bool
	First, Rest Query
}

// places are the filters for where a company is. A company is in one of each, so parts by them have nothing in
// common.
func places() []string { return []string{"location_countries", "location_regions", "location_zip"} }

// lists returns the filters with lists of values by which a search is split, in the order of preference.
func (q Query) lists() []string {
	switch q.operation {
	case v2.OpProspecting:
		return places()
	case v2.OpEmployees:
		return []string{"department", "seniority", "job_title"}
	}
	return nil
}

// ranges returns the filters with ranges of whole numbers or days by which a search is split, in the order of
// preference. A range of amounts has values between any two, so its parts would have the border in common.
func (q Query) ranges() []string {
	if q.operation != v2.OpProspecting {
		return nil
	}
	return []string{incorporation, employees, "insights_ranking"}
}

const (
	incorporation = "company_incorporation"
	employees     = "number_of_employees"
)

// usual returns the filters that nearly every company has a value for. A search can be split by them although
// it does not have them.
func usual() []string { return []string{incorporation, employees} }

// Cuts returns the ways to split the search, the best first: by places that are given, by ranges that are
// given, and by ranges that are not. There is at most one for each filter, and none when the parts cannot be
// smaller.
func (q Query) Cuts() (cuts []Cut) {
	for _, key := range q.lists() {
		if f := q.filters[key]; len(f.texts) > 1 {
			first, rest := f, f
			half := len(f.texts) / 2
			first.texts, rest.texts = f.texts[:half:half], f.texts[half:]
			cuts = append(cuts, Cut{By: key, Given: true, First: q.replace(key, first), Rest: q.replace(key, rest)})
		}
	}
	for _, key := range q.ranges() {
		f, given := q.filters[key]
		if !given && !slices.Contains(usual(), key) {
			continue
		}
		if first, rest, ok := f.span.cut(key); ok {
			cuts = append(cuts, Cut{
				By: key, Given: given,
				First: q.replace(key, filter{kind: v2.SpanFilter, span: first}), Rest: q.replace(key, filter{kind: v2.SpanFilter, span: rest}),
			})
		}
	}
	slices.SortStableFunc(cuts, func(a, b Cut) int {
		switch {
		case a.Given == b.Given:
			return 0
		case a.Given:
			return -1
		default:
			return 1
		}
	})
	return cuts
}

// cut returns two ranges that have nothing in common and together all whole numbers or days of the range. It
// returns false when the range has one value, or when a side without an end has gone far enough.
func (s span) cut(key string) (first, rest span, ok bool) {
	scale := scale{middle: middleNumber, toBound: numberBound}
	switch {
	case s.least.isDay() || s.most.isDay() || key == incorporation && s == (span{}):
		scale = days()
	case key == incorporation:
		scale.middle = middleYear
	}
	var least, most end
	if s.least.known {
		least = end{true, scale.up(s.least)}
	}
	if s.most.known {
		most = end{true, scale.down(s.most)}
	}
	if least.at < -maxEnd || least.at > maxEnd || most.at < -maxEnd || most.at > maxEnd || least.known && most.known && least.at >= most.at {
		return s, s, false
	}
	at, ok := scale.middle(least, most)
	return span{s.least, scale.toBound(at)}, span{scale.toBound(at + 1), s.most}, ok
}
