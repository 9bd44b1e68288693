package parquettable

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
)

// typedKind says how values of a kind arrive.
type typedKind struct {
	arrow  string
	values *rapid.Generator[string]
	// other returns a value as the second library reads it.
	other func(t rapid.TB, value string) any
}

func typedKinds() map[enrich.CellKind]typedKind {
	fits := func(t rapid.TB, err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[enrich.CellKind]typedKind{
		enrich.IntegerCell: {
			"int64", rapid.SampledFrom([]string{"", "0", "-1", "7", "9223372036854775807", "-9223372036854775808"}),
			func(t rapid.TB, value string) any {
				n, err := strconv.ParseInt(value, 10, 64)
				fits(t, err)
				return n
			},
		},
		enrich.NumberCell: {
			"float64", rapid.SampledFrom([]string{"", "0", "-0.5", "1.25", "1e+300", "-1e-300", "-1e+300", "3"}),
			func(t rapid.TB, value string) any {
				n, err := strconv.ParseFloat(value, 64)
				fits(t, err)
				return n
			},
		},
		enrich.FlagCell: {
			"bool", rapid.SampledFrom([]string{"", "true", "false"}),
			func(_ rapid.TB, value string) any { return value == "true" },
		},
		enrich.DateCell: {
			"date32", rapid.SampledFrom([]string{"", "1970-01-01", "1815-12-10", "2026-11-23", "9999-12-31", "0001-01-01"}),
			func(t rapid.TB, value string) any {
				at, err := time.Parse(time.DateOnly, value)
				fits(t, err)
				return int32(at.Unix() / 86400)
			},
		},
	}
}

// TestTypedValuesComeBack encodes columns of numbers, dates and flags, and reads them with two libraries.
func TestTypedValuesComeBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kinds := typedKinds()
		kind := rapid.SampledFrom([]enrich.CellKind{enrich.IntegerCell, enrich.NumberCell, enrich.FlagCell, enrich.DateCell}).Draw(rt, "kind")
		var want []string
		var batches [][]*Cells
		for range rapid.IntRange(1, 3).Draw(rt, "batches") {
			var parts []*Cells
			for range rapid.IntRange(1, 2).Draw(rt, "parts") {
				part := rapid.SliceOfN(kinds[kind].values, 0, 20).Draw(rt, "part")
				parts = append(parts, cellsFrom(rt, kind, part))
				want = append(want, part...)
			}
			batches = append(batches, parts)
		}
		path := encodeBatches(t, newTestEncoder(t, kind, Encoding{Codec: compress.Codecs.Zstd}), [][][]*Cells{batches})
		read, types := records(t, path)
		if got := types.Field(0).Type.Name(); got != kinds[kind].arrow {
			rt.Fatalf("the column has the type %s, want %s", got, kinds[kind].arrow)
		}
		if len(read) != len(want) {
			rt.Fatalf("%d rows of %d", len(read), len(want))
		}
		var others []any
		for i, value := range want {
			other := any(nil)
			if value != "" {
				other = kinds[kind].other(rt, value)
			}
			others = append(others, other)
			if got := read[i]["c"]; fmt.Sprint(got) != fmt.Sprint(asJSON(rt, other, value)) {
				rt.Fatalf("row %d is %v, want %q", i, got, value)
			}
		}
		if len(want) == 0 {
			return
		}
		if diff := cmp.Diff(others, secondOpinion(t, path, 0, len(want))); diff != "" {
			rt.Fatal(diff)
		}
		checkLeast(rt, path, others, t)
	})
}

// asJSON returns a value as it stands in a record.
func asJSON(t rapid.TB, value any, text string) (read any) {
	if _, isDate := value.(int32); isDate {
		return text
	}
	encoded, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(encoded, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// checkLeast compares the statistics of a file with its values.
func checkLeast(rt *rapid.T, path string, values []any, t *testing.T) {
	stats := footerOf(t, path).RowGroups[0].Columns[0].MetaData.Statistics
	least, most := math.Inf(1), math.Inf(-1)
	decode := func(data []byte) float64 { return 0 }
	for _, value := range values {
		var n float64
		switch value := value.(type) {
		case int64:
			n, decode = float64(value), func(d []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(d))) }
		case int32:
			n, decode = float64(value), func(d []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(d))) }
		case float64:
			n, decode = value, func(d []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(d)) }
		case bool:
			n, decode = map[bool]float64{true: 1}[value], func(d []byte) float64 { return float64(d[0]) }
		default:
			continue
		}
		least, most = min(least, n), max(most, n)
	}
	if math.IsInf(least, 1) {
		if stats.MinValue != nil || stats.MaxValue != nil {
			rt.Fatal("a column of nulls has a least value")
		}
		return
	}
	if got := []float64{decode(stats.MinValue), decode(stats.MaxValue)}; got[0] != least || got[1] != most {
		rt.Fatalf("the least and the greatest value are %v, want %v and %v", got, least, most)
	}
}

// TestListsOfTextsComeBack encodes lists with texts that have spaces, empty lists and unknown ones.
func TestListsOfTextsComeBack(t *testing.T) {
	lists := []string{`["a b","c"]`, ``, `[]`, `[""]`, `["a b","c"]`, `[]`, ``, `["Zoë","\"","x,y"]`}
	parts := []*Cells{cellsFrom(t, enrich.TextsCell, lists[:3]), cellsFrom(t, enrich.TextsCell, lists[3:])}
	for _, dictionary := range []bool{true, false} {
		e := newTestEncoder(t, enrich.TextsCell, Encoding{Codec: compress.Codecs.Zstd, Dictionary: dictionary})
		read, _ := records(t, encodeBatches(t, e, [][][]*Cells{{parts}}))
		for i, row := range read {
			got := ""
			if row["c"] != nil {
				encoded, err := json.Marshal(row["c"])
				if got = string(encoded); err != nil {
					t.Error(err)
				}
			}
			if got != lists[i] {
				t.Errorf("row %d is %s, want %s", i, got, lists[i])
			}
		}
		if len(read) != len(lists) {
			t.Errorf("%d rows of %d", len(read), len(lists))
		}
	}
}
