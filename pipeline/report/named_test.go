package report_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/pipeline/report"
)

// TestValuesKeepTheOrderOfTheirCatalogue writes values as JSON and reads them back.
func TestValuesKeepTheOrderOfTheirCatalogue(t *testing.T) {
	t.Parallel()
	values := report.ValuesOf(enrich.Named("work", "business", "age"), enrich.ByField[int64]{3, 1, 2})
	text, err := json.Marshal(values)
	if err != nil || string(text) != `{"work":3,"business":1,"age":2}` {
		t.Fatalf("%s, %v", text, err)
	}
	var read report.Values[int64]
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(values, read); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n, found := read.Find("business"); n != 1 || !found || read.Get("none") != 0 || read.Map()["age"] != 2 {
		t.Errorf("%v", read)
	}
}

// TestValuesWithoutAnObjectAreRefused reads what is not an object.
func TestValuesWithoutAnObjectAreRefused(t *testing.T) {
	t.Parallel()
	var values report.Values[int64]
	if err := json.Unmarshal([]byte("null"), &values); err != nil || values != nil {
		t.Errorf("null: %v, %v", values, err)
	}
	if text, err := json.Marshal(values); string(text) != "null" || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	for _, text := range []string{`[]`, `3`, `{"a":"b"}`} {
		if err := json.Unmarshal([]byte(text), &values); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
