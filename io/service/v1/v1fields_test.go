package v1_test

import (
	"testing"

	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestEachSetOfFieldsHasItsOperation goes through every set of fields that a lookup can ask for. The
// names stand in journals and in reports, so they never change.
func TestEachSetOfFieldsHasItsOperation(t *testing.T) {
	names := map[enrich.Fields]string{1: "find-work-email", 2: "find-phone", 3: "enrich"}
	for _, operation := range v1.Operations() {
		fields := operation.Fields()
		if got := v1.OperationOf(fields); got != operation {
			t.Errorf("the operation of %d is %s, want %s", fields, got, operation)
		}
		if got := v1.Catalogue().Operation(fields); got != names[fields] || got != operation.String() {
			t.Errorf("the operation of %d is called %q, want %q", fields, got, names[fields])
		}
		delete(names, fields)
	}
	if len(names) > 0 {
		t.Errorf("no operation asks for %v", names)
	}
}
