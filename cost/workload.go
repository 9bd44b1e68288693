package cost

import "payonce/enrich"

// Workload counts the lookups that a list asks for, by the fields that each asks for.
type Workload map[enrich.Fields]int64

// Lookups returns how many lookups there are.
func (w Workload) Lookups() int64 {
	var lookups int64
	for _, n := range w {
		lookups += n
	}
	return lookups
}

// Demand returns how many times the lookups ask for each field.
func (w Workload) Demand() Demand {
	var demand Demand
	for fields, n := range w {
		for f := range fields.Each() {
			demand[f] += n
		}
	}
	return demand
}

// fields returns the fields that any of the lookups asks for.
func (w Workload) fields() enrich.Fields {
	var asked enrich.Fields
	for fields, n := range w {
		if n > 0 {
			asked |= fields
		}
	}
	return asked
}

// capped returns the demand of at most n lookups.
func (d Demand) capped(n int64) Demand {
	for f := range d {
		d[f] = min(d[f], n)
	}
	return d
}
