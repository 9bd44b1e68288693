package simulation_test

import (
	"testing"

	"payonce/cost"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

// The reason stands in the output, which must not depend on chance.
func TestPrecheckNamesTheSameOperationEveryTime(t *testing.T) {
	account := cost.Account{Readiness: map[string]cost.Readiness{
		"find-work-email": ready("credits_exhausted"), "find-phone": ready("usage_budget_reached"), "enrich": ready("access_restricted"),
	}}
	lookups := cost.Workload{v1.EnrichContact.Fields(): 1, v1.FindPhone.Fields(): 2, v1.FindWorkEmail.Fields(): 3}
	for range 50 {
		if stop := dispatch.Precheck(account, lookups, 0, ofService()); stop.Word() != "service:credits_exhausted" {
			t.Fatalf("stop %q, want that of the first operation", stop.Word())
		}
	}
}
