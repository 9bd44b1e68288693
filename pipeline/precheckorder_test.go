package pipeline_test

import (
	"testing"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
)

// The reason stands in the output, which must not depend on chance.
func TestPrecheckNamesTheSameOperationEveryTime(t *testing.T) {
	account := cost.Account{Readiness: map[string]cost.Readiness{
		"find-work-email": ready("credits_exhausted"), "find-phone": ready("usage_budget_reached"), "enrich": ready("access_restricted"),
	}}
	lookups := map[enrich.Operation]int64{enrich.EnrichContact: 1, enrich.FindPhone: 2, enrich.FindWorkEmail: 3}
	for range 50 {
		if stop := dispatch.Precheck(account, lookups, dispatch.StopWhenShort, wantsMoney); stop.Word() != "service:credits_exhausted" {
			t.Fatalf("stop %q, want that of the first operation", stop.Word())
		}
	}
}
