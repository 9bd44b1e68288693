package jobs

import (
	"encoding/json"
	"testing"

	"payonce/pipeline/report"
)

// TestAlertsTellOfUnitsThatOthersUsed of modules.
func TestAlertsTellOfUnitsThatOthersUsed(t *testing.T) {
	var summary report.RunSummary
	if err := json.Unmarshal([]byte(`{"drift": {"units": {"companies": 5, "contacts": 2}}}`), &summary); err != nil {
		t.Fatal(err)
	}
	if facts := factsOf(&summary); facts.LostUnits != 7 {
		t.Errorf("%d units are lost", facts.LostUnits)
	}
}
