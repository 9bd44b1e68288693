package parquettable

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// TestAnIndexOfTooManyPages claims to have more of them than it has bytes.
func TestAnIndexOfTooManyPages(t *testing.T) {
	data := append(binary.AppendUvarint([]byte{0x19, 0xfc}, 60_000_000), 0)
	var moved []byte
	least := parquettest.LeastAllocated(func() { movePages(data[:2], 1) })
	if size := parquettest.LeastAllocated(func() { moved = movePages(data, 1) }); moved != nil || size > 2*least {
		t.Errorf("%d bytes are carried over, %d are taken, %d for half a header", len(moved), size, least)
	}
}

func TestSparkSchemaGetsTheAppendedColumns(t *testing.T) {
	before := `{"type":"struct","fields":[{"name":"a","type":"string","nullable":true,"metadata":{"comment":"x"}}]}`
	var got any
	if err := json.Unmarshal([]byte(withColumns(sparkSchema, before, appended())), &got); err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal([]byte(`{"type":"struct","fields":[
		{"name":"a","type":"string","nullable":true,"metadata":{"comment":"x"}},
		{"name":"status","type":"string","nullable":true,"metadata":{}},
		{"name":"charge","type":"decimal(18,6)","nullable":true,"metadata":{}},
		{"name":"at","type":"timestamp","nullable":true,"metadata":{}},
		{"name":"missing","type":{"type":"array","elementType":"string","containsNull":false},"nullable":true,"metadata":{}},
		{"name":"count","type":"long","nullable":true,"metadata":{}},
		{"name":"share","type":"double","nullable":true,"metadata":{}},
		{"name":"open","type":"boolean","nullable":true,"metadata":{}},
		{"name":"day","type":"date","nullable":true,"metadata":{}},
		{"name":"phones","type":{"type":"array","elementType":"string","containsNull":false},"nullable":true,"metadata":{}}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnreadableSchemasOfOtherProgramsStayUnchanged(t *testing.T) {
	for _, key := range []string{arrowSchema, sparkSchema, "other"} {
		for _, value := range []string{"", "{}", "not base64!", "/////wAAAIA=", "AAAAAA==", `{"fields":7}`} {
			if got := withColumns(key, value, appended()); got != value {
				t.Errorf("%s: %q became %q", key, value, got)
			}
		}
	}
}

// appended returns a column of each kind.
func appended() []table.Column {
	return []table.Column{
		{Name: "status"},
		{Name: "charge", Kind: enrich.MoneyCell},
		{Name: "at", Kind: enrich.TimestampCell},
		{Name: "missing", Kind: enrich.TextsCell},
		{Name: "count", Kind: enrich.IntegerCell},
		{Name: "share", Kind: enrich.NumberCell},
		{Name: "open", Kind: enrich.FlagCell},
		{Name: "day", Kind: enrich.DateCell},
		{Name: "phones", Kind: enrich.TextsCell},
	}
}
