package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"payonce/cost"
	"payonce/pipeline/report"
)

// KeptPlan is a plan that a run follows, and the file that it comes from.
type KeptPlan struct {
	Path string
	Plan *PlanFile
}

// compare compares the plan of now with the one that was kept, nil when there is none to
// follow. What was answered meanwhile is not a difference.
func (j *job) compare(kept *KeptPlan, plan *report.Plan) error {
	if kept == nil {
		return nil
	}
	sum, err := j.list.Sum()
	if err != nil {
		return err
	}
	then, found := kept.Plan, &PlanDifferences{File: kept.Path}
	found.Add("the list's content", "SHA-256 "+then.List.SHA256, "SHA-256 "+sum)
	addEach(found, "column of ", then.Plan.Columns, plan.Columns, func(name string) string { return fmt.Sprintf("%q", name) })
	addEach(found, "price of ", then.Plan.Prices.USD.Map(), plan.Prices.USD.Map(), func(m cost.Money) string { return "$" + m.String() })
	if plan.Maximum > then.Plan.Maximum {
		found.Add("maximum spend", "$"+then.Plan.Maximum.String(), "$"+plan.Maximum.String())
	}
	return found.Err()
}

// addEach adds what differs between two maps, by the name of what is in them.
func addEach[V any](found *PlanDifferences, what string, planned, now map[string]V, show func(V) string) {
	text := func(values map[string]V, name string) string {
		if value, has := values[name]; has {
			return show(value)
		}
		return ""
	}
	all := map[string]V{}
	maps.Copy(all, planned)
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		found.Add(what+name, text(planned, name), text(now, name))
	}
}
