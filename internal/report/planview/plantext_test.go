package planview

import (
	"testing"
)

func TestPlanSaysHowManyLookupsAskForWhat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		lookups int64
		fields  map[string]int64
		want    string
	}{
		{228, map[string]int64{"work_email": 167, "business_phone": 182}, "email and phone 121, phone only 61, email only 46"},
		{5, map[string]int64{"work_email": 5, "business_phone": 5}, "email and phone 5"},
		{5, map[string]int64{"work_email": 3, "business_phone": 2}, "phone only 2, email only 3"},
		{3, map[string]int64{"work_email": 0, "business_phone": 3}, "phone only 3"}, // the emails were answered before
		{3, map[string]int64{"work_email": 3}, "email 3"},
		{3, map[string]int64{"business_phone": 3}, "phone 3"},
	} {
		plan := &Plan{Rows: RowCounts{Lookup: test.lookups}, Fields: test.fields}
		if got := plan.lookups(); got != test.want {
			t.Errorf("%d lookups for %v: %q, want %q", test.lookups, test.fields, got, test.want)
		}
	}
}
